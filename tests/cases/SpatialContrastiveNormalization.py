"""Planes with their local mean removed and their local deviation made one."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialDivisiveNormalization import over_deviation
from tests.cases.SpatialSubtractiveNormalization import KERNEL, VECTOR, less_mean


def reference(module, x):
    # They differ if it is a vector: the deviation's is larger by the root of the number of planes.
    ofMean, ofDeviation = (np.asarray(m.kernel, np.float64) for m in module.normalizer.modules)
    return over_deviation(less_mean(x, ofMean), ofDeviation, module.threshold, module.thresval)


def case(name: str, planes: int, kernel: np.ndarray | None, *others: float) -> Case:
    make = lambda: nn.SpatialContrastiveNormalization(planes, kernel, *others)  # noqa: E731
    return Case(name, make, normal(2, planes, 4, 5), reference)


CASES = [
    case("default", 1, None),
    case("kernel", 2, KERNEL),
    case("vector", 3, VECTOR),
    case("threshold", 2, KERNEL, 0.9, 1.5),
]

ERRORS = [
    ErrorRow("planes", lambda: nn.SpatialContrastiveNormalization(2), lambda m: m.forward(np.zeros((3, 4, 4), "f")),
             ShapeError, r"in module 1 of nn\.Sequential, .*input: expected 2 planes, got 3 x 4 x 4"),
]  # fmt: skip
