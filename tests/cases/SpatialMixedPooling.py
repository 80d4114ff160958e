"""Blends of maxima and means."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct
from tests.cases.SpatialMaxPooling import axes, backward_with_bad_index
from tests.cases.windows import pool


def reference(module, x):
    a = np.asarray(module.weight, np.float64)
    return pool(x, *axes(module, x), lambda cells, r, c: a * cells.max((-2, -1)) + (1 - a) * cells.mean((-2, -1)))


def case(name: str, arguments: tuple[int, ...], *shape: int, ceil: bool = False, **options) -> Case:
    def make():
        module = nn.SpatialMixedPooling(*arguments, **options)
        return module.ceil() if ceil else module

    return Case(name, make, distinct(*shape), reference)


CASES = [
    case("2x2", (2, 2), 2, 3, 4, 6),
    case("3x3_stride2_pad1_by_plane", (3, 3, 2, 2, 1, 1), 2, 3, 7, 6, nInputPlane=3),
    case("5x3_stride3x2_pad2x1", (5, 3, 3, 2, 2, 1), 1, 2, 9, 11),
    case("stride_beyond_kernel", (2, 1, 3, 4), 1, 2, 9, 8),
    case("ceil_by_plane", (2, 2), 1, 2, 5, 7, ceil=True, nInputPlane=2),
    case("ceil_pad", (3, 3, 2, 2, 1, 1), 1, 1, 6, 8, ceil=True),
    case("ceil_beyond_plane", (3, 3, 2, 2), 1, 2, 2, 2, ceil=True),
    case("ceil_beyond_padding", (4, 3, 3, 2, 1, 0), 2, 1, 2, 1, ceil=True),
    case("fixed", (3, 2, 1, 1), 2, 2, 5, 6, alpha=0.25, learn=False),
    case("whole_plane", (5, 4), 2, 3, 4, 5, nInputPlane=3),
]

ZEROS = np.zeros((1, 4, 4), "f")
ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialMixedPooling(2, 2), lambda m: m.forward(ZEROS[0]), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialMixedPooling(2, 2, nInputPlane=3), lambda m: m.forward(ZEROS), ShapeError,
             "weight: expected 1, got 3"),
    ErrorRow("padding_too_large", lambda: nn.SpatialMixedPooling(3, 3, 1, 1, 0, 2), lambda m: m.forward(ZEROS),
             ValueRangeError, "padH: expected 0 to 1, got 2"),
    ErrorRow("index_out_of_range", lambda: nn.SpatialMixedPooling(2, 2), backward_with_bad_index, IndexRangeError,
             "indices: expected 0 to 15, got 16"),
]  # fmt: skip
