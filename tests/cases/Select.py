"""Slices."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("rows", lambda: nn.Select(0, 1), normal(3, 4), lambda module, x: x[1], batched=False),
    Case("columns", lambda: nn.Select(1, -1), normal(3, 4, 2), lambda module, x: x[:, -1], singleSample=False),
    Case("last", lambda: nn.Select(-1, 0), normal(3, 4, 2), lambda module, x: x[..., 0]),
]

ERRORS = [
    ErrorRow("index", lambda: nn.Select(1, 4), lambda m: m.forward(np.zeros((2, 4), "f")), IndexRangeError,
             "index: 4 is out of range for a dimension of size 4"),
    ErrorRow("dimension", lambda: nn.Select(-3, 0), lambda m: m.forward(np.zeros((2, 4), "f")), IndexRangeError,
             "dimension: -3 is out of range for a 2-D array"),
    ErrorRow("vector", lambda: nn.Select(0, 0), lambda m: m.forward(np.zeros(4, "f")), ShapeError,
             "input: expected 2 or more dimensions, got 4"),
]  # fmt: skip
