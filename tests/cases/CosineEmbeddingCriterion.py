"""Losses of cosines."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    first, second = np.atleast_2d(x[0]), np.atleast_2d(x[1])
    cosine = (first * second).sum(1) / np.sqrt((first**2).sum(1) * (second**2).sum(1))
    losses = np.where(target == 1, 1 - cosine, np.maximum(0, cosine - module.margin))
    return losses.mean() if module.sizeAverage else losses.sum()


def two(*shape: int):
    return lambda rng: [normal(*shape)(rng), normal(*shape)(rng)]


def numbers(*signs: float):
    return lambda rng: np.array(signs)


def summing():
    criterion = nn.CosineEmbeddingCriterion(-0.5)
    criterion.sizeAverage = False
    return criterion


SIGNS = numbers(1, -1, -1, 1, -1)

CASES = [
    Case("batch", nn.CosineEmbeddingCriterion, two(5, 4), reference, target=SIGNS),
    Case("margin", lambda: nn.CosineEmbeddingCriterion(-0.5), two(5, 4), reference, target=SIGNS),
    Case("sum", summing, two(5, 4), reference, target=SIGNS),
    Case("sample", nn.CosineEmbeddingCriterion, two(4), reference, target=lambda rng: np.float64(1), batched=False),
    Case("other_sample", summing, two(4), reference, target=numbers(-1), batched=False),
]


def forward(target, *shapes):
    return lambda module: module.forward([np.zeros(shape, "f") for shape in shapes or ((2, 3), (2, 3))], target)


ERRORS = [
    ErrorRow("label", nn.CosineEmbeddingCriterion, forward(np.array([1, 2])), ValueRangeError,
             r"target: expected 1 or -1, got 2"),
    ErrorRow("number_for_batch", nn.CosineEmbeddingCriterion, forward(1), ShapeError, r"target: expected 2, got 1"),
    ErrorRow("shapes", nn.CosineEmbeddingCriterion, forward(1, (3,), (4,)), ShapeError,
             r"input\[1\]: expected 3, got 4"),
    ErrorRow("rank", nn.CosineEmbeddingCriterion, forward(1, (1, 1, 3), (1, 1, 3)), ShapeError,
             r"input\[0\]: expected a 1-D or 2-D array, got 3-D"),
    ErrorRow("one_array", nn.CosineEmbeddingCriterion, lambda m: m.backward([np.zeros(3, "f")], 1), ShapeError,
             r"input: expected a table of 2, got a table of 1"),
]  # fmt: skip
