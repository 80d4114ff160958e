"""A convolution that takes in what follows it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from operator import attrgetter
from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import call
from pytorch_legacy.cudnn.Grouped import Grouped
from pytorch_legacy.errors import BusyError
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.convolution.Convolution import Convolution
from pytorch_legacy.nn.convolution.FullConvolution import FullConvolution
from pytorch_legacy.nn.Native import Native

_FUNCTION = "FusedConvolution_updateOutput"
_DEFAULTS = {"d": 1, "pad": 0, "dilation": 1, "adj": 0}
_NUMBERS = [(name + axis, default) for name, default in _DEFAULTS.items() for axis in "TWH"]
_SERIALS = count(1)
_PASSES = (Native.updateOutput, Grouped.updateOutput, FullConvolution.updateOutput)
DENSE = {
    *("SpatialConvolutionMM", "SpatialDilatedConvolution"),
    *("VolumetricConvolution", "VolumetricConvolutionMM", "VolumetricDilatedConvolution"),
}
FULL = {f"{space}{kind}" for space in ("Spatial", "Volumetric") for kind in ("FullConvolution", "FullDilatedConvolution")}

# The C function's number of an activation, and the fields that have its numbers.
_ACTIVATIONS: list[tuple[Any, int, Callable[[Any], tuple[float, float]]]] = [
    (nn.Threshold, 1, attrgetter("threshold", "val")),
    (nn.HardTanh, 2, attrgetter("min_val", "max_val")),
    (nn.LeakyReLU, 3, lambda module: (module.negval, 0.0)),
    (nn.PReLU, 3, lambda module: (float(module.weight.flat[0]), 0.0)),
]


def is_convolution(module: Any) -> bool:
    """Is it a dense convolution that can take in what follows it?"""
    if not isinstance(module, Convolution) or module._layer not in DENSE | FULL:
        return False
    if isinstance(module, Grouped) and module.groups > 1 and module._isDepthWise():
        return False
    isOurs = type(module).__module__.startswith(("pytorch_legacy.nn.", "pytorch_legacy.cudnn."))
    return isOurs and type(module).updateOutput in _PASSES and "updateOutput" not in vars(module)


def activation_of(module: Any) -> tuple[int, Callable[[Any], tuple[float, float]]] | None:
    """How the C function is told of an activation; None of one that it does not know."""
    for kind, number, read in _ACTIVATIONS:
        if isinstance(module, kind) and type(module).updateOutput is kind.updateOutput and "updateOutput" not in vars(module):
            return None if kind is nn.PReLU and (module.nOutputPlane or module.weight is None) else (number, read)
    return None


def freeze(fused: Fused) -> None:
    """Puts the weights of its convolution into memory that nobody can write: no call has to look whether they have changed."""
    first = fused.modules[0]
    for layer in first.modules if isinstance(first, nn.ParallelTable) else [first]:
        if is_convolution(layer) and type(layer.weight) is np.ndarray:
            layer.weight = np.frombuffer(layer.weight.tobytes(), layer.weight.dtype).reshape(layer.weight.shape)


def _serial(weight: Tensor) -> int:
    """A number for the contents of an array, which no others ever had; 0 if they may change."""
    memory: Any = weight
    while isinstance(memory, np.ndarray):
        if memory.flags.writeable:
            return 0
        memory = memory.base
    return next(_SERIALS) if type(memory) is bytes else 0


class Fused(Sequential):
    """A chain that is computed by one function: a convolution and an activation; or, of a table of two arrays, the sum of a
    convolution of one and the other itself, and perhaps an activation.

    In files, and to whoever looks at it, it is the nn.Sequential of these modules, and gives the same bits; but frozen weights of
    small planes go Winograd's way, which rounds differently. On a GPU, or where the function finds something wrong, the modules
    run one after the other.
    """

    _typename = "nn.Sequential"

    def updateOutput(self, input: Any) -> Any:
        bindings = self.__dict__.setdefault("_bindings", {})
        try:
            if "fused" not in bindings:
                bindings["fused"] = _runner(self)
            output = bindings["fused"](self, input)
        except BusyError:
            raise
        except Exception:
            output = None  # the long way says what is wrong
        if output is None:
            bindings.pop("fused", None)
            return super().updateOutput(input)
        self.output = output
        return output


def _runner(fused: Fused) -> Callable[[Fused, Any], Any]:
    """A function that gives the output for an input, or None where it cannot, as when modules or their numbers are others now."""
    modules: list[Any] = [*fused.modules]
    first, *others = modules
    isSum = isinstance(first, nn.ParallelTable) and bool(others) and type(others[0]) is nn.CAddTable
    sides = first.modules[:] if isSum else [first]
    place = next((i for i, module in enumerate(sides) if is_convolution(module)), None)
    activations = others[isSum:]
    found = activation_of(activations[0]) if activations else (0, lambda module: (0.0, 0.0))
    isOther = isSum and (len(sides) != 2 or type(sides[1 - (place or 0)]) is not nn.Identity)
    if place is None or found is None or len(activations) > 1 or isOther or fused._onDevice:
        return lambda fused, input: None
    layer: Any = sides[place]
    activation = activations[0] if activations else None
    number, numbers_of = found
    names = [name for name, _ in [*_NUMBERS, ("groups", 1)] if hasattr(layer, name)]
    fields = [*names, *(f"k{axis}" for axis in layer._axes), "nInputPlane", "nOutputPlane"]
    read = attrgetter(*fields)
    values = dict(zip(fields, read(layer), strict=True))
    numbers = [values.get(name, default) for name, default in _NUMBERS]
    kind = values.get("groups", 1), int(isinstance(layer, FullConvolution)), number
    known = read(layer)
    weight: Tensor | None = None
    kernels: Tensor | None = None
    serial, of = 0, None
    shape: tuple[int, ...] = ()
    limits = (0.0, 0.0)  # the activation's
    output: Any = None
    isOver = False  # is the output written over what is added?
    bias: Any = None
    repeat: Any = None

    def run(fused: Fused, input: Any) -> Any:
        nonlocal weight, kernels, serial, of, shape, limits, output, isOver, bias, repeat
        if fused.modules != modules or (isSum and first.modules != sides):
            return None
        other: Any = None
        if isSum:
            other = input[1 - place]
            input = input[place]
        if type(input) is not np.ndarray or read(layer) != known:
            return None
        now = numbers_of(activation)
        isThere = (other if isOver else layer.output) is output
        isSame = input.shape == of and layer.weight is weight and layer.bias is bias and isThere and now == limits
        if isSame and repeat is not None and repeat(None, input, output, kernels, bias, other) is not None:
            return done(output, other)
        repeat = None
        if layer.weight is not weight:
            weight = layer.weight
            kernels = weight.reshape(len(weight), -1, *layer._kernel()) if weight.ndim == 2 else weight
            serial = _serial(weight)
            of = None
            if not np.shares_memory(kernels, weight):
                weight = None  # a copy, for this time
        if input.shape != of:
            of, shape = input.shape, layer._outputShape(input)
        isOver = mayOverwrite(fused, other)
        output = other if isOver else layer._resize("output", shape)
        bias, limits = layer.bias, now
        arguments = input, output, kernels, bias, other, *numbers, *kind, *limits, serial
        call(layer, _FUNCTION, *arguments)
        repeat = layer._bindings[_FUNCTION, "repeater"](arguments)
        return done(output, other)

    def mayOverwrite(fused: Fused, other: Any) -> bool:
        """Does it lie in memory in which nobody reads it afterwards? Who cannot tell says no."""
        isHeld = fused.__dict__["_bindings"].get("overwrites")
        return isHeld is not None and isHeld(other) and other.flags.carray

    def done(output: Any, other: Any) -> Any:
        if isSum:
            first.output = [output, other] if place == 0 else [other, output]
        for module in others:
            module.output = output
        return output

    return run
