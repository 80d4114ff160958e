"""Properties of modules by which `pl.optimize` decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy import authors, nn, nngraph
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn.convolution.Convolution import Convolution
from pytorch_legacy.nn.Native import Native

Log = Callable[[str], object]

# Containers that do no more than to hand values to their modules. What stands in others is left alone.
CONTAINERS = (nn.Sequential, nn.Concat, nn.DepthConcat, nn.ConcatTable, nn.ParallelTable, nn.Decorator, nngraph.gModule)
DEEPEST = 100  # modules inside of more containers stay as they are

_PASSING = (nn.Identity, nn.GradientReversal)
_MAKERS = (Native, nn.CAddTable, nn.JoinTable, nn.CMulTable)
DENSE_CONVOLUTIONS = {
    *("SpatialConvolutionMM", "SpatialDilatedConvolution"),
    *("VolumetricConvolution", "VolumetricConvolutionMM", "VolumetricDilatedConvolution"),
}
FULL_CONVOLUTIONS = {
    f"{space}{kind}" for space in ("Spatial", "Volumetric") for kind in ("FullConvolution", "FullDilatedConvolution")
}


def is_like(module: Any, kind: Any) -> bool:
    """Returns whether a module is of this class, or of one that computes the same."""
    return isinstance(module, kind) and type(module).updateOutput is kind.updateOutput and "updateOutput" not in vars(module)


def place_of(where: str) -> str:
    return f"module {where.rstrip('.')}, " if where else ""


def passing(module: Any) -> Any:
    """Returns the substitute for a layer that does next to nothing in evaluation, or the layer itself."""
    if any(is_like(module, kind) for kind in _PASSING) and not is_like(module, nn.Identity):
        return nn.Identity()
    if is_like(module, nn.WhiteNoise):
        return nn.AddConstant(module.mean).type(module._type) if module.mean else nn.Identity()
    if isinstance(module, nn.Dropout) and type(module).updateOutput is nn.Dropout.updateOutput and not module._isRandom():
        isSame = module.v2 or module.p == 0
        return nn.Identity() if isSame else nn.MulConstant(1 - module.p, bool(module.inplace)).type(module._type)
    return module


def copies_input(module: Any) -> bool:
    """Returns whether a layer that returns its input copies it."""
    return not any(is_like(module, kind) for kind in _PASSING) and not getattr(module, "inplace", False)


def is_ours(module: Any) -> bool:
    """Returns whether the class of a module is one of this package, and its pass that of the class."""
    return type(module).__module__.startswith("pytorch_legacy.") and "updateOutput" not in vars(module)


def may_spoil(module: Any) -> bool:
    """Returns whether a module may overwrite its input."""
    return bool(getattr(module, "inplace", False)) or isinstance(module, authors.InplaceClip01) or not is_ours(module)


def makes_memory(module: Any) -> bool:
    """Returns whether a module writes its output to memory of its own, which no other module reads."""
    return isinstance(module, _MAKERS) and not may_spoil(module)


def axis_of(layer: Any) -> int | None:
    """The axis of its weight that counts the outputs, of a layer that is linear; None of any other one."""
    if is_like(layer, nn.Linear):
        return 0
    isOurs = type(layer).__module__.startswith(("pytorch_legacy.nn.", "pytorch_legacy.cudnn."))
    if not isinstance(layer, Convolution) or not isOurs or "updateOutput" in vars(layer):
        return None
    if layer._layer in FULL_CONVOLUTIONS and getattr(layer, "groups", 1) == 1:
        return 1
    return 0 if layer._layer in DENSE_CONVOLUTIONS else None


def line_of(module: Any, layer: Any) -> tuple[Any, Any] | None:
    """Factor and shift of a module that does no more than to multiply and add, channel by channel, behind that layer."""
    if is_like(module, nn.MulConstant) and np.isscalar(module.constant_scalar):
        return module.constant_scalar, 0.0
    if is_like(module, nn.AddConstant) and np.isscalar(module.constant_scalar):
        return 1.0, module.constant_scalar
    outputs = layer.weight.shape[axis_of(layer)]
    dims = 2 + (len(layer._axes) if isinstance(layer, Convolution) else 0)
    if not is_like(module, nn.BatchNormalization) or module.nDim != dims or module.running_mean.size != outputs:
        return None
    mean, variance = module.running_mean.astype(np.float64), module.running_var.astype(np.float64)
    factor = 1 / np.sqrt(variance + module.eps)
    if module.weight is not None:
        factor = factor * module.weight
    return factor, (0.0 if module.bias is None else module.bias.astype(np.float64)) - mean * factor


def along(factor: Any, axis: int, ndim: int) -> Tensor:
    """The numbers of the outputs, to be multiplied with a weight."""
    return np.reshape(factor, [-1 if i == axis else 1 for i in range(ndim)])
