"""Smallest elements."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, distinct


def along(axis: int):
    return lambda module, x: x.min(axis)


CASES = [
    Case("rows", nn.Min, distinct(3, 4), along(0), batched=False),
    Case("samples", lambda: nn.Min(0, 2), distinct(2, 3, 4), along(-2)),
    Case("last", lambda: nn.Min(-1), distinct(2, 3, 4), along(-1)),
    Case("vector", nn.Min, distinct(5), lambda module, x: x.min(keepdims=True), batched=False),
]


def ofFour():
    """After a forward whose extrema were in the last two of four columns."""
    module = nn.Min(1)
    module.forward(-np.eye(4, dtype="f")[2:])
    return module


ERRORS = [
    ErrorRow("dimension", lambda: nn.Min(2), lambda m: m.forward(np.zeros((2, 3), "f")), IndexRangeError,
             "dimension: 2 is out of range for a 2-D array"),
    ErrorRow("empty", lambda: nn.Min(1), lambda m: m.forward(np.zeros((2, 0), "f")), ShapeError,
             "input: expected elements along dimension 1, got 2 x 0"),
    ErrorRow("backward_first", nn.Min, lambda m: m.backward(np.zeros((2, 3), "f"), np.zeros(3, "f")), ShapeError,
             "indices of the last forward: expected 1 x 3, got 0"),
    ErrorRow("another_input", ofFour, lambda m: m.backward(np.zeros((2, 3), "f"), np.zeros(2, "f")),
             IndexRangeError, "indices of the last forward: expected 0 to 2, got 3"),
]  # fmt: skip
