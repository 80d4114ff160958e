"""p-norms of windows, with the powers of signed cells."""

from math import inf

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialMaxPooling import axes
from tests.cases.windows import pool


def reference(module, x):
    with np.errstate(invalid="ignore"):
        return pool(x, *axes(module, x), lambda cells, r, c: (cells**module.p).sum((-2, -1)) ** (1 / module.p))


def positive(*shape: int):
    return lambda rng: rng.uniform(0.25, 2, shape)


CASES = [
    Case("p2", lambda: nn.SpatialLPPooling(2, 2, 2, 2), normal(2, 2, 4, 6), reference),
    Case("p1_keeps_signs", lambda: nn.SpatialLPPooling(2, 1, 3, 2, 1, 1), normal(2, 2, 4, 6), reference),
    Case("p3", lambda: nn.SpatialLPPooling(2, 3, 3, 2, 2, 1), positive(2, 2, 4, 7), reference),
    Case("p5", lambda: nn.SpatialLPPooling(2, 5, 2, 2, 1, 1), positive(2, 2, 4, 5), reference),
    Case("p6", lambda: nn.SpatialLPPooling(2, 6, 2, 2, 1, 1), normal(2, 2, 4, 5), reference),
    Case("p2_5", lambda: nn.SpatialLPPooling(2, 2.5, 2, 2), positive(2, 2, 5, 5), reference),
    Case("ceil", lambda: nn.SpatialLPPooling(2, 3, 2, 2).ceil(), positive(2, 2, 5, 7), reference),
    Case("ceil_beyond_plane", lambda: nn.SpatialLPPooling(2, 3, 3, 3, 2, 2).ceil(), positive(2, 2, 2, 2), reference),
    Case("p3_signed", lambda: nn.SpatialLPPooling(2, 3, 2, 2), normal(2, 2, 4, 6), reference, jacobian=False,
         skip=("nonfinite", "nan_arrives")),  # a large negative cell gives NaN as well: no probe shows what it reaches
    Case("p2_5_signed", lambda: nn.SpatialLPPooling(2, 2.5, 2, 2), normal(2, 2, 4, 6), reference, jacobian=False,
         skip=("nonfinite", "nan_arrives")),
]  # fmt: skip

ZEROS = np.zeros((1, 4, 4), "f")
ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialLPPooling(1, 2, 2, 2), lambda m: m.forward(ZEROS[0]), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("power_negative", lambda: nn.SpatialLPPooling(1, -2, 2, 2), lambda m: m.forward(ZEROS), ValueRangeError,
             r"power: expected a number above 0, got -2"),
    ErrorRow("power_infinite", lambda: nn.SpatialLPPooling(1, inf, 2, 2), lambda m: m.forward(ZEROS), ValueRangeError,
             r"power: expected a finite number for signed cells, got inf"),
]  # fmt: skip
