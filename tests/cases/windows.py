"""The cells of pooling windows: the definitions, cell by cell, for the cases of pooling layers."""

from __future__ import annotations

import numpy as np

from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import ErrorRow


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
    free, gaps = size - kernel, max(count - 1, 1)
    starts = [int((o + u) * free / gaps) - int(u * free / gaps) for o in range(count - 1)] + [free]
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


def pool_all(x: np.ndarray, windows: list[list[range]], function) -> np.ndarray:
    """function(cells) of every product of windows along the last axes, where cells keeps the leading axes."""
    dims = len(windows)
    y = np.empty((*x.shape[:-dims], *map(len, windows)))
    for o in np.ndindex(*y.shape[-dims:]):
        cells = tuple(inside(w[i], size) for w, i, size in zip(windows, o, x.shape[-dims:], strict=True))
        y[(..., *o)] = function(x[(..., *cells)])
    return y


def sliding(module, x: np.ndarray) -> list[list[range]]:
    """The windows of a windowed pooling module, along the axes T, H, W that it has."""
    axes = [axis for axis in "THW" if axis in module._axes]
    return [
        fixed(size, getattr(module, "k" + a), getattr(module, "d" + a), getattr(module, "pad" + a), module.ceil_mode)
        for a, size in zip(axes, x.shape[-len(axes) :], strict=True)
    ]


def dilated(size: int, kernel: int, stride: int, pad: int, dilation: int, ceil: bool) -> list[list[int]]:
    """Cells on the input of windows whose cells lie `dilation` apart."""
    reach = (kernel - 1) * dilation + 1
    return [[i for i in w[::dilation] if 0 <= i < size] for w in fixed(size, reach, stride, pad, ceil)]


def shared(module, x: np.ndarray) -> list[list[range]]:
    """The windows of an adaptive pooling module."""
    axes = [axis for axis in "THW" if axis in module._axes]
    return [adaptive(size, getattr(module, a) or size) for a, size in zip(axes, x.shape[-len(axes) :], strict=True)]


def over(dims: int, function):
    """function over the last `dims` axes, for pool_all."""
    return lambda cells: function(cells, tuple(range(-dims, 0)))


def turned(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of sequences, frame by frame, for one with the frames last."""
    return (*shape[:-2], shape[-1], shape[-2])


def of_frames(function):
    """A reference for sequences, frame by frame, made of one that pools the last dimension."""
    return lambda module, x: np.swapaxes(function(module, np.swapaxes(x, -1, -2)), -1, -2)


def usual_errors(make, shape: tuple[int, ...], layout: str, indexed: bool = False) -> list[ErrorRow]:
    """The errors that all pooling layers raise; `shape` is that of a single sample."""
    x = np.zeros(shape, "f")

    def backward(module, gradOutput):
        module.forward(x)
        module.backward(x, gradOutput)

    def backward_with_bad_index(module):
        gradOutput = np.ones_like(module.forward(x))
        module.indices.flat[0] = x[0].size if x.ndim > 2 else x.size
        module.backward(x, gradOutput)

    rows = [
        ErrorRow("rank", make, lambda m: m.forward(np.zeros((2,) * 6, "f")), ShapeError, f"input: expected {layout}, got 6-D"),
        ErrorRow("dtype", make, lambda m: m.forward(x.astype("d")), DtypeError, "expected float32, got float64"),
        ErrorRow("no_cells", make, lambda m: m.forward(x[..., :0]), ValueRangeError, r"input \w+: expected 1 or more, got 0"),
        ErrorRow("gradOutput", make, lambda m: backward(m, np.zeros((9, *shape[1:]), "f")), ShapeError, "gradOutput: expected"),
    ]
    if indexed:
        rows.append(ErrorRow("index", make, backward_with_bad_index, IndexRangeError, r"indices: expected 0 to \d+, got \d+"))
    return rows


def volume(x: np.ndarray, planes: list[range], rows: list[range], columns: list[range], function) -> np.ndarray:
    """function(cells) of each triple of windows that lie on the one plane x."""
    boxes = [[[x[p.start : p.stop, r.start : r.stop, c.start : c.stop] for c in columns] for r in rows] for p in planes]
    return np.array([[[function(cells) for cells in row] for row in plane] for plane in boxes])
