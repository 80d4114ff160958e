"""The logistic function, stretched."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    return module.coefficient / (1 + np.exp(-x))


CASES = [
    Case("twelve", nn.SoftGate, normal(3, 4, 5), reference),
    Case("two", lambda: nn.SoftGate(2.0), normal(2, 3), reference),
]

ERRORS = [
    ErrorRow("dtype", nn.SoftGate, lambda m: m.forward(np.zeros(3)), DtypeError, "expected float32, got float64"),
    ErrorRow("gradOutput", nn.SoftGate, lambda m: (m.forward(np.zeros((2, 3), "f")),
             m.backward(np.zeros((2, 3), "f"), np.zeros((2, 2), "f"))), ShapeError, r"gradOutput: expected 2 x 3, got 2 x 2"),
]  # fmt: skip
