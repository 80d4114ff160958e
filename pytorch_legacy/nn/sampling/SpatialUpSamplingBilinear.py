"""Planes stretched to another size."""

from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.sampling.resampling import Stretching


class SpatialUpSamplingBilinear(Stretching):
    """Stretches planes, with straight lines between their cells along both axes.

    The corners of input and output coincide: output (h, w) shows the place
    ``(h (H - 1) / (oheight - 1), w (W - 1) / (owidth - 1))``, between four cells whose weights fall from 1 at the cell to 0
    at its neighbours. A single output along an axis shows the first cell.

    Parameters
    ----------
    params : int or dict
        Scale factor of height and width, or the size of the output: ``{"oheight": 5, "owidth": 7}``. The size may be smaller.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, or a number is less than 1.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oheight x owidth``.
    Source: Torch7 ``nn.SpatialUpSamplingBilinear``; C: ``THNN/sampling/UpSamplingLinear.c``.

    Examples
    --------
    >>> x = np.float32([[[0, 2], [4, 6]]])
    >>> nn.SpatialUpSamplingBilinear({"oheight": 3, "owidth": 5}).forward(x)[0]
    array([[0. , 0.5, 1. , 1.5, 2. ],
           [2. , 2.5, 3. , 3.5, 4. ],
           [4. , 4.5, 5. , 5.5, 6. ]], dtype=float32)
    """

    _layer = "SpatialUpSamplingBilinear"
    _rank = 2
    _file = Form(scratch=dict.fromkeys(("inputSize", "outputSize"), lambda module: t7.longs([0] * 4)))

    def __repr__(self) -> str:
        return f"{self._typename}({self.scale_factor or f'{self.oheight}, {self.owidth}'})"
