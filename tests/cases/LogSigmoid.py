"""Logarithms of the logistic function."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SoftPlus import wide


def reference(module, x):
    return -np.logaddexp(0, -x)


CASES = [
    Case("batch", nn.LogSigmoid, normal(4, 3, 5), reference),
    Case("wide", nn.LogSigmoid, wide, reference, singleSample=False),
    Case("vector", nn.LogSigmoid, normal(7), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("gradOutput", nn.LogSigmoid, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
