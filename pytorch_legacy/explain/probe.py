"""Asks a layer itself which cells feed which output.

A NaN is a dye: it colours every output whose window holds it, and no other, in means, maxima and norms alike. So there
is no second account of where windows lie, which could be wrong where the library is right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import DtypeError, UnsupportedError, ValueRangeError
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.pooling.Sequences import Sequences

AXES = {"Temporal": 1, "Spatial": 2, "Volumetric": 3, "Feature": 1}
ENDINGS = ("Pooling", "SubSampling", "SoftPool", "SimplifiedLIP")

MOST_CELLS = 2**26  # for all samples together
MOST_TRIED = 2**31  # and of all
_MOST_WINDOWS = 2**20


def count_axes(module: Any) -> int:
    """Returns the number of axes that the layer pools. They are the last dimensions of its input."""
    if not isinstance(module, Module):
        raise DtypeError(f"explain: layer: expected a pooling layer, got {type(module).__name__}")
    for name in _names(module):
        for family, axes in AXES.items():
            if name.startswith(family) and name.endswith(ENDINGS) and "Dynamic" not in name:
                return axes
    if not type(module).__module__.startswith("pytorch_legacy."):
        for axes in (2, 1, 3):  # a class of the user's has any name: it is asked itself
            if _pools(module, axes):
                return axes
    raise UnsupportedError(f"explain: layer: expected one with windows, such as nn.SpatialMaxPooling, got {module._typename}")


def _pools(module: Any, axes: int) -> bool:
    """Returns True if the layer makes fewer cells along so many axes."""
    layer, cells = module.clone(), (32,) * axes
    try:
        output = _output(layer, _samples(layer, 1, cells))
    except Exception:  # it has its own ways to refuse
        return False
    return isinstance(output, np.ndarray) and output.ndim == axes + 2 and 0 < np.prod(output.shape[2:]) < 32**axes


def feeds(module: Module, size: tuple[int, ...], axis: int) -> Tensor:
    """Returns a bool array of outputs x cells: True if the cell along the axis feeds the output along the axis."""
    if min(size) < 1:
        raise ValueRangeError(f"explain: size: expected 1 cell or more, got {min(size)}")
    state = random.getRNGState()  # to look changes no draw of the program's
    try:
        return _feeds(_pooling(module).clone(), size, axis)
    finally:
        random.setRNGState(state)


def _feeds(module: Module, size: tuple[int, ...], axis: int) -> Tensor:
    cells = size[axis]
    if hasattr(module, "fixPoolingRegions"):
        _fix(module)
    shape = _smallest(module, size, axis)
    sample = float(np.prod(shape, dtype=np.float64))
    if (cells + 1) * sample > MOST_TRIED:
        raise ValueRangeError(f"explain: size: an axis of {cells} cells is too long to try them all")
    if is_tensor(module.output) and max(module.output.shape) > _MOST_WINDOWS:
        raise ValueRangeError(f"explain: output: {max(module.output.shape)} windows are too many to show")
    # Windows that each sample draws are fixed for one only.
    step = 1 if hasattr(module, "randomSamples") else max(1, int(MOST_CELLS // sample))
    reached = [_reached(module, range(first, min(first + step, cells + 1)), shape, axis) for first in range(0, cells + 1, step)]
    dyed = np.concatenate(reached)
    return (dyed[:-1] & ~dyed[-1]).T


def _reached(module: Module, dyed: range, shape: tuple[int, ...], axis: int) -> Tensor:
    """The outputs along the axis that a NaN in each of these cells reaches; the cell past the last one stays clean."""
    samples = _samples(module, len(dyed), shape)
    for sample, cell in zip(samples, dyed, strict=True):
        sample.swapaxes(0, axis + 1)[cell : cell + 1] = np.nan
    outputs = np.isnan(_output(module, samples)).swapaxes(1, axis + 2)
    reached: Tensor = np.any(outputs, axis=tuple(range(2, outputs.ndim)))
    return reached


def _pooling(module: Module) -> Module:
    """The layer whose windows they are: in a composite, whose other layers look at more than a window, the one that pools."""
    inner = [layer for layer in module.listModules() if "LocalImportancePooling" in type(layer).__name__]
    return inner[0] if inner else module


def _fix(module: Any) -> None:
    """Keeps the random windows that the layer has drawn, those of its first plane, or those that it draws next."""
    module.fixPoolingRegions()
    samples = getattr(module, "randomSamples", None)
    if samples is not None and samples.size:
        module.randomSamples = samples[:1, :1]


def _smallest(module: Module, size: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """The size with the other axes as short as the layer takes them: they do not move windows along this one."""
    for short in (1, 2, 4, 8, 16, 32, 64):
        shape = tuple(length if i == axis else min(length, short) for i, length in enumerate(size))
        try:
            if _output(module, _samples(module, 1, shape)).size:
                return shape
        except Exception:  # a class of the user's has its own ways to refuse
            continue
    _output(module, _samples(module, 1, size))  # or says why not
    return size


def _samples(module: Module, count: int, shape: tuple[int, ...]) -> Tensor:
    """Samples of as many planes as the layer wants, full of ones."""
    told = [getattr(layer, name, None) for layer in module.listModules() for name in ("nInputPlane", "inputFrameSize")]
    planes = next((number for number in told if number), 1)
    return np.ones((count, planes, *shape), module._inputDtype)


def _output(module: Any, samples: Tensor) -> Tensor:
    """Returns the layer's output for samples x planes x axes, in that layout."""
    names = _names(module)
    if "FeatureLPPooling" in names:
        module.batch_mode = True
        return module.forward(samples[:, 0])[:, None]
    isOld = isinstance(module, Sequences) and module._version == 1
    if any(name.startswith("Temporal") for name in names) and not isOld:  # frames come before features
        return module.forward(samples.swapaxes(1, 2)).swapaxes(1, 2)
    takesLogits = any(name.endswith("LocalImportancePooling") for name in names)
    result: Tensor = module.forward([samples, np.ones_like(samples)] if takesLogits else samples)
    return result


def _names(module: Module) -> list[str]:
    """The names of the module's class and of those that it extends."""
    return [base.__name__ for base in type(module).__mro__]
