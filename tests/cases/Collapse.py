"""Samples made vectors."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("batch", lambda: nn.Collapse(2), normal(4, 2, 3), lambda module, x: x.reshape(*x.shape[:-2], 6)),
    Case("sample", lambda: nn.Collapse(3), normal(4, 2, 3), lambda module, x: x.ravel(), batched=False),
]

ERRORS = [
    ErrorRow("rank", lambda: None, lambda m: nn.Collapse(-1), ValueRangeError, "nInputDim: expected 0 or more, got -1"),
    ErrorRow("gradOutput", lambda: nn.Collapse(1), lambda m: m.backward(np.zeros((2, 3), "f"), np.zeros(5, "f")), ShapeError,
             "gradOutput: expected 2 x 3, or 6 elements in another shape, got 5"),
]  # fmt: skip
