"""Mean squared errors with weights."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal

WEIGHT = (0.5, 1.0, 2.0, 0.125)


def reference(module, x, target):
    squares = module.weight * (x - target) ** 2
    return squares.mean() if module.sizeAverage else squares.sum()


def summing():
    criterion = nn.WeightedMSECriterion(WEIGHT)
    criterion.sizeAverage = False
    return criterion


def make():
    return nn.WeightedMSECriterion(WEIGHT)


CASES = [
    Case("batch", make, normal(3, 4), reference, target=normal(3, 4)),
    Case("sum", summing, normal(3, 4), reference, target=normal(3, 4)),
    Case("images", make, normal(2, 3, 4), reference, target=normal(2, 3, 4)),
    Case("vector", make, normal(4), reference, target=normal(4), batched=False),
]

ERRORS = [
    ErrorRow("target_shape", make, lambda m: m.forward(np.zeros((3, 4), "f"), np.zeros(4, "f")), ShapeError,
             r"target: expected 3 x 4, or 12 elements in another shape, got 4"),
    ErrorRow("target_dtype", make, lambda m: m.backward(np.zeros(4, "f"), np.zeros(4)), DtypeError,
             r"target: expected float32, got float64"),
    ErrorRow("weight", make, lambda m: m.forward(np.zeros(3, "f"), np.zeros(3, "f")), ShapeError,
             r"weight: expected the last sizes of 3, got 4"),
]  # fmt: skip
