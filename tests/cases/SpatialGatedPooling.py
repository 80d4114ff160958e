"""Blends of maxima and means in a proportion that windows decide on."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct
from tests.cases.SpatialMaxPooling import axes, backward_with_bad_index
from tests.cases.windows import pool


def reference(module, x):
    mask = np.asarray(module.weight, np.float64)
    height, width = x.shape[-2:]

    def gated(cells, r, c):
        seen = mask[:, [0 <= i < height for i in r]][..., [0 <= i < width for i in c]]
        gate = 1 / (1 + np.exp(-(seen * cells).sum((-2, -1))))
        return gate * cells.max((-2, -1)) + (1 - gate) * cells.mean((-2, -1))

    return pool(x, *axes(module, x), gated)


def case(name: str, arguments: tuple[int, ...], *shape: int, ceil: bool = False, **options) -> Case:
    def make():
        module = nn.SpatialGatedPooling(*arguments)
        return module.ceil() if ceil else module

    return Case(name, make, distinct(*shape), reference, **options)


CASES = [
    case("2x2", (2, 2), 2, 3, 4, 6),
    case("3x3_stride2_pad1_by_plane", (3, 3, 2, 2, 1, 1, 3), 2, 3, 7, 6),
    case("5x3_stride3x2_pad2x1", (5, 3, 3, 2, 2, 1), 1, 2, 9, 11),
    case("stride_beyond_kernel", (2, 1, 3, 4), 1, 2, 9, 8),
    case("ceil_by_plane", (2, 2, 2, 2, 0, 0, 2), 1, 2, 5, 7, ceil=True),
    case("ceil_pad", (3, 3, 2, 2, 1, 1), 1, 1, 6, 8, ceil=True),
    case("ceil_beyond_plane", (3, 3, 2, 2), 1, 2, 2, 2, ceil=True),
    case("ceil_beyond_padding", (4, 3, 3, 2, 1, 0), 2, 1, 2, 1, ceil=True),
    case("stride1", (3, 2, 1, 1), 2, 2, 5, 6),
    case("whole_plane", (5, 4, 1, 1, 0, 0, 3), 2, 3, 4, 5),
    case("2x3_stride1", (2, 3, 1, 1), 2, 2, 5, 9),
    case("3x2_stride1_pad1", (3, 2, 1, 1, 1, 1), 2, 2, 4, 9),
    case("5x2_stride1_pad2", (5, 2, 1, 1, 2, 1), 2, 2, 4, 11),
    case("5x2_stride2_pad2", (5, 2, 2, 1, 2, 1), 2, 2, 4, 11),
]

ZEROS = np.zeros((1, 4, 4), "f")
ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialGatedPooling(2, 2), lambda m: m.forward(ZEROS[0]), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialGatedPooling(2, 2, nInputPlane=3), lambda m: m.forward(ZEROS), ShapeError,
             "weight: expected 1 x 2 x 2, got 3 x 2 x 2"),
    ErrorRow("kernel_zero", lambda: nn.SpatialGatedPooling(2, 2), lambda m: nn.SpatialGatedPooling(0, 2),
             ValueRangeError, "kW: expected 1 or more, got 0"),
    ErrorRow("backward_before_forward", lambda: nn.SpatialGatedPooling(2, 2),
             lambda m: m.backward(ZEROS, np.zeros((1, 2, 2), "f")), ShapeError, "output: expected 1 x 2 x 2"),
    ErrorRow("index_out_of_range", lambda: nn.SpatialGatedPooling(2, 2), backward_with_bad_index, IndexRangeError,
             "indices: expected 0 to 15, got 16"),
]  # fmt: skip
