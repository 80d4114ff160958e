"""Mean squared errors."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    squares = (x - target) ** 2
    return squares.mean() if module.sizeAverage else squares.sum()


def case(name: str, *shape: int, sizeAverage: bool = True) -> Case:
    return Case(name, lambda: nn.MSECriterion(sizeAverage), normal(*shape), reference, target=normal(*shape))


CASES = [
    case("vector", 5),
    case("batch", 4, 3, 5),
    case("sum", 3, 4, sizeAverage=False),
    case("one_element", 1),
]

ERRORS = [
    ErrorRow("target_shape", nn.MSECriterion, lambda m: m.forward(np.zeros((3, 1), "f"), np.zeros(4, "f")), ShapeError,
             r"target: expected 3 x 1, or 3 elements in another shape, got 4"),
    ErrorRow("target_dtype", nn.MSECriterion, lambda m: m.forward(np.zeros(3, "f"), np.zeros(3)), DtypeError,
             r"target: expected float32, got float64"),
    ErrorRow("target_number", nn.MSECriterion, lambda m: m.forward(np.zeros(3, "f"), 1.0), DtypeError,
             r"target: expected a float32 array, got float"),
]  # fmt: skip
