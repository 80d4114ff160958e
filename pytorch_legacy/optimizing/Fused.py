"""A convolution with an epilogue: the sum and the activation that follow it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.backend import call
from pytorch_legacy.backend.library import ffi
from pytorch_legacy.backend.prepared import Bindings
from pytorch_legacy.cudnn.Grouped import Grouped
from pytorch_legacy.errors import BusyError, CompileError
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.convolution.Convolution import Convolution
from pytorch_legacy.nn.convolution.FullConvolution import FullConvolution
from pytorch_legacy.nn.Native import Native

_FUNCTION = "FusedConvolution_updateOutput"
_DEFAULTS = {"d": 1, "pad": 0, "dilation": 1, "adj": 0}
_NUMBERS = [(name + axis, default) for name, default in _DEFAULTS.items() for axis in "TWH"]  # plain fields of the layer
_PASSES = (Native.updateOutput, Grouped.updateOutput, FullConvolution.updateOutput)
DENSE = {
    *("SpatialConvolutionMM", "SpatialDilatedConvolution"),
    *("VolumetricConvolution", "VolumetricConvolutionMM", "VolumetricDilatedConvolution"),
}
FULL = {f"{space}{kind}" for space in ("Spatial", "Volumetric") for kind in ("FullConvolution", "FullDilatedConvolution")}


def activation_of(module: Any) -> tuple[int, float, float] | None:
    """Returns the C function's number of an activation and its parameters a and b; None of a module that it does not know."""
    if "updateOutput" in vars(module):
        return None
    method = type(module).updateOutput
    if isinstance(module, nn.Threshold) and method is nn.Threshold.updateOutput:
        return 1, module.threshold, module.val
    if isinstance(module, nn.HardTanh) and method is nn.HardTanh.updateOutput:
        return 2, module.min_val, module.max_val
    if isinstance(module, nn.LeakyReLU) and method is nn.LeakyReLU.updateOutput:
        return 3, module.negval, 0.0
    if isinstance(module, nn.PReLU) and method is nn.PReLU.updateOutput and not module.nOutputPlane:
        return None if module.weight is None or module.weight.size != 1 else (3, float(module.weight.flat[0]), 0.0)
    return None


def is_convolution(module: Any) -> bool:
    """Returns True for a dense convolution that FusedConvolution computes."""
    if not isinstance(module, Convolution) or module._layer not in DENSE | FULL:
        return False
    if isinstance(module, Grouped) and module.groups > 1 and module._isDepthWise():
        return False
    isOurs = type(module).__module__.startswith(("pytorch_legacy.nn.", "pytorch_legacy.cudnn."))
    return isOurs and type(module).updateOutput in _PASSES and "updateOutput" not in vars(module)


def freeze(fused: Fused) -> None:
    """Copies the convolution's weight into read-only memory, so that C need not fingerprint it in each pass."""
    first = fused.modules[0]
    for layer in first.modules if isinstance(first, nn.ParallelTable) else [first]:
        if is_convolution(layer) and type(layer.weight) is np.ndarray:
            layer.weight = np.frombuffer(layer.weight.tobytes(), layer.weight.dtype).reshape(layer.weight.shape)


def _frozen_memory(array: Tensor) -> bytes | None:
    """Returns the immutable bytes that an array is a view of; None if its elements may change."""
    memory: Any = array
    while isinstance(memory, np.ndarray):
        if memory.flags.writeable:
            return None
        memory = memory.base
    return memory if type(memory) is bytes else None


class Fused(Sequential):
    """A convolution and the modules behind it, computed by one C function (``FusedConvolution``).

    The modules are a convolution and an activation; or, for a table of two arrays, an nn.ParallelTable of a convolution and an
    nn.Identity, an nn.CAddTable, and perhaps an activation. All fields are read in each pass.

    In files and when printed it is the nn.Sequential of these modules. The bits are those of the modules one after the other, but
    for frozen weights: those have one algorithm for all batches, and may use Winograd's for small feature maps. On a GPU, and if
    the C function refuses its arguments, the modules run one after the other.
    """

    _typename = "nn.Sequential"

    def updateOutput(self, input: Any) -> Any:
        try:
            output = self._fusedPass(input)
        except (BusyError, CompileError):
            raise
        except Exception:
            output = None  # the modules, one after the other, raise an exception that names the module
        if output is None:
            return super().updateOutput(input)
        self.output = output
        return output

    route = Sequential.route

    def _fusedPass(self, input: Any) -> Any:
        """Computes the output by one call; returns None if the modules are not those that the C function knows."""
        modules: list[Any] = self.modules
        first, *others = modules
        isSum = isinstance(first, nn.ParallelTable)
        sides = first.modules if isSum else [first]
        place = next((i for i, side in enumerate(sides) if is_convolution(side)), None)
        if place is None or sides[place]._onDevice:
            return None
        other = None
        if isSum:
            if len(sides) != 2 or type(sides[1 - place]) is not nn.Identity or not others or type(others[0]) is not nn.CAddTable:
                return None
            other, input = input[1 - place], input[place]
        activations = others[1:] if isSum else others
        activation = activation_of(activations[0]) if len(activations) == 1 else None if activations else (0, 0.0, 0.0)
        if activation is None or not (type(input) is np.ndarray or isinstance(input, Recorded)):
            return None
        layer: Any = sides[place]
        weight = layer.weight.reshape(len(layer.weight), -1, *layer._kernel()) if layer.weight.ndim == 2 else layer.weight
        output = layer._resize("output", layer._outputShape(input), mustNotOverlap=[input, other])
        fields = layer.__dict__  # an attribute that is not there costs an exception
        numbers = [fields.get(name, default) for name, default in _NUMBERS]
        numbers += [layer.groups if isinstance(layer, Grouped) else 1, int(isinstance(layer, FullConvolution))]
        isConstant = isinstance(weight, Recorded) and weight.isConstant()  # type: ignore[attr-defined]
        isFrozen = isConstant or _frozen_memory(layer.weight) is not None
        algorithm = self._algorithm(layer, input, weight, numbers) if isFrozen else 0
        call(layer, _FUNCTION, input, output, weight, layer.bias, other, *numbers, *activation, algorithm)
        if isSum:
            first.output = [output, other] if place == 0 else [other, output]
        for module in others:
            module.output = output
        return output

    def _algorithm(self, layer: Any, input: Any, weight: Any, numbers: list[int]) -> int:
        """Returns the algorithm for these sizes, whatever the batch; the C library is asked once."""
        sizes = input.shape[1 - weight.ndim :], weight.shape, weight.dtype, numbers
        bindings = Bindings.of(self)
        known = bindings.algorithm
        if known is None or known[0] != sizes:
            answer = ffi.new("int64_t[1]")
            call(layer, "FusedConvolution_algorithm", input, weight, *numbers, answer)
            known = bindings.algorithm = sizes, int(answer[0])
        return known[1]
