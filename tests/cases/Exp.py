"""Exponentials."""

import math

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    return np.vectorize(math.exp, otypes=[float])(x)


def stale(module):
    module.forward(np.zeros((2, 3), "f"))
    module.updateGradInput(np.zeros((3, 3), "f"), np.zeros((3, 3), "f"))


CASES = [
    Case("batch", nn.Exp, normal(4, 3, 5), reference),
    Case("vector", nn.Exp, normal(7), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("no_forward", nn.Exp, stale, ShapeError, r"gradOutput: expected 2 x 3, or 6 elements in another shape, got 3 x 3"),
]
