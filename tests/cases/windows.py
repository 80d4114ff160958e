"""Where pooling windows lie: the definitions, cell by cell, that the cases of pooling layers are checked with."""

from __future__ import annotations

import numpy as np


def adaptive(size: int, count: int) -> list[range]:
    """Windows that share `size` cells."""
    return [range(o * size // count, -((o + 1) * size // -count)) for o in range(count)]


def fixed(size: int, kernel: int, stride: int, pad: int, ceil: bool) -> list[range]:
    """Windows of one size, in coordinates of the input; cells below 0 and from `size` on lie outside."""
    starts = []
    start = -pad
    while start < size:  # a window begins on the input or its near padding
        beyond = start + kernel - (size + pad)
        if beyond > 0 and not (ceil and beyond < stride):
            break
        starts.append(start)
        start += stride
    return [range(start, start + kernel) for start in starts]


def fractional(size: int, count: int, kernel: int, u: float) -> list[range]:
    """Windows of one size at distances that a number u in [0, 1) decides."""
    alpha = (size - kernel) / (count - 1) if count > 1 else 0.0
    starts = [int((o + u) * alpha) - int(u * alpha) for o in range(count - 1)] + [size - kernel]
    return [range(start, start + kernel) for start in starts]


def inside(window: range, size: int) -> slice:
    """The part of a window that lies on the input."""
    return slice(max(window.start, 0), min(window.stop, size))


def pool(x: np.ndarray, rows: list[range], columns: list[range], function) -> np.ndarray:
    """function(cells, row window, column window) of each pair of windows."""
    height, width = x.shape[-2:]
    return np.stack(
        [np.stack([function(x[..., inside(r, height), inside(c, width)], r, c) for c in columns], -1) for r in rows], -2
    )


def volume(x: np.ndarray, planes: list[range], rows: list[range], columns: list[range], function) -> np.ndarray:
    """function(cells) of each triple of windows that lie on the one plane x."""
    boxes = [[[x[p.start : p.stop, r.start : r.stop, c.start : c.stop] for c in columns] for r in rows] for p in planes]
    return np.array([[[function(cells) for cells in row] for row in plane] for plane in boxes])
