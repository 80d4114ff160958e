"""Mean absolute errors."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    distances = np.abs(x - target)
    return distances.mean() if module.sizeAverage else distances.sum()


def case(name: str, *shape: int, sizeAverage: bool = True) -> Case:
    return Case(name, lambda: nn.AbsCriterion(sizeAverage), normal(*shape), reference, target=normal(*shape))


CASES = [
    case("vector", 5),
    case("batch", 4, 3, 5),
    case("sum", 3, 4, sizeAverage=False),
    case("one_element", 1),
]

ERRORS = [
    ErrorRow("target_shape", nn.AbsCriterion, lambda m: m.forward(np.zeros((3, 1), "f"), np.zeros(4, "f")), ShapeError,
             r"target: expected 3 x 1, or 3 elements in another shape, got 4"),
    ErrorRow("target_dtype", nn.AbsCriterion, lambda m: m.backward(np.zeros(3, "f"), np.zeros(3)), DtypeError,
             r"target: expected float32, got float64"),
]  # fmt: skip
