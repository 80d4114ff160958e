"""Planes less the mean around each cell."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

KERNEL = np.array([[1, 2, 1, 0, 1], [2, 4, 3, 1, 0.5], [1, 2, 0.5, 2, 3]])
VECTOR = np.array([0.5, 1, 2])


def sums_around(x, kernel):
    """Sums over all planes of weight times neighbour, cell by cell; the kernel is centred on the cell."""
    kernel = np.outer(kernel, kernel) if kernel.ndim == 1 else kernel
    height, width = x.shape[-2:]
    total = np.zeros((*x.shape[:-3], 1, height, width))
    for h, w in np.ndindex(height, width):
        for (i, j), weight in np.ndenumerate(kernel):
            row, column = h + i - kernel.shape[0] // 2, w + j - kernel.shape[1] // 2
            if 0 <= row < height and 0 <= column < width:
                total[..., 0, h, w] += weight * x[..., row, column].sum(-1)
    return total


def less_mean(x, kernel):
    return x - sums_around(x, kernel) / sums_around(np.ones_like(x), kernel)


def reference(module, x):
    return less_mean(x, np.asarray(module.kernel, np.float64))


def case(name: str, planes: int, kernel: np.ndarray | None, height: int, width: int) -> Case:
    make = lambda: nn.SpatialSubtractiveNormalization(planes, kernel)  # noqa: E731
    return Case(name, make, normal(2, planes, height, width), reference)


CASES = [
    case("default", 1, None, 5, 6),
    case("kernel", 2, KERNEL, 4, 5),
    case("vector", 3, VECTOR, 4, 3),
    case("larger_than_planes", 2, np.ones((5, 7)), 2, 3),
    case("one_cell", 2, KERNEL, 1, 1),
]

ERRORS = [
    ErrorRow("planes", lambda: nn.SpatialSubtractiveNormalization(2), lambda m: m.forward(np.zeros((3, 4, 4), "f")),
             ShapeError, "input: expected 2 planes, got 3 x 4 x 4"),
    ErrorRow("rank", lambda: nn.SpatialSubtractiveNormalization(), lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError,
             "input: expected a 3-D or 4-D array, got 2-D"),
    ErrorRow("even", lambda: None, lambda _: nn.SpatialSubtractiveNormalization(1, np.ones((3, 2))), ValueRangeError,
             "kernel: expected odd sizes, got 3 x 2"),
    ErrorRow("kernel", lambda: None, lambda _: nn.SpatialSubtractiveNormalization(1, np.ones((3, 3, 3))), ShapeError,
             "kernel: expected a 1-D or 2-D array of numbers, got a float64 array of 3 x 3 x 3"),
]  # fmt: skip
