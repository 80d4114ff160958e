"""Sums of windows with a weight and a bias."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.windows import fixed, pool


def reference(module, x):
    rows = fixed(x.shape[-2], module.kH, module.dH, 0, False)
    columns = fixed(x.shape[-1], module.kW, module.dW, 0, False)
    weight, bias = (np.asarray(a, np.float64)[:, None, None] for a in (module.weight, module.bias))
    return weight * pool(x, rows, columns, lambda cells, r, c: cells.sum((-2, -1))) + bias


CASES = [
    Case("2x2", lambda: nn.SpatialSubSampling(3, 2, 2), normal(2, 3, 4, 5), reference),
    Case("3x2_stride2", lambda: nn.SpatialSubSampling(2, 3, 2, 2, 2), normal(2, 2, 7, 8), reference),
    Case("5x3_stride3x1", lambda: nn.SpatialSubSampling(1, 5, 3, 3, 1), normal(2, 1, 6, 11), reference),
    Case("stride_beyond_kernel", lambda: nn.SpatialSubSampling(2, 1, 2, 3, 3), normal(1, 2, 6, 8), reference),
    Case("whole_plane", lambda: nn.SpatialSubSampling(2, 5, 4), normal(2, 2, 4, 5), reference),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialSubSampling(2, 2, 2), lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialSubSampling(2, 2, 2), lambda m: m.forward(np.zeros((3, 4, 4), "f")), ShapeError,
             "weight: expected 3, got 2"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialSubSampling(1, 2, 5), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ShapeError, "input height 4 with padding 0, kH 5"),
    ErrorRow("no_planes", lambda: nn.SpatialSubSampling(1, 2, 5), lambda m: nn.SpatialSubSampling(0, 2, 2), ValueRangeError,
             "nInputPlane: expected 1 or more, got 0"),
    ErrorRow("no_columns", lambda: None, lambda _: nn.SpatialSubSampling(3, 0, 2), ValueRangeError,
             "kW: expected 1 or more, got 0"),
    ErrorRow("rows_below_zero", lambda: None, lambda _: nn.SpatialSubSampling(3, 2, -1), ValueRangeError,
             "kH: expected 1 or more, got -1"),
]  # fmt: skip
