"""Kullback-Leibler divergences."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    positive = target > 0
    parts = target[positive] * (np.log(target[positive]) - x[positive])
    return parts.sum() / target.size if module.sizeAverage else parts.sum()


def probabilities(*shape: int):
    """Draws probabilities of some classes, with a zero and an invalid negative number."""

    def draw(rng):
        p = rng.uniform(0, 1, shape)
        p.flat[1], p.flat[2] = 0, -0.5
        return p

    return draw


def summing():
    criterion = nn.DistKLDivCriterion()
    criterion.sizeAverage = False
    return criterion


CASES = [
    Case("vector", nn.DistKLDivCriterion, normal(9), reference, target=probabilities(9)),
    Case("batch", nn.DistKLDivCriterion, normal(4, 5), reference, target=probabilities(4, 5)),
    Case("sum", summing, normal(3, 4), reference, target=probabilities(3, 4)),
]

ERRORS = [
    ErrorRow("target_shape", nn.DistKLDivCriterion, lambda m: m.forward(np.zeros((2, 3), "f"), np.ones(2, "f")),
             ShapeError, r"target: expected 2 x 3, or 6 elements in another shape, got 2"),
]  # fmt: skip
