"""Planes of another size, with straight lines between their cells."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Native import Caller
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.nnx.planes import side, stretch, stretchBackward


class SpatialReSampling(Caller, Module):
    """Stretches or shrinks planes so that their corners stay corners; between cells lie straight lines along both axes.

    Output (h, w) shows the place ``(h (H - 1) / (oheight - 1), w (W - 1) / (owidth - 1))`` of the input.

    Parameters
    ----------
    rwidth, rheight : float, optional
        Scale factors of width and height; the output's size is rounded down to whole cells.
    owidth, oheight : int, optional
        Its size, which counts if both are given.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, a number is out of range, or size and ratio are both missing.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oheight x owidth``. Torch7 kept the size that the ratios gave for the first input;
    here they give it anew for each. As there, a gradient has the size of whatever planes it belongs to. Torch7 also computed
    places in single precision. Source: nnx ``SpatialReSampling``; C: ``THNN/sampling/UpSamplingLinear.c``.

    Examples
    --------
    >>> nnx.SpatialReSampling(owidth=5, oheight=1).forward(np.float32([[[0, 4, 0]]]))
    array([[[0., 2., 4., 2., 0.]]], dtype=float32)
    >>> nnx.SpatialReSampling(rwidth=2, rheight=1).forward(np.zeros((1, 3, 4), np.float32)).shape
    (1, 3, 8)
    """

    rwidth: float | None = None
    rheight: float | None = None
    owidth: int | None = None
    oheight: int | None = None

    _file = Form(defaults={"rwidth": None, "rheight": None, "owidth": None, "oheight": None})
    _lua = Lua(isNamed=True)

    def __init__(
        self,
        rwidth: float | None = None,
        rheight: float | None = None,
        owidth: int | None = None,
        oheight: int | None = None,
    ) -> None:
        super().__init__()
        self.rwidth, self.rheight = rwidth, rheight
        self.owidth, self.oheight = owidth, oheight
        side(self, "width", 1)
        side(self, "height", 1)

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", self._shape(input))
        stretch(self, input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        rank = len(self._shape(input))
        shape = check.tensor(self, "gradOutput", gradOutput, rank).shape
        check.shape(self, "gradOutput", gradOutput, (*input.shape[:-2], *shape[-2:]))
        gradInput = self._resize("gradInput", input.shape)
        stretchBackward(self, gradOutput, gradInput)
        return gradInput

    def _shape(self, input: Tensor) -> tuple[int, ...]:
        """The shape of the output."""
        *leading, height, width = check.tensor(self, "input", input, 3, 4).shape
        shape = *leading, int(side(self, "height", height)), int(side(self, "width", width))
        if 0 in (height, width, *shape[-2:]):
            raise ShapeError(f"{self._typename}: input: expected planes of which something is left, got {sizes(input.shape)}")
        return shape
