"""Cosines of angles to learned vectors."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    w = module.weight.astype(np.float64)
    return x @ w.T / np.linalg.norm(x, axis=-1, keepdims=True) / np.linalg.norm(w, axis=1)


CASES = [
    Case("batch", lambda: nn.Cosine(5, 3), normal(4, 5), reference),
    Case("one", lambda: nn.Cosine(3, 1), normal(4, 3), reference),
]

ERRORS = [
    ErrorRow("columns", lambda: nn.Cosine(5, 3), lambda m: m.forward(np.zeros((2, 4), "f")), ShapeError,
             "input: expected 5 columns, got 2 x 4"),
    ErrorRow("rank", lambda: nn.Cosine(5, 3), lambda m: m.forward(np.zeros((2, 2, 5), "f")), ShapeError,
             "input: expected a 1-D or 2-D array, got 3-D"),
    ErrorRow("size", lambda: None, lambda m: nn.Cosine(0, 3), ValueRangeError, "inputSize: expected 1 or more, got 0"),
]  # fmt: skip
