"""Negative log likelihoods of classes, from scores."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal

WEIGHTS = np.array([0.5, 1.0, 2.0, 0.25], np.float32)


def reference(module, x, target):
    rows, labels = np.atleast_2d(np.squeeze(x)), np.atleast_1d(target)
    likelihood = rows - np.log(np.exp(rows).sum(1, keepdims=True))
    weights = np.ones(rows.shape[1]) if module.nll.weights is None else module.nll.weights
    loss = -sum(weights[t] * row[t] for row, t in zip(likelihood, labels, strict=True))
    return loss / sum(weights[t] for t in labels) if module.sizeAverage else loss


def labels(*classes: int):
    return lambda rng: np.array(classes)


CASES = [
    Case("batch", nn.CrossEntropyCriterion, normal(3, 4), reference, target=labels(0, 3, 1)),
    Case("weights", lambda: nn.CrossEntropyCriterion(WEIGHTS), normal(3, 4), reference, target=labels(2, 3, 3)),
    Case("sum", lambda: nn.CrossEntropyCriterion(None, False), normal(3, 4), reference, target=labels(0, 3, 1)),
    Case("squeezed", nn.CrossEntropyCriterion, normal(3, 4, 1, 1), reference, target=labels(0, 3, 1)),
    Case("sample", nn.CrossEntropyCriterion, normal(4), reference, target=lambda rng: np.int64(2)),
]

ERRORS = [
    ErrorRow(
        "label",
        nn.CrossEntropyCriterion,
        lambda m: m.forward(np.zeros((2, 4), "f"), np.array([0, 4])),
        IndexRangeError,
        r"target: expected 0 to 3, got 4",
    ),
    ErrorRow(
        "labels",
        nn.CrossEntropyCriterion,
        lambda m: m.forward(np.zeros((2, 4), "f"), np.array([0, 1, 2])),
        ShapeError,
        r"target: expected 2, got 3",
    ),
]
