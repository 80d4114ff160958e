"""Means."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("rows", nn.Mean, normal(3, 4), lambda module, x: x.mean(0), batched=False),
    Case("samples", lambda: nn.Mean(0, 2), normal(2, 3, 4), lambda module, x: x.mean(-2)),
    Case("vector", nn.Mean, normal(5), lambda module, x: x.mean(keepdims=True), batched=False),
]

ERRORS = [
    ErrorRow("dimension", lambda: nn.Mean(2), lambda m: m.forward(np.zeros((2, 3), "f")), IndexRangeError,
             "dimension: 2 is out of range for a 2-D array"),
]  # fmt: skip
