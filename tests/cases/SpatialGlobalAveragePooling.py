"""Means over whole planes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def case(name: str, *shape: int) -> Case:
    return Case(name, nn.SpatialGlobalAveragePooling, normal(*shape), lambda module, x: x.mean((-2, -1), keepdims=True))


CASES = [
    case("small_planes", 3, 4, 5, 3),
    case("one_cell", 2, 3, 1, 1),
    case("one_row", 1, 2, 1, 9),
]

ERRORS = [
    ErrorRow("rank", nn.SpatialGlobalAveragePooling, lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("no_cells", nn.SpatialGlobalAveragePooling, lambda m: m.forward(np.zeros((2, 0, 4), "f")), ValueRangeError,
             r"input height: expected 1 or more, got 0"),
    ErrorRow("dtype", nn.SpatialGlobalAveragePooling, lambda m: m.forward(np.zeros((1, 4, 4))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("gradOutput", nn.SpatialGlobalAveragePooling,
             lambda m: m.backward(np.zeros((2, 4, 4), "f"), np.zeros((2, 1, 2), "f")), ShapeError,
             r"gradOutput: expected 2 x 1 x 1, got 2 x 1 x 2"),
]  # fmt: skip
