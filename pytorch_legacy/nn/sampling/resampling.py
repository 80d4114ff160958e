"""The base class of layers that resample planes to another size."""

from typing import Any, ClassVar

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import DtypeError, ValueRangeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.utils import described

SIZES = "odepth", "oheight", "owidth"


class Stretching(Native):
    """Base of layers that stretch planes with `_rank` axes, with straight lines between cells.

    Parameters
    ----------
    params : int or dict
        Scale factor of each axis, or the size of the output.
    """

    _rank: ClassVar[int]
    scale_factor: int | None = None
    oheight: int | None = None
    owidth: int | None = None

    def __init__(self, params: int | dict[str, Any]) -> None:
        super().__init__()
        setSize(self, params, SIZES[-self._rank :])

    def updateOutput(self, input: Tensor) -> Tensor:
        return stretch(self, self._layer, input, self._rank)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        return stretchBackward(self, self._layer, input, gradOutput, self._rank)


def stretch(module: Any, layer: str, input: Tensor, rank: int) -> Tensor:
    """The output, planes of `rank` axes stretched to what ``_target`` says, by that layer's functions."""
    target = _target(module, check.tensor(module, "input", input), rank)
    output: Tensor = module._resize("output", module._size(f"{layer}_outputSize", input, *target), mustNotOverlap=input)
    module._call(f"{layer}_updateOutput", input, output, *target)
    return output


def stretchBackward(module: Any, layer: str, input: Tensor, gradOutput: Tensor, rank: int) -> Tensor:
    """The gradient of what `stretch` did."""
    target = _target(module, check.tensor(module, "input", input, rank + 1, rank + 2), rank)
    gradInput: Tensor = module._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
    module._call(f"{layer}_updateGradInput", gradOutput, gradInput, *counts(input, rank), *target)
    return gradInput


def setSize(module: Module, params: Any, names: tuple[str, ...]) -> None:
    """Takes a scale factor, or a dictionary of output sizes, over into fields of these names."""
    fields = vars(module)
    if not isinstance(params, dict):
        fields["scale_factor"] = check.count(module, "scale_factor", params)
        return
    if not params or not params.keys() <= set(names):
        raise ValueRangeError(f"{module._typename}: expected output sizes {', '.join(names)}, got {described(params)}")
    for name in names:
        if name in params:
            fields[name] = check.count(module, name, params[name])


def counts(input: Tensor, rank: int) -> tuple[int, ...]:
    """Returns the number of planes and their sizes, as C takes them for the backward pass."""
    *samples, channels = input.shape[:-rank]
    return *(samples or [1]), channels, *input.shape[-rank:]


def _target(module: Any, input: Tensor, rank: int) -> tuple[int, ...]:
    """The sizes of the output's planes."""
    names = SIZES[-rank:]
    if scale := getattr(module, "scale_factor", None):
        return tuple(size * scale for size in (*[1] * rank, *input.shape)[-rank:])  # C checks the rank
    for name in names:
        if getattr(module, name, None) is None:
            raise DtypeError(f"{module._typename}: {name}: expected a size for {rank}-D planes, got None")
    return tuple(getattr(module, name) for name in names)
