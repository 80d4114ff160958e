"""Full convolution between planes that a table connects: one kernel and one cell at a time."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialConvolutionMap import FULL, MIXED


def reference(module, x):
    height, width = x.shape[-2:]
    size = (height - 1) * module.dH + module.kH, (width - 1) * module.dW + module.kW
    y = np.zeros((*x.shape[:-3], module.nOutputPlane, *size)) + module.bias[:, None, None]
    for (c, o), kernel in zip(module.connTable, module.weight, strict=True):
        for h in range(height):
            for w in range(width):
                top, left = h * module.dH, w * module.dW
                y[..., o, top : top + module.kH, left : left + module.kW] += x[..., c, h, w, None, None] * kernel
    return y


def case(name: str, table: np.ndarray, numbers: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialFullConvolutionMap(table, *numbers), normal(*shape), reference)


CASES = [
    case("full", nn.tables.full(2, 3), (3, 2), 2, 2, 3, 4),
    case("one_to_one_stride2x1", nn.tables.oneToOne(3), (2, 3, 2, 1), 2, 3, 3, 2),
    case("mixed_apart", MIXED, (2, 1, 3, 2), 2, 3, 2, 3),
    case("1x1", MIXED, (1, 1), 1, 3, 2, 3),
    case("bands", nn.tables.full(2, 1), (3, 4, 2, 1), 1, 2, 95, 93),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialFullConvolutionMap(FULL, 2, 2), lambda m: m.forward(np.zeros((4, 4), "f")),
             ShapeError, r"input: expected \(N x\) nInputPlane x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialFullConvolutionMap(FULL, 2, 2),
             lambda m: m.forward(np.zeros((3, 4, 4), "f")), ShapeError,
             "input: expected 2 planes, the nInputPlane, got 3 x 4 x 4"),
    ErrorRow("no_width", lambda: nn.SpatialFullConvolutionMap(FULL, 2, 2),
             lambda m: m.forward(np.zeros((2, 4, 0), "f")), ValueRangeError, r"input width: expected 1 or more, got 0"),
    ErrorRow("gradOutput", lambda: nn.SpatialFullConvolutionMap(FULL, 2, 2),
             lambda m: m.backward(np.zeros((2, 4, 4), "f"), np.zeros((2, 4, 5), "f")), ShapeError,
             "gradOutput: expected 2 x 5 x 5, got 2 x 4 x 5"),
]  # fmt: skip
