"""Means over adaptive windows."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.windows import adaptive, pool


def reference(module, x):
    rows, columns = adaptive(x.shape[-2], module.H or x.shape[-2]), adaptive(x.shape[-1], module.W or x.shape[-1])
    return pool(x, rows, columns, lambda cells, r, c: cells.mean((-2, -1)))


def case(name: str, width: int | None, height: int | None, *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialAdaptiveAveragePooling(width, height), normal(*shape), reference)


CASES = [
    case("5_to_3", 3, 3, 2, 3, 5, 5),
    case("divisible", 2, 4, 2, 2, 8, 6),
    case("identity", 5, 4, 1, 2, 4, 5),
    case("larger_than_input", 7, 6, 2, 1, 4, 3),
    case("one_cell", 1, 1, 2, 3, 7, 6),
    case("13_to_13_and_21_to_7", 13, 7, 1, 1, 21, 13),
    case("keep_height", 2, None, 2, 2, 3, 5),
    case("keep_many_rows", 3, None, 1, 1, 70, 5),
    case("long_windows", 2, 3, 1, 2, 31, 37),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialAdaptiveAveragePooling(2, 2), lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError,
             r"nn\.SpatialAdaptiveAveragePooling\w*: input: expected \(N x\) C x H x W, got 2-D \(4 x 4\)"),
    ErrorRow("size_zero", lambda: nn.SpatialAdaptiveAveragePooling(0, 2), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ValueRangeError, r"W: expected 1 or more, got 0"),
    ErrorRow("empty_plane", lambda: nn.SpatialAdaptiveAveragePooling(2, 2), lambda m: m.forward(np.zeros((1, 0, 4), "f")),
             ValueRangeError, r"input height: expected 1 or more, got 0"),
    ErrorRow("dtype", lambda: nn.SpatialAdaptiveAveragePooling(2, 2), lambda m: m.forward(np.zeros((1, 4, 4))), DtypeError,
             r"input: expected float32, got float64"),
    ErrorRow("gradOutput", lambda: nn.SpatialAdaptiveAveragePooling(2, 2),
             lambda m: m.updateGradInput(np.zeros((3, 4, 4), "f"), np.zeros((2, 2, 2), "f")), ShapeError,
             r"gradOutput: expected 3 x 2 x 2, got 2 x 2 x 2"),
]  # fmt: skip
