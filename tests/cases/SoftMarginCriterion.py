"""Logistic losses of two classes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    losses = np.logaddexp(0, -x * target)
    return losses.mean() if module.sizeAverage else losses.sum()


def signs(*shape: int):
    return lambda rng: rng.choice([-1.0, 1.0], shape)


def summing():
    criterion = nn.SoftMarginCriterion()
    criterion.sizeAverage = False
    return criterion


def far(rng):
    """Scores whose exponentials no element type holds."""
    return np.array([1000.0, -1000.0, 40.0, -40.0, 0.0])


CASES = [
    Case("vector", nn.SoftMarginCriterion, normal(9), reference, target=signs(9)),
    Case("batch", nn.SoftMarginCriterion, normal(4, 5), reference, target=signs(4, 5)),
    Case("sum", summing, normal(3, 4), reference, target=signs(3, 4)),
    Case("far", nn.SoftMarginCriterion, far, reference, target=signs(5)),
]

ERRORS = [
    ErrorRow("target_shape", nn.SoftMarginCriterion, lambda m: m.forward(np.zeros((2, 3), "f"), np.ones(2, "f")),
             ShapeError, r"target: expected 2 x 3, or 6 elements in another shape, got 2"),
]  # fmt: skip
