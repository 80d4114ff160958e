"""Sums."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal


def along(axis: int, keepdims: bool = False):
    return lambda module, x: x.sum(axis, keepdims=keepdims)


CASES = [
    Case("rows", nn.Sum, normal(3, 4), along(0), batched=False),
    Case("samples", lambda: nn.Sum(0, 2), normal(2, 3, 4), along(-2)),
    Case("average", lambda: nn.Sum(-1, sizeAverage=True), normal(2, 3, 4), lambda module, x: x.sum(-1) / 4),
    Case("kept", lambda: nn.Sum(-1, squeeze=False), normal(2, 3, 4), along(-1, True)),
    Case("vector", nn.Sum, normal(5), along(0, True), batched=False),
]

ERRORS = [
    ErrorRow("dimension", lambda: nn.Sum(2), lambda m: m.forward(np.zeros((2, 3), "f")), IndexRangeError,
             "dimension: 2 is out of range for a 2-D array"),
    ErrorRow("gradOutput", nn.Sum, lambda m: m.backward(np.zeros((2, 3), "f"), np.zeros(2, "f")), ShapeError,
             "gradOutput: expected 3, got 2"),
]  # fmt: skip
