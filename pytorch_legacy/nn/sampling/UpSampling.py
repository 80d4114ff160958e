"""Planes or volumes of another size."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import FieldError, ValueRangeError
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.sampling.resampling import SIZES, setSize, stretch, stretchBackward
from pytorch_legacy.nn.utils import described

LAYERS = {
    ("nearest", 4): "SpatialUpSamplingNearest",
    ("nearest", 5): "VolumetricUpSamplingNearest",
    ("linear", 4): "SpatialUpSamplingBilinear",
    ("linear", 5): "VolumetricUpSamplingTrilinear",
}


class UpSampling(Native):
    """Gives the planes or volumes of a batch another size, as the four layers for one mode and rank do.

    Parameters
    ----------
    params : int or dict
        Scale factor of each axis, or the size of the output: ``{"odepth": 3, "oheight": 5, "owidth": 7}``, of
        which planes do not need the first. A size needs the mode "linear".
    mode : {"nearest", "linear"}
        "bilinear" and "trilinear" are other names of the latter. (Torch7 took every other word for "nearest".)

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, or an argument is none of those above.

    Notes
    -----
    Shapes: ``N x C x H x W`` or ``N x C x T x H x W``, to the same with other sizes behind C.
    Source: Torch7 ``nn.UpSampling``; see SpatialUpSamplingNearest, VolumetricUpSamplingNearest, SpatialUpSamplingBilinear and
    VolumetricUpSamplingTrilinear.

    Examples
    --------
    >>> x = np.float32([[[[0, 2], [4, 6]]]])
    >>> nn.UpSampling(2, "nearest").forward(x)[0, 0]
    array([[0., 0., 2., 2.],
           [0., 0., 2., 2.],
           [4., 4., 6., 6.],
           [4., 4., 6., 6.]], dtype=float32)
    >>> nn.UpSampling({"oheight": 3, "owidth": 3}, "linear").forward(x)[0, 0]
    array([[0., 1., 2.],
           [2., 3., 4.],
           [4., 5., 6.]], dtype=float32)
    """

    _file = Form(
        scratch=dict.fromkeys(("inputSize", "outputSize"), lambda module: t7.longs([0] * 5)),
        defaults={"mode": "nearest"},
    )
    scale_factor: int | None = None
    odepth: int | None = None
    oheight: int | None = None
    owidth: int | None = None

    def __init__(self, params: int | dict[str, Any], mode: str = "nearest") -> None:
        super().__init__()
        if mode in ("bilinear", "trilinear"):
            mode = "linear"
        if mode not in ("nearest", "linear"):
            raise ValueRangeError(f'{self._typename}: mode: expected "nearest" or "linear", got {mode!r}')
        setSize(self, params, SIZES)
        if mode == "nearest" and not self.scale_factor:
            raise ValueRangeError(f'{self._typename}: params: expected a scale factor for the mode "nearest", got {params}')
        self.mode = mode

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        if (self.mode, 4) not in LAYERS:
            raise FieldError(f"mode: expected nearest or linear, got {described(self.mode)}")

    def updateOutput(self, input: Tensor) -> Tensor:
        layer = self._chosen(input)
        if self.mode == "linear":
            return stretch(self, layer, input, input.ndim - 2)
        output = self._resize("output", self._size(f"{layer}_outputSize", input), mustNotOverlap=input)
        self._call(f"{layer}_updateOutput", input)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        layer = self._chosen(input)
        if self.mode == "linear":
            return stretchBackward(self, layer, input, gradOutput, input.ndim - 2)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        self._call(f"{layer}_updateGradInput", input, gradOutput)
        return gradInput

    def _chosen(self, input: Tensor) -> str:
        return LAYERS[self.mode, check.tensor(self, "input", input, 4, 5).ndim]

    def __repr__(self) -> str:
        sizes = (str(size) for size in (self.odepth, self.oheight, self.owidth) if size)
        return f"{self._typename}({f'{self.scale_factor}x' if self.scale_factor else 'x'.join(sizes)}, {self.mode})"
