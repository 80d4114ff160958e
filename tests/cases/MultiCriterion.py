"""Sums of criterions of one input."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError
from tests.case import Case, ErrorRow, normal


def make():
    return nn.MultiCriterion().add(nn.MSECriterion()).add(nn.AbsCriterion(), 0.5)


def reference(module, x, target):
    return ((x - target) ** 2).mean() + 0.5 * np.abs(x - target).mean()


def of_classes():
    return nn.MultiCriterion().add(nn.ClassNLLCriterion(), 0.25).add(nn.MultiMarginCriterion(), 2)


def class_reference(module, x, target):
    rows = range(len(x))
    right = x[rows, target]
    lacking = np.maximum(0, 1 - right[:, None] + x)
    lacking[rows, target] = 0
    return -0.25 * right.mean() + 2 * lacking.mean()


def of_tables():
    return nn.MultiCriterion().add(nn.L1HingeEmbeddingCriterion()).add(nn.CosineEmbeddingCriterion(), 0.5)


def table_reference(module, x, target):
    cosine = x[0] @ x[1] / np.sqrt(x[0] @ x[0] * (x[1] @ x[1]))
    return np.abs(x[0] - x[1]).sum() + 0.5 * (1 - cosine)


CASES = [
    Case("numbers", make, normal(3, 4), reference, target=normal(3, 4)),
    Case("classes", of_classes, normal(3, 4), class_reference, target=lambda rng: np.array([0, 3, 1])),
    Case("tables", of_tables, lambda rng: [rng.standard_normal(5), rng.standard_normal(5)], table_reference,
         target=lambda rng: np.float64(1), batched=False),
    Case("none", nn.MultiCriterion, normal(3, 4), lambda module, x, target: 0.0, target=normal(3, 4)),
]  # fmt: skip

ERRORS = [
    ErrorRow("label", of_classes, lambda m: m.forward(np.zeros((1, 4), "f"), np.array([4])), IndexRangeError,
             r"in criterion 1 of nn.MultiCriterion, nn.ClassNLLCriterion.*target: expected 0 to 3, got 4"),
    ErrorRow("dtype", make, lambda m: m.backward(np.zeros(3, "f"), np.zeros(3)), DtypeError,
             r"in criterion 1 of nn.MultiCriterion, nn.MSECriterion.*target: expected float32, got float64"),
]  # fmt: skip
