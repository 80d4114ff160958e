"""Indices of max pooling as Torch7 stored them, and as they are here.

Here an index is the position of a cell within its plane, row-major and counted from 0; -1 means no
cell. Torch7 had four kinds:

===================================================== ==========================================================
nn.SpatialAdaptiveMaxPooling                          two planes of indices, 2 x (N x) C x oH x oW: row and column
                                                      within the window, counted from 1
nn.VolumetricMaxPooling, VolumetricDilatedMaxPooling  steps within the window, padding included, along t, h, w:
                                                      the three low bytes of an index, counted from 0
nn.TemporalMaxPooling                                 frame within the window, counted from 0; -1 as here
all others                                            position counted from 1
===================================================== ==========================================================

Layers make their indices anew in each forward pass, so that loading a model needs none of this. It is for indices that
were saved for their own sake, or that go to a Torch7 program.

Examples
--------
>>> import numpy as np
>>> from pytorch_legacy import nn
>>> from pytorch_legacy.nn.pooling.indices import fromTorch7, toTorch7
>>> pool = nn.SpatialAdaptiveMaxPooling(2, 1)
>>> flat = np.array([[[4, 2]]])  # in a plane of 2 x 3, whose windows are the columns 0 and 1, and 1 and 2
>>> toTorch7(pool, flat, (2, 3))[:, 0, 0].tolist()
[[2, 1], [2, 2]]
>>> fromTorch7(pool, toTorch7(pool, flat, (2, 3)), (2, 3))
array([[[4, 2]]])
"""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, are_whole
from pytorch_legacy.errors import IndexRangeError, ShapeError, ValueRangeError
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described

_PACKED = ("VolumetricMaxPooling", "VolumetricDilatedMaxPooling")


def fromTorch7(module: Module, indices: Tensor, size: tuple[int, ...]) -> Tensor:
    """Torch7's indices of a pooling layer as positions within planes.

    Parameters
    ----------
    module : Module
        The pooling layer that they belong to, or an unpooling layer that is associated to it.
    indices : array
        Of any integer or floating-point type: old GPU models kept them in tensors of floats.
    size : tuple of int
        Shape of the pooling layer's input; only the sizes of its planes count.

    Returns
    -------
    int64 array
        In the shape of the layer's output.
    """
    kind, module = _kind(module)
    indices = np.asarray(indices)
    if (wrong := indices[~are_whole(indices, -1, np.int64)]).size:
        raise ValueRangeError(f"{module._typename}: indices: expected whole numbers, got {wrong[0]}")
    indices = indices.astype(np.int64)
    if kind == "adaptive":
        if indices.ndim not in (4, 5) or len(indices) != 2:
            raise ShapeError(f"{module._typename}: indices: expected 2 x (N x) C x oH x oW, got {described(indices)}")
        top, left = _adaptiveStarts(indices.shape, size)
        return _flat((top + indices[0] - 1, left + indices[1] - 1), size)
    if kind == "packed":
        steps = [indices >> 8 * byte & 255 for byte in range(3)]
        starts = _slidingStarts(module, indices.shape)
        dilation = [getattr(module, f"dilation{axis}", 1) for axis in "THW"]
        return _flat(tuple(start + d * step for start, d, step in zip(starts, dilation, steps, strict=True)), size)
    if kind == "frames":
        features = indices.shape[-1]
        flat = (indices + _frameStarts(module, indices.shape)) * features + np.arange(features)
        return np.where(indices < 0, -1, flat)
    indices -= 1  # the copy
    return indices


def toTorch7(module: Module, indices: Tensor, size: tuple[int, ...]) -> Tensor:
    """Positions within planes as Torch7's indices: the inverse of `fromTorch7`.

    Where there is no cell (-1), which Torch7 knew in temporal layers only, the result is 0, or the window's first cell.
    """
    kind, module = _kind(module)
    if kind == "frames":
        return np.where(indices < 0, -1, indices // indices.shape[-1] - _frameStarts(module, indices.shape))
    if kind == "positions":
        return indices + 1
    dims = 2 if kind == "adaptive" else 3
    outside = indices[indices >= np.prod(size[-dims:], dtype=np.int64)]
    if outside.size:
        plane = " x ".join(map(str, size[-dims:]))
        raise IndexRangeError(f"{module._typename}: indices: expected cells of a plane of {plane}, got {outside[0]}")
    cells = np.unravel_index(np.maximum(indices, 0), size[-dims:])
    if kind == "adaptive":
        starts = _adaptiveStarts(indices.shape, size)
        found = [np.where(indices < 0, 1, cell - start + 1) for cell, start in zip(cells, starts, strict=True)]
        return np.stack(found)
    packed = np.zeros_like(indices)
    for byte, (axis, cell, start) in enumerate(zip("THW", cells, _slidingStarts(module, indices.shape), strict=True)):
        step = np.where(indices < 0, 0, (cell - start) // getattr(module, f"dilation{axis}", 1))
        if step.size and not 0 <= step.min() <= step.max() <= 255:
            raise IndexRangeError(
                f"{module._typename}: indices: a window of more than 256 cells, or an index outside of its window"
            )
        packed |= step << 8 * byte
    return packed


def _kind(module: Module) -> tuple[str, Any]:
    """The kind of a layer's indices in Torch7, and the pooling layer that made them."""
    module = getattr(module, "pooling", module)
    name = module._typename.rpartition(".")[2]
    if name == "SpatialAdaptiveMaxPooling":
        return "adaptive", module
    return "packed" if name in _PACKED else "frames" if name == "TemporalMaxPooling" else "positions", module


def _adaptiveStarts(shape: tuple[int, ...], size: tuple[int, ...]) -> list[Tensor]:
    """First rows and columns of windows; exact ones. Those of Torch7 differed at some sizes (13 to 13, 21 to 7)."""
    along = [np.arange(out) * cells // out for out, cells in zip(shape[-2:], size[-2:], strict=True)]
    return [along[0][:, None], along[1]]


def _frameStarts(module: Any, shape: tuple[int, ...]) -> Tensor:
    """First frames of windows."""
    return np.arange(shape[-2])[:, None] * module.dW


def _slidingStarts(module: Any, shape: tuple[int, ...]) -> list[Tensor]:
    """Returns the first cell of the windows along t, h and w, which is before the input if there is padding."""
    starts = []
    for d, (axis, out) in enumerate(zip("THW", shape[-3:], strict=True)):
        start = np.arange(out) * getattr(module, f"d{axis}") - getattr(module, f"pad{axis}", 0)
        starts.append(start.reshape(-1, *(1,) * (2 - d)))
    return starts


def _flat(cells: tuple[Tensor, ...], size: tuple[int, ...]) -> Tensor:
    """Positions of cells within planes. Unlike NumPy's function it lets cells outside of a plane pass."""
    flat: Tensor = cells[0]
    for cell, length in zip(cells[1:], size[-len(cells) + 1 :], strict=True):
        flat = flat * length + cell
    return flat
