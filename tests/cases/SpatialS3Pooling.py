"""Maxima at random rows and columns, and their means."""

from itertools import combinations

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct
from tests.cases.windows import pool


def maxima(x, p: int):
    """The largest of the p x p cells from each one on."""
    windows = [[range(i, i + p) for i in range(size)] for size in x.shape[-2:]]
    return pool(x, *windows, lambda cells, r, c: cells.max((-2, -1)))


def expectation(size: int, p: int, grid: int) -> np.ndarray:
    """The probability that an output takes each cell, over all choices."""
    rows = []
    for start in range(0, size, grid):
        cell = range(start, min(start + grid, size))
        choices = np.array(list(combinations(cell, len(cell) // p)))
        rows += [np.bincount(places, minlength=size) / len(places) for places in choices.T]
    return np.array(rows)


def reference(module, x):
    largest = maxima(x, module.p)
    if module.train:
        return largest[..., module.rows, :][..., module.columns]
    rows, columns = (expectation(x.shape[d], module.p, g) for d, g in ((-2, module.gridH), (-1, module.gridW)))
    return rows @ largest @ columns.T


def case(name: str, arguments: tuple[int, int, int], *shape: int, train: bool) -> Case:
    def make():
        module = nn.SpatialS3Pooling(*arguments)
        module.training() if train else module.evaluate()
        return module

    return Case(f"{name}_{'training' if train else 'evaluation'}", make, distinct(*shape), reference)


CASES = [
    case(name, arguments, *shape, train=train)
    for train in (True, False)
    for name, arguments, shape in [
        ("grid_of_pool", (2, 2, 2), (2, 3, 4, 6)),
        ("does_not_divide", (2, 2, 4), (2, 2, 7, 5)),
        ("3_of_6x9", (3, 6, 9), (2, 1, 10, 11)),
        ("one_cell", (2, 8, 8), (1, 2, 6, 7)),
        ("subsampling", (1, 3, 2), (2, 2, 4, 5)),
        ("whole_plane", (4, 4, 4), (1, 3, 4, 4)),
    ]
]


def backward_with_bad_index(module):
    x = np.ones((1, 4, 4), "f")
    y = module.forward(x)
    module.indices[0, 1, 1] = 16
    module.backward(x, np.ones_like(y))


def forward_with_row(module):
    module.rows, module.columns = np.array([0, -1]), np.array([0, 2])
    module.fixPoolingRegions().forward(np.ones((1, 4, 4), "f"))


ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialS3Pooling(2, 2, 2), lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D \(4 x 4\)"),
    ErrorRow("too_small", lambda: nn.SpatialS3Pooling(3, 3, 3), lambda m: m.forward(np.zeros((1, 4, 2), "f")), ShapeError,
             "input: expected planes of at least 3 x 3, got 1 x 4 x 2"),
    ErrorRow("pool_zero", lambda: nn.SpatialS3Pooling(0, 2, 2), lambda m: m.forward(np.zeros((1, 4, 4), "f")), ValueRangeError,
             r"pool: expected 1 or more, got 0"),
    ErrorRow("grid_below_pool", lambda: nn.SpatialS3Pooling(3, 2, 3), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ValueRangeError, r"gridW: expected 3 or more, got 2"),
    ErrorRow("grid_no_multiple", lambda: nn.SpatialS3Pooling(2, 2, 5), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ValueRangeError, "gridH: expected a multiple of 2, got 5"),
    ErrorRow("dtype", lambda: nn.SpatialS3Pooling(2, 2, 2), lambda m: m.forward(np.zeros((1, 4, 4))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("backward_before_forward", lambda: nn.SpatialS3Pooling(2, 2, 2),
             lambda m: m.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 2, 2), "f")), ShapeError, "indices: expected 1 x 2"),
    ErrorRow("index_out_of_range", lambda: nn.SpatialS3Pooling(2, 2, 2), backward_with_bad_index, IndexRangeError,
             r"indices: expected 0 to 15, got 16"),
    ErrorRow("row_out_of_range", lambda: nn.SpatialS3Pooling(2, 2, 2), forward_with_row, IndexRangeError,
             r"rows: expected 0 to 3, got -1"),
]  # fmt: skip
