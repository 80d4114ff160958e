"""Pictures whose pixels move: rotation, polar coordinates, and flow fields.

A function computes for each pixel of the result the position of its source. Positions are of 32 bits, as in torch/image.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...tensors.tensor import Array
from .scaling import F32, curve, intermediate, stored

_LANCZOS = 3  # pixels to each side
_PI = F32(math.pi)


def _picked(x: Array, rows: Array, columns: Array) -> Array:
    """Returns pixels of (channels, height, width); positions outside are those of the border."""
    rows, columns = np.clip(rows, 0, x.shape[1] - 1), np.clip(columns, 0, x.shape[2] - 1)
    return x[:, rows, columns]


def _is_inside(x: Array, rows: Array, columns: Array) -> Array:
    inside: Array = (rows >= 0) & (rows < x.shape[1]) & (columns >= 0) & (columns < x.shape[2])
    return inside


def _mixed(x: Array, rows: tuple[Array, Array], columns: tuple[Array, Array], shares: tuple[Array, Array]) -> Array:
    """Returns the mean of four neighbours, as C computes it: in double precision but for the product of two shares."""
    x = x.astype(intermediate(x.dtype), copy=False)
    b, a = shares
    wide, high = 1.0 - a.astype(np.float64), 1.0 - b.astype(np.float64)
    found = wide * high * _picked(x, rows[0], columns[0])
    found = found + a * high * _picked(x, rows[0], columns[1])
    found = found + wide * b * _picked(x, rows[1], columns[0])
    return (found + a * b * _picked(x, rows[1], columns[1])).astype(F32)


def rotated(x: Array, angle: float, mode: str) -> Array:
    """Returns a picture that is rotated around its middle. Corners are 0."""
    height, width = x.shape[1:]
    theta, middle = float(F32(angle)), (F32((height - 1) / 2.0), F32((width - 1) / 2.0))
    down = (np.arange(height, dtype=F32) - middle[0])[:, None]
    right = np.arange(width, dtype=F32) - middle[1]
    if mode == "simple":
        cos, sin = F32(math.cos(theta)), F32(math.sin(theta))
        columns = _rounded(cos * right - sin * down + middle[1])
        rows = _rounded(cos * down + sin * right + middle[0])
        found = np.where(_is_inside(x, rows, columns), _picked(x, rows, columns), 0).astype(F32)
        return stored(found, x.dtype)
    kind, right, down = intermediate(x.dtype), right.astype(np.float64), down.astype(np.float64)
    column = (math.cos(theta) * right - math.sin(theta) * down).astype(kind) + middle[1]
    row = (math.cos(theta) * down + math.sin(theta) * right).astype(kind) + middle[0]
    across, share, isWithin = _neighbours(column, width)
    along, shareDown, isHigh = _neighbours(row, height)
    found = _mixed(x, along, across, (shareDown, share))
    return stored(np.where(isWithin & isHigh, found, F32(0)), x.dtype)


def _rounded(x: Array) -> Array:
    """Returns positions as the C function round gives them."""
    wide = x.astype(np.float64)
    return np.trunc(wide + np.copysign(0.5, wide)).astype(np.int64)


def _neighbours(position: Array, size: int) -> tuple[tuple[Array, Array], Array, Array]:
    """Returns the pixels before and after positions, the share of the second, and where both are inside.

    Half a pixel beyond the border counts as the border.
    """
    before = np.floor(position).astype(np.int64)
    share = position - before.astype(position.dtype)
    isAtEnd, isAtStart = (before + 1 == size) & (share < 0.5), (before == -1) & (share > 0.5)
    isInside = ((before + 1 < size) | isAtEnd) & ((before >= 0) | isAtStart)
    return (np.where(isAtStart, 0, before), np.where(isAtEnd, before, before + 1)), share, isInside


def polar(x: Array, height: int, width: int, mode: str, isFull: bool, isLogarithmic: bool) -> Array:
    """Returns a picture in polar coordinates: rows are angles, columns radii."""
    middle = F32(x.shape[1] / 2.0), F32(x.shape[2] / 2.0)
    radius = middle[1] if x.shape[2] < x.shape[1] else middle[0]
    if isFull:
        radius = F32(math.hypot(x.shape[1], x.shape[2]) / 2.0)
    angles = (2 * math.pi * np.arange(height) / height).astype(F32).astype(np.float64)[:, None]
    steps = np.arange(width, dtype=F32)
    if isLogarithmic:
        radii = np.exp((steps * F32(math.log(radius) / width)).astype(np.float64)).astype(F32)
    else:
        radii = radius * steps / F32(width)
    row, column = radii * np.cos(angles) + middle[0], -radii * np.sin(angles) + middle[1]
    if mode == "bilinear":
        row, column = row.astype(intermediate(x.dtype)), column.astype(intermediate(x.dtype))
    rows, columns = np.floor(row).astype(np.int64), np.floor(column).astype(np.int64)
    found = np.where(_is_inside(x, rows, columns), _picked(x, rows, columns), 0).astype(F32)
    if mode == "bilinear":
        shares = row - rows.astype(row.dtype), column - columns.astype(column.dtype)
        isBetween = _is_inside(x, rows, columns) & _is_inside(x, rows + 1, columns + 1)
        found = np.where(isBetween, _mixed(x, (rows, rows + 1), (columns, columns + 1), shares), found)
    return stored(found, x.dtype)


def warped(x: Array, field: Array, mode: str, isOffset: bool, pad: float | None) -> Array:
    """Returns a picture whose pixels come from where a field says.

    Parameters
    ----------
    x : ndarray
        (channels, height, width).
    field : ndarray
        (2, height, width): row and column of the source of each pixel.
    mode : {"simple", "bilinear", "bicubic", "lanczos"}
        The interpolation.
    isOffset : bool
        True if the field counts from the pixel itself.
    pad : float or None
        The value of sources outside of the picture. None: the nearest pixel.
    """
    row, column = field[0].astype(F32), field[1].astype(F32)
    if isOffset:
        row = np.arange(row.shape[0], dtype=F32)[:, None] + row
        column = np.arange(row.shape[1], dtype=F32) + column
    height, width = x.shape[1:]
    isOutside = (row < 0) | (row > height - 1) | (column < 0) | (column > width - 1)
    row, column = np.clip(row, 0, F32(height - 1)), np.clip(column, 0, F32(width - 1))
    found = _WARPS[mode](x, row, column, pad or 0.0)
    return found if pad is None else np.where(isOutside, np.asarray(pad).astype(x.dtype), found)


def _warp_nearest(x: Array, row: Array, column: Array, pad: float) -> Array:
    return _picked(x, *(np.floor(one.astype(np.float64) + 0.5).astype(np.int64) for one in (row, column)))


def _warp_linear(x: Array, row: Array, column: Array, pad: float) -> Array:
    rows, columns = np.floor(row).astype(np.int64), np.floor(column).astype(np.int64)
    down, right = row - rows.astype(F32), column - columns.astype(F32)
    up, left = (rows + 1).astype(F32) - row, (columns + 1).astype(F32) - column
    values = x.astype(intermediate(x.dtype), copy=False)
    found = _picked(values, rows, columns) * (left * up) + _picked(values, rows, columns + 1) * (right * up)
    found = found + _picked(values, rows + 1, columns) * (left * down)
    return stored(found + _picked(values, rows + 1, columns + 1) * (right * down), x.dtype)


def _warp_cubic(x: Array, row: Array, column: Array, pad: float) -> Array:
    rows, columns = np.floor(row).astype(np.int64), np.floor(column).astype(np.int64)
    down, right = row - rows.astype(F32), column - columns.astype(F32)
    kind = intermediate(x.dtype)

    def pixels(i: int, j: int) -> Array:
        isInside = _is_inside(x, rows + i, columns + j)
        return np.where(isInside, _picked(x, rows + i, columns + j), pad).astype(kind)

    def along(i: int) -> Array:
        return curve(pixels(i, -1), pixels(i, 0), pixels(i, 1), pixels(i, 2), right)

    return stored(curve(along(-1), along(0), along(1), along(2), down), x.dtype)


def _lanczos(position: Array, first: Array) -> list[Array]:
    """Returns the weights of the pixels around positions."""
    weights = []
    for i in range(1 - _LANCZOS, _LANCZOS + 1):
        distance = np.abs(position - (first + i).astype(F32))
        wide, near = (_PI * distance).astype(np.float64), (_PI * distance / F32(_LANCZOS)).astype(np.float64)
        square = np.maximum(F32(math.pi * math.pi) * distance * distance, F32(1e-30))
        weight = (_LANCZOS * np.sin(wide) * np.sin(near) / square).astype(F32)
        weights.append(np.where(distance < F32(1e-6), F32(1), np.where(distance > _LANCZOS, F32(0), weight)))
    return weights


def _warp_lanczos(x: Array, row: Array, column: Array, pad: float) -> Array:
    rows, columns = np.floor(row).astype(np.int64), np.floor(column).astype(np.int64)
    down, right = _lanczos(row, rows), _lanczos(column, columns)
    values = x.astype(intermediate(x.dtype), copy=False)
    found, total = np.zeros((len(x), *row.shape), values.dtype), np.zeros_like(row)
    for i, a in enumerate(right, 1 - _LANCZOS):
        for j, b in enumerate(down, 1 - _LANCZOS):
            found = found + _picked(values, rows + j, columns + i) * (a * b)
            total = total + a * b
    return stored(found / total, x.dtype)


_WARPS: dict[str, Any] = {
    "simple": _warp_nearest,
    "bilinear": _warp_linear,
    "bicubic": _warp_cubic,
    "lanczos": _warp_lanczos,
}
WARPS = tuple(_WARPS)


def affine_field(height: int, width: int, matrix: Array, shift: Array) -> Array:
    """Returns the field of an affine transformation around the middle, of (row, column)."""
    grid = np.empty((2, height, width))
    grid[0] = (np.linspace(-1, 1, height) * -((height - 1) / 2))[:, None]
    grid[1] = np.linspace(-1, 1, width) * -((width - 1) / 2)
    field = grid - (matrix.astype(np.float64) @ grid.reshape(2, -1)).reshape(grid.shape)
    return field - shift.astype(np.float64)[:, None, None]
