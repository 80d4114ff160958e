"""The base class of layers that resize planes."""

from typing import Any

from pytorch_legacy.arrays import Tensor, strided
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Caller
from pytorch_legacy.nn.sampling.resampling import counts


def stretch(module: Caller, input: Tensor, output: Tensor) -> None:
    """Fills the planes of `output`, ``(N x) C x oH x oW``, with those of `input`, with straight lines between cells."""
    module._call("SpatialUpSamplingBilinear_updateOutput", input, output, *output.shape[-2:])


def stretchBackward(module: Caller, gradOutput: Tensor, gradInput: Tensor) -> None:
    """Fills `gradInput` with the gradient of what `stretch` did."""
    sizes = *counts(gradInput, 2), *gradOutput.shape[-2:]
    module._call("SpatialUpSamplingBilinear_updateGradInput", gradOutput, gradInput, *sizes)


def blocks(planes: Tensor, height: int, width: int) -> Tensor:
    """A view ``... x H // height x height x W // width x width``, without the rows and columns that fill no block."""
    rows, columns = planes.shape[-2] // height, planes.shape[-1] // width
    whole = planes[..., : rows * height, : columns * width]
    *steps, down, right = whole.strides
    shape = *whole.shape[:-2], rows, height, columns, width
    return strided(whole, shape, (*steps, down * height, down, right * width, right))


def side(module: Any, name: str, size: int) -> float:
    """Returns the new size of the side of that name, "width" or "height": the given size, or a multiple of the old one."""
    given, ratio = getattr(module, f"o{name}"), getattr(module, f"r{name}")
    if given is not None:
        return check.count(module, f"o{name}", given)
    if ratio is None or not ratio > 0:
        raise ValueRangeError(f"{module._typename}: o{name}: expected a size, or a ratio r{name} above 0, got {ratio}")
    return float(ratio * size)
