"""Planes divided by the deviation around each cell."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialSubtractiveNormalization import KERNEL, VECTOR, sums_around


def over_deviation(x, kernel, threshold, thresval):
    deviation = np.sqrt(sums_around(x**2, kernel)) / sums_around(np.ones_like(x), kernel)
    return x / np.where(deviation <= threshold, thresval, deviation)  # a NaN stays one


def reference(module, x):
    return over_deviation(x, np.asarray(module.kernel, np.float64), module.threshold, module.thresval)


def case(name: str, planes: int, kernel: np.ndarray | None, *others: float) -> Case:
    make = lambda: nn.SpatialDivisiveNormalization(planes, kernel, *others)  # noqa: E731
    return Case(name, make, normal(2, planes, 4, 5), reference)


CASES = [
    case("default", 1, None),
    case("kernel", 2, KERNEL),
    case("vector", 3, VECTOR),
    case("threshold", 2, KERNEL, 0.9),
    case("thresval", 2, KERNEL, 0.9, 1.5),
]

ERRORS = [
    ErrorRow("planes", lambda: nn.SpatialDivisiveNormalization(2), lambda m: m.forward(np.zeros((3, 4, 4), "f")),
             ShapeError, "input: expected 2 planes, got 3 x 4 x 4"),
    ErrorRow("even", lambda: None, lambda _: nn.SpatialDivisiveNormalization(1, np.ones(4)), ValueRangeError,
             "kernel: expected odd sizes, got 4"),
]  # fmt: skip
