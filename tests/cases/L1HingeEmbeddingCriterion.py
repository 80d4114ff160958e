"""Losses of L1 distances."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    distance = np.abs(x[0] - x[1]).sum()
    return distance if target == 1 else max(0, module.margin - distance)


def two(*shape: int):
    return lambda rng: [normal(*shape)(rng), normal(*shape)(rng)]


def sign(value: float):
    return lambda rng: np.float64(value)


def far():
    return nn.L1HingeEmbeddingCriterion(50)


CASES = [
    Case("alike", nn.L1HingeEmbeddingCriterion, two(5), reference, target=sign(1), batched=False),
    Case("too_near", far, two(5), reference, target=sign(-1), batched=False),
    Case("far_enough", nn.L1HingeEmbeddingCriterion, two(5), reference, target=sign(-1), batched=False),
    Case("matrix", far, two(3, 4), reference, target=lambda rng: np.array([-1.0]), batched=False),
]


def forward(target, *shapes: int):
    return lambda module: module.forward([np.zeros(shape, "f") for shape in shapes or (3, 3)], target)


ERRORS = [
    ErrorRow("label", nn.L1HingeEmbeddingCriterion, forward(0), ValueRangeError, r"target: expected 1 or -1, got 0"),
    ErrorRow("targets", nn.L1HingeEmbeddingCriterion, forward(np.ones(3, "f")), ShapeError,
             r"target: expected one number, got 3"),
    ErrorRow("no_target", nn.L1HingeEmbeddingCriterion, forward(None), DtypeError,
             r"target: expected 1 or -1, or an array of them, got None"),
    ErrorRow("shapes", nn.L1HingeEmbeddingCriterion, forward(1, 3, 4), ShapeError, r"input\[1\]: expected 3, got 4"),
    ErrorRow("array", nn.L1HingeEmbeddingCriterion, lambda m: m.backward(np.zeros((2, 3), "f"), 1), DtypeError,
             r"input: expected a table of 2, got a float32 array of 2 x 3"),
]  # fmt: skip
