"""Hinge losses of two classes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    losses = np.maximum(0, module.margin - x * target)
    return losses.mean() if module.sizeAverage else losses.sum()


def signs(*shape: int):
    return lambda rng: rng.choice([-1.0, 1.0], shape)


def summing():
    criterion = nn.MarginCriterion(2)
    criterion.sizeAverage = False
    return criterion


CASES = [
    Case("vector", nn.MarginCriterion, normal(9), reference, target=signs(9)),
    Case("batch", nn.MarginCriterion, normal(4, 5), reference, target=signs(4, 5)),
    Case("margin", lambda: nn.MarginCriterion(0.25), normal(4, 5), reference, target=signs(4, 5)),
    Case("sum", summing, normal(3, 4), reference, target=signs(3, 4)),
    Case("any_target", nn.MarginCriterion, normal(3, 4), reference, target=normal(3, 4)),
]

ERRORS = [
    ErrorRow("target_shape", nn.MarginCriterion, lambda m: m.forward(np.zeros((2, 3), "f"), np.ones(2, "f")),
             ShapeError, r"target: expected 2 x 3, or 6 elements in another shape, got 2"),
]  # fmt: skip
