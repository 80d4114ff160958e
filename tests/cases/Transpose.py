"""Swapped dimensions."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("matrix", lambda: nn.Transpose((0, 1)), normal(3, 4), lambda module, x: x.T, batched=False),
    Case(
        "samples",
        lambda: nn.Transpose((0, 1), (1, 2)).setNumInputDims(3),
        normal(2, 3, 4, 5),
        lambda module, x: np.moveaxis(x, -3, -1),
    ),
    Case("last", lambda: nn.Transpose((-1, -2)), normal(2, 3, 4), lambda module, x: x.swapaxes(-1, -2)),
    Case("nothing", nn.Transpose, normal(2, 3), lambda module, x: x),
]

ERRORS = [
    ErrorRow("dimension", lambda: nn.Transpose((0, 2)), lambda m: m.forward(np.zeros((2, 4), "f")), IndexRangeError,
             "dimension: 2 is out of range for a 2-D array"),
    ErrorRow("gradOutput", lambda: nn.Transpose((0, 1)), lambda m: m.backward(np.zeros((2, 4), "f"), np.zeros((2, 4), "f")),
             ShapeError, "gradOutput: expected 4 x 2, got 2 x 4"),
    ErrorRow("pairs", lambda: None, lambda _: nn.Transpose(0, 1), ShapeError, r"pairs: expected pairs of dimensions, got \[0\]"),
    ErrorRow("fraction", lambda: None, lambda _: nn.Transpose((0, 0.5)), ArgumentError, "pairs: expected an integer, got 0.5"),
]  # fmt: skip
