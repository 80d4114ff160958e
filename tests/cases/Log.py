"""Logarithms."""

import math

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow
from tests.cases.Sqrt import positive


def reference(module, x):
    return np.vectorize(math.log, otypes=[float])(x)


CASES = [
    Case("batch", nn.Log, positive(4, 3, 5), reference),
    Case("vector", nn.Log, positive(7), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("gradOutput", nn.Log, lambda m: m.updateGradInput(np.ones((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
