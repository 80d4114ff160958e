"""Sizes of pictures: the interpolation of torch/image, along one axis after the other.

Positions and weights are of 32 bits in C, sums over pixels that shrink, too. They are here, so that the numbers are the same.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...tensors.tensor import Array

F32 = np.float32


def intermediate(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the type in which values of a picture are computed."""
    return dtype if dtype.kind == "f" else np.dtype(F32)


def stored(values: Array, dtype: np.dtype[Any]) -> Array:
    """Returns computed values as a picture holds them: bytes are rounded and cut to 0 to 255."""
    if dtype == np.uint8:
        return np.clip(values.astype(F32) + F32(0.5), 0, 255).astype(np.uint8)
    return values.astype(dtype, copy=False)


def _positions(size: int, count: int) -> tuple[Array, Array]:
    """Returns the pixel before each of the new ones, and how far beyond it the new one is. The last one is copied."""
    step = F32(size - 1) / F32(max(count - 1, 1))
    exact = np.arange(count, dtype=F32) * step
    before = exact.astype(np.int64)
    before[-1] = 0
    return np.minimum(before, size - 2), exact - exact.astype(np.int64).astype(F32)


def _grown(x: Array, count: int) -> Array:
    size = x.shape[-1]
    if size == 1:
        return np.repeat(x, count, -1)
    before, share = _positions(size, count)
    values = x.astype(intermediate(x.dtype), copy=False)
    result = stored((1 - share) * values[..., before] + share * values[..., before + 1], x.dtype)
    result[..., -1] = x[..., -1]
    return result


def _shrunk(x: Array, count: int) -> Array:
    """Returns the mean of the pixels that a new one covers, in parts, too."""
    size = x.shape[-1]
    end = np.arange(1, count + 1, dtype=F32) * (F32(size) / F32(count))
    stop = end.astype(np.int64)
    rest = end - stop.astype(F32)
    start, skipped = np.append(0, stop[:-1]), np.append(F32(0), rest[:-1])
    values = x.astype(intermediate(x.dtype), copy=False)

    def pixels(index: Array) -> Array:
        return values[..., np.minimum(index, size - 1)]

    total, weight = ((1 - skipped) * pixels(start)).astype(F32), 1 - skipped
    for i in range(1, int((stop - start).max(initial=1))):
        isCovered = start + i < stop
        total = np.where(isCovered, (total + pixels(start + i)).astype(F32), total)
        weight = np.where(isCovered, weight + 1, weight)
    isCut = stop < size
    total = np.where(isCut, (total + rest * pixels(stop)).astype(F32), total)
    return stored(total / np.where(isCut, weight + rest, weight), x.dtype)


def linear(x: Array, count: int) -> Array:
    """Returns the last axis in another length: interpolated if it grows, averaged if it shrinks."""
    if count == x.shape[-1]:
        return x
    return _grown(x, count) if count > x.shape[-1] else _shrunk(x, count)


def curve(p0: Array, p1: Array, p2: Array, p3: Array, share: Array) -> Array:
    """Returns the cubic curve through p1 and p2."""
    share = share.astype(p1.dtype)
    inner = (p2 - p0) + share * ((2 * p0 - 5 * p1 + 4 * p2 - p3) + share * (3 * (p1 - p2) + p3 - p0))
    return (p1 + 0.5 * share.astype(np.float64) * inner).astype(p1.dtype)


def cubic(x: Array, count: int) -> Array:
    """Returns the last axis in another length, by cubic curves."""
    size = x.shape[-1]
    if count == size:
        return x
    if size == 1:
        return np.repeat(x, count, -1)
    before, share = _positions(size, count)
    values = x.astype(intermediate(x.dtype), copy=False)
    p1, p2 = values[..., before], values[..., before + 1]
    p0 = np.where(before > 0, values[..., np.maximum(before - 1, 0)], 2 * p1 - p2)
    p3 = np.where(before + 2 < size, values[..., np.minimum(before + 2, size - 1)], 2 * p2 - p1)
    result = stored(curve(p0, p1, p2, p3, share), x.dtype)
    result[..., -1] = x[..., -1]
    return result


def _nearest(x: Array, count: int) -> Array:
    size = x.shape[-1]
    index = (np.arange(count, dtype=F32) * (F32(size) / F32(count))).astype(np.int64)
    return x[..., np.minimum(index, size - 1)].astype(F32).astype(x.dtype)


MODES = {"bilinear": linear, "bicubic": cubic, "simple": _nearest}


def scaled(x: Array, height: int, width: int, mode: str) -> Array:
    """Returns a picture, (..., height, width), in another size.

    Parameters
    ----------
    x : ndarray
        The picture.
    height, width : int
        The new size.
    mode : {"bilinear", "bicubic", "simple"}
        The interpolation.
    """
    along = MODES[mode]
    return np.swapaxes(along(np.swapaxes(along(x, width), -1, -2), height), -1, -2)


def size_of_text(text: str, height: int, width: int) -> tuple[float, float] | None:
    """Returns the new height and width that a text asks for: ``MAX``, ``WxH``, ``^MIN``, ``*A/B`` or ``*SCALE``."""
    try:
        return _by_side(float(text), max(height, width), height, width)
    except ValueError:
        pass
    if found := re.search(r"(\d+)x(\d+)", text):
        return float(found[2]), float(found[1])
    if found := re.search(r"\^(\d+)", text):
        return _by_side(float(found[1]), min(height, width), height, width)
    if found := re.search(r"\*(\d+)/(\d+)", text):
        a, b = float(found[1]), float(found[2])
        return height * a / b, width * a / b
    try:
        return height * float(text.partition("*")[2]), width * float(text.partition("*")[2])
    except ValueError:
        return None


def _by_side(wanted: float, side: int, height: int, width: int) -> tuple[float, float]:
    return height * wanted / side, width * wanted / side
