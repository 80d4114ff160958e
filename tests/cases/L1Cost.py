"""Sums of absolute values."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    return np.abs(x).sum()


def no_target(rng):
    return None


CASES = [
    Case("vector", nn.L1Cost, normal(7), reference, target=no_target),
    Case("batch", nn.L1Cost, normal(3, 2, 5), reference, target=no_target),
    Case("large", nn.L1Cost, normal(3, 5), reference, target=no_target, larger=normal(300, 400)),
]

ERRORS = [
    ErrorRow("dtype", nn.L1Cost, lambda m: m.forward(np.zeros(3)), DtypeError, r"input: expected float32, got float64"),
    ErrorRow("number", nn.L1Cost, lambda m: m.backward(1.0), DtypeError, r"expected a float32 array, got float 1.0"),
]
