"""Means over windows of one size."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialMaxPooling import axes
from tests.cases.windows import pool


def reference(module, x):
    height, width = x.shape[-2:]

    def mean(cells, r, c):
        count = cells.shape[-2] * cells.shape[-1]
        if module.count_include_pad:
            count = (min(r.stop, height + module.padH) - r.start) * (min(c.stop, width + module.padW) - c.start)
        factor = 1 if module.divide else module.kW * module.kH
        return factor * cells.sum((-2, -1)) / count

    return pool(x, *axes(module, x), mean)


def case(name: str, arguments: tuple[int, ...], *shape: int, **options: bool) -> Case:
    def make():
        module = nn.SpatialAveragePooling(*arguments)
        for option, value in options.items():
            setattr(module, option, value)
        return module

    return Case(name, make, normal(*shape), reference)


CASES = [
    case("2x2_stride1", (2, 2), 2, 2, 4, 5),
    case("2x2_stride2", (2, 2, 2, 2), 2, 2, 5, 7),
    case("3x3_stride2_pad1", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6),
    case("3x3_stride2_pad1_exclude", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6, count_include_pad=False),
    case("5x3_stride3x2_pad2x1", (5, 3, 3, 2, 2, 1), 1, 2, 9, 11),
    case("stride_beyond_kernel", (2, 1, 3, 4), 1, 2, 9, 8),
    case("ceil", (2, 2, 2, 2), 1, 2, 5, 7, ceil_mode=True),
    case("ceil_pad", (3, 3, 2, 2, 1, 1), 1, 1, 6, 8, ceil_mode=True),
    case("ceil_pad_exclude", (3, 3, 2, 2, 1, 1), 1, 1, 6, 8, ceil_mode=True, count_include_pad=False),
    case("ceil_beyond_plane", (3, 3, 2, 2), 1, 2, 2, 2, ceil_mode=True),
    case("ceil_beyond_padding", (4, 3, 3, 2, 1, 0), 2, 1, 2, 1, ceil_mode=True),
    case("ceil_beyond_padding_exclude", (4, 3, 3, 2, 1, 0), 2, 1, 2, 1, ceil_mode=True, count_include_pad=False),
    case("sum", (3, 2, 2, 2, 1, 1), 1, 2, 5, 6, divide=False),
    case("whole_plane", (5, 4), 2, 3, 4, 5),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialAveragePooling(2, 2), lambda m: m.forward(np.zeros((1, 1, 1, 4, 4), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 5-D"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialAveragePooling(2, 5), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ShapeError, r"input height 4 with padding 0, kH 5"),
    ErrorRow("padding_negative", lambda: nn.SpatialAveragePooling(3, 3, 1, 1, -1, 0),
             lambda m: m.forward(np.zeros((1, 4, 4), "f")), ValueRangeError, r"padW: expected 0 or more, got -1"),
    ErrorRow("kernel_not_an_integer", lambda: None, lambda _: nn.SpatialAveragePooling("2", 2), ArgumentError,
             r"kW: expected an integer, got '2'"),
    ErrorRow("dtype", lambda: nn.SpatialAveragePooling(2, 2), lambda m: m.forward(np.zeros((1, 4, 4), int)), DtypeError,
             "expected float32, got int64"),
    ErrorRow("gradOutput", lambda: nn.SpatialAveragePooling(2, 2),
             lambda m: m.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 3, 2), "f")), ShapeError,
             r"gradOutput: expected 1 x 3 x 3, got 1 x 3 x 2"),
]  # fmt: skip
