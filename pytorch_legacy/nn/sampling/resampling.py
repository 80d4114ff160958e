"""Calls of the C functions that give planes another size; they have the name `layer`."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import call, output_size
from pytorch_legacy.errors import DtypeError, ValueRangeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described


def repeat(module: Any, layer: str, input: Tensor) -> Tensor:
    """The output, in which every cell is repeated ``scale_factor`` times along each axis."""
    check.tensor(module, "input", input)
    output: Tensor = module._resize("output", output_size(module, f"{layer}_outputSize", input, module.scale_factor))
    call(module, f"{layer}_updateOutput", input, output, module.scale_factor)
    return output


def repeatBackward(module: Any, layer: str, input: Tensor, gradOutput: Tensor) -> Tensor:
    """The gradient of what `repeat` did."""
    gradInput: Tensor = module._resize("gradInput", check.tensor(module, "input", input).shape)
    call(module, f"{layer}_updateGradInput", input, gradOutput, gradInput, module.scale_factor)
    return gradInput


def stretch(module: Any, layer: str, input: Tensor, rank: int) -> Tensor:
    """The output, planes of `rank` axes stretched to what ``_target`` says."""
    target = _target(module, check.tensor(module, "input", input), rank)
    output: Tensor = module._resize("output", output_size(module, f"{layer}_outputSize", input, *target))
    call(module, f"{layer}_updateOutput", input, output, *target)
    return output


def stretchBackward(module: Any, layer: str, input: Tensor, gradOutput: Tensor, rank: int) -> Tensor:
    """The gradient of what `stretch` did."""
    target = _target(module, check.tensor(module, "input", input, rank + 1, rank + 2), rank)
    gradInput: Tensor = module._resize("gradInput", input.shape)
    *samples, channels = input.shape[:-rank]
    counts = *(samples or [1]), channels, *input.shape[-rank:]
    call(module, f"{layer}_updateGradInput", gradOutput, gradInput, *counts, *target)
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


def _target(module: Any, input: Tensor, rank: int) -> tuple[int, ...]:
    """The sizes of the output's planes."""
    names = ("odepth", "oheight", "owidth")[3 - rank :]
    if scale := getattr(module, "scale_factor", None):
        return tuple(size * scale for size in input.shape[-rank:])
    for name in names:
        if getattr(module, name, None) is None:
            raise DtypeError(f"{module._typename}: {name}: expected a size for {rank}-D planes, got None")
    return tuple(getattr(module, name) for name in names)
