"""Convolution between planes that a table connects: one kernel and one place at a time."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

MIXED = np.array([[2, 0], [0, 1], [2, 0], [1, 3]])  # one pair twice, and no kernel for plane 2


def reference(module, x):
    rows = range(0, x.shape[-2] - module.kH + 1, module.dH)
    columns = range(0, x.shape[-1] - module.kW + 1, module.dW)
    y = np.zeros((*x.shape[:-3], module.nOutputPlane, len(rows), len(columns))) + module.bias[:, None, None]
    for (c, o), kernel in zip(module.connTable, module.weight, strict=True):
        for oh, h in enumerate(rows):
            for ow, w in enumerate(columns):
                window = x[..., c, h : h + module.kH, w : w + module.kW]
                y[..., o, oh, ow] += (window * kernel).sum((-2, -1))
    return y


def case(name: str, table: np.ndarray, numbers: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialConvolutionMap(table, *numbers), normal(*shape), reference)


def with_another_table(module):
    module.connTable = np.array([[0, 0], [2, 1]])
    module.forward(np.zeros((2, 3, 3), "f"))


CASES = [
    case("full", nn.tables.full(2, 3), (3, 2), 2, 2, 4, 5),
    case("one_to_one_stride2x1", nn.tables.oneToOne(3), (2, 2, 2, 1), 2, 3, 4, 6),
    case("mixed_stride1x3", MIXED, (2, 1, 1, 3), 2, 3, 5, 4),
    case("mixed_stride3", MIXED, (3, 3, 3, 3), 1, 3, 7, 8),
    case("1x1", MIXED, (1, 1), 2, 3, 2, 3),
]

FULL = nn.tables.full(2, 2)
ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialConvolutionMap(FULL, 2, 2), lambda m: m.forward(np.zeros((4, 4), "f")),
             ShapeError, r"input: expected \(N x\) nInputPlane x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialConvolutionMap(FULL, 2, 2), lambda m: m.forward(np.zeros((1, 3, 4, 4), "f")),
             ShapeError, "input: expected 2 planes, the nInputPlane, got 1 x 3 x 4 x 4"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialConvolutionMap(FULL, 5, 5),
             lambda m: m.forward(np.zeros((2, 4, 4), "f")), ShapeError,
             "input: expected at least the kernel, 5 x 5, got 4 x 4"),
    ErrorRow("table_shape", lambda: None, lambda _: nn.SpatialConvolutionMap(np.zeros((2, 3), int), 1, 1), ShapeError,
             "conMatrix: expected nKernel x 2, got 2 x 3"),
    ErrorRow("table_counts_from_0", lambda: None, lambda _: nn.SpatialConvolutionMap(FULL - 1, 1, 1), ValueRangeError,
             "conMatrix: expected planes, which count from 0"),
    ErrorRow("no_table", lambda: None, lambda _: nn.SpatialConvolutionMap(2, 1, 1), DtypeError,
             "conMatrix: expected an array of planes, got int 2"),
    ErrorRow("plane_out_of_range", lambda: nn.SpatialConvolutionMap(nn.tables.oneToOne(2), 1, 1), with_another_table,
             IndexRangeError, "connTable: expected 0 to 1, got 2"),
    ErrorRow("stride_zero", lambda: None, lambda _: nn.SpatialConvolutionMap(FULL, 2, 2, 0), ValueRangeError,
             "dW: expected 1 or more, got 0"),
    ErrorRow("gradOutput", lambda: nn.SpatialConvolutionMap(FULL, 2, 2),
             lambda m: m.backward(np.zeros((2, 4, 4), "f"), np.zeros((2, 3, 2), "f")), ShapeError,
             "gradOutput: expected 2 x 3 x 3, got 2 x 3 x 2"),
]  # fmt: skip
