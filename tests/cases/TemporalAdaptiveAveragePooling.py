"""Means over adaptive windows of a sequence."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.windows import of_frames, over, pool_all, shared, turned, usual_errors


def reference(module, x):
    return pool_all(x, shared(module, x), over(1, np.mean))


def case(name: str, sizes: tuple[int | None, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.TemporalAdaptiveAveragePooling(*sizes), normal(*turned(shape)), of_frames(reference))


CASES = [
    case("5_to_3", (3,), 2, 3, 5),
    case("divisible", (4,), 2, 2, 12),
    case("identity", (13,), 1, 2, 13),
    case("larger_than_input", (7,), 2, 3, 4),
    case("one_cell", (1,), 2, 3, 6),
    case("21_to_7", (7,), 1, 3, 21),
    case("33_to_14", (14,), 1, 2, 33),
    case("long_windows", (2,), 1, 2, 37),
    case("keep_length", (None,), 2, 2, 5),
]

ERRORS = [
    *usual_errors(lambda: nn.TemporalAdaptiveAveragePooling(2), (5, 1), r"\(N x\) nFrame x frameSize"),
    ErrorRow("size_zero", lambda: nn.TemporalAdaptiveAveragePooling(0),
             lambda m: m.forward(np.zeros((5, 1), "f")), ValueRangeError, r"W: expected 1 or more, got 0"),
]  # fmt: skip
