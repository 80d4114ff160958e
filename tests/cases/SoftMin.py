"""Probabilities from costs."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases import SoftMax


def reference(module, x):
    return SoftMax.reference(module, -x)


CASES = [
    Case("vector", nn.SoftMin, normal(7), reference, batched=False),
    Case("rows", nn.SoftMin, normal(3, 9), reference),
    Case("planes", nn.SoftMin, normal(2, 5, 3, 4), reference),
]

ERRORS = [
    ErrorRow("rank", nn.SoftMin, lambda m: m.forward(np.zeros((2, 3, 1, 1, 1), "f")), ShapeError,
             r"input: expected C, N x C, C x H x W or N x C x H x W, got 5-D \(2 x 3 x 1 x 1 x 1\)"),
]  # fmt: skip
