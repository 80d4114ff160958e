"""The k largest numbers of each feature."""

from math import ceil

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct

# A NaN is kept, but only in its place: the numbers after it are those that came after it.
NAN = ("nan_arrives",)


def reference(module, x):
    k = max(module.minK, ceil(module.factor * x.shape[-2]))
    kept = np.sort(np.argsort(-x, axis=-2, kind="stable")[..., :k, :], axis=-2)
    return np.take_along_axis(x, kept, -2)


def case(name: str, arguments: tuple[float, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.TemporalDynamicKMaxPooling(*arguments), distinct(*shape), reference, skip=NAN)


CASES = [
    case("2_of_5", (2,), 3, 5, 4),
    case("half", (2, 0.5), 2, 7, 3),
    case("minK_beyond_factor", (3, 0.25), 2, 6, 2),
    case("all", (4,), 2, 4, 3),
    case("largest", (1,), 2, 6, 19),
    Case("long", lambda: nn.TemporalDynamicKMaxPooling(2, 0.125), distinct(2, 40, 5), reference, skip=NAN,
         larger=distinct(1500, 100)),
]  # fmt: skip


def backward_with_bad_index(module):
    x = np.zeros((4, 3), "f")
    y = module.forward(x)
    module.indices[1, 2] = 4
    module.backward(x, np.ones_like(y))


ERRORS = [
    ErrorRow("rank", lambda: nn.TemporalDynamicKMaxPooling(2), lambda m: m.forward(np.zeros(4, "f")), ShapeError,
             r"input: expected \(N x\) L x F, got 1-D \(4\)"),
    ErrorRow("too_short", lambda: nn.TemporalDynamicKMaxPooling(3), lambda m: m.forward(np.zeros((2, 5), "f")), ShapeError,
             "input: expected at least 3 frames, got 2 x 5"),
    ErrorRow("minK_zero", lambda: nn.TemporalDynamicKMaxPooling(0), lambda m: m.forward(np.zeros((2, 5), "f")), ValueRangeError,
             r"minK: expected 1 or more, got 0"),
    ErrorRow("factor_above_1", lambda: nn.TemporalDynamicKMaxPooling(1, 1.5), lambda m: m.forward(np.zeros((2, 5), "f")),
             ValueRangeError, "factor: expected 0 to 1, got 1.5"),
    ErrorRow("factor_nan", lambda: nn.TemporalDynamicKMaxPooling(1, np.nan), lambda m: m.forward(np.zeros((2, 5), "f")),
             ValueRangeError, "factor: expected 0 to 1, got nan"),
    ErrorRow("dtype", lambda: nn.TemporalDynamicKMaxPooling(2), lambda m: m.forward(np.zeros((4, 4))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("backward_before_forward", lambda: nn.TemporalDynamicKMaxPooling(2),
             lambda m: m.backward(np.zeros((4, 3), "f"), np.zeros((2, 3), "f")), ShapeError, "indices: expected 2 x 3"),
    ErrorRow("index_out_of_range", lambda: nn.TemporalDynamicKMaxPooling(2), backward_with_bad_index, IndexRangeError,
             "indices: expected 0 to 3, got 4"),
]  # fmt: skip
