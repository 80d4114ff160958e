"""Losses of distances between pairs."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    losses = np.where(target == 1, x, np.maximum(0, module.margin - x))
    return losses.mean() if module.sizeAverage else losses.sum()


def signs(*shape: int):
    return lambda rng: rng.choice([-1.0, 1.0], shape)


def summing():
    criterion = nn.HingeEmbeddingCriterion(0.5)
    criterion.sizeAverage = False
    return criterion


CASES = [
    Case("vector", nn.HingeEmbeddingCriterion, normal(9), reference, target=signs(9)),
    Case("batch", nn.HingeEmbeddingCriterion, normal(4, 5), reference, target=signs(4, 5)),
    Case("sum", summing, normal(9), reference, target=signs(9)),
    Case("alike", nn.HingeEmbeddingCriterion, normal(1), reference, target=lambda rng: np.float64(1)),
    Case("not_alike", nn.HingeEmbeddingCriterion, normal(4), reference, target=lambda rng: np.float64(-1)),
]


def forward(target):
    return lambda module: module.forward(np.zeros((2, 3), "f"), target)


ERRORS = [
    ErrorRow("label", nn.HingeEmbeddingCriterion, forward(0), ValueRangeError, r"target: expected 1 or -1, got 0"),
    ErrorRow("nan", nn.HingeEmbeddingCriterion, forward(np.full((2, 3), np.nan, "f")), ValueRangeError,
             r"target: expected 1 or -1, got nan"),
    ErrorRow("target_shape", nn.HingeEmbeddingCriterion, forward(np.ones(3, "f")), ShapeError,
             r"target: expected 2 x 3, or 6 elements in another shape, got 3"),
    ErrorRow("booleans", nn.HingeEmbeddingCriterion, forward(np.ones((2, 3), bool)), DtypeError,
             r"target: expected 1 or -1, or an array of them, got a bool array of 2 x 3"),
    ErrorRow("dtype", nn.HingeEmbeddingCriterion, lambda m: m.backward(np.zeros(3), 1), DtypeError,
             r"input: expected float32, got float64"),
]  # fmt: skip
