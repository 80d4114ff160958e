"""Means over adaptive windows of a volume."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.windows import over, pool_all, shared, usual_errors


def reference(module, x):
    return pool_all(x, shared(module, x), over(3, np.mean))


def case(name: str, sizes: tuple[int | None, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.VolumetricAdaptiveAveragePooling(*sizes), normal(*shape), reference)


CASES = [
    case("5_to_3", (3, 3, 3), 1, 2, 5, 5, 5),
    case("divisible", (2, 2, 4), 2, 1, 4, 8, 6),
    case("identity", (3, 5, 4), 1, 2, 3, 4, 5),
    case("larger_than_input", (4, 7, 6), 2, 1, 2, 4, 3),
    case("one_cell", (1, 1, 1), 2, 2, 3, 4, 5),
    case("7_to_3_and_21_to_7", (3, 7, 2), 1, 1, 7, 3, 21),
    case("keep_time_and_width", (None, None, 2), 1, 2, 3, 5, 4),
]

ERRORS = [
    *usual_errors(lambda: nn.VolumetricAdaptiveAveragePooling(2, 2, 2), (1, 3, 4, 5), r"\(N x\) C x T x H x W"),
    ErrorRow("size_zero", lambda: nn.VolumetricAdaptiveAveragePooling(2, 2, 0),
             lambda m: m.forward(np.zeros((1, 3, 4, 5), "f")), ValueRangeError, r"H: expected 1 or more, got 0"),
]  # fmt: skip
