"""Slices of an array."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal


def slices(axis: int):
    return lambda module, x: [x.take(i, axis) for i in range(x.shape[axis])]


CASES = [
    Case("rows_of_samples", lambda: nn.SplitTable(0, 2), normal(4, 3, 2), slices(-2)),
    Case("last", lambda: nn.SplitTable(-1), normal(3, 2, 4), slices(-1)),
    Case("first", lambda: nn.SplitTable(0), normal(3, 2), slices(0), batched=False),
]

ERRORS = [
    ErrorRow("vector", lambda: nn.SplitTable(0), lambda m: m.forward(np.zeros(3, "f")), ShapeError,
             "input: expected 2 or more dimensions, got 3"),
    ErrorRow("dimension", lambda: nn.SplitTable(2), lambda m: m.forward(np.zeros((2, 3), "f")), IndexRangeError,
             "dimension: 2 is out of range for a 2-D array"),
    ErrorRow("gradOutput", lambda: nn.SplitTable(0), lambda m: m.backward(np.zeros((2, 3), "f"), [np.zeros(3, "f")]),
             ShapeError, "gradOutput: expected a table of 2, got a table of 1"),
]  # fmt: skip
