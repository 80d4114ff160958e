"""Repetitions."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("first", lambda: nn.Replicate(3), normal(2, 4), lambda module, x: np.stack([x] * 3), batched=False),
    Case("samples", lambda: nn.Replicate(3, 0, 1), normal(2, 4), lambda module, x: np.stack([x] * 3, -2)),
    Case(
        "more_than_batch",
        lambda: nn.Replicate(3, 1, 1),
        normal(2, 4, 3),
        lambda module, x: np.stack([x] * 3, 2),
        singleSample=False,
    ),
    Case("single_samples", lambda: nn.Replicate(3, 0, 3), normal(2, 4), lambda module, x: np.stack([x] * 3), batched=False),
    Case("last", lambda: nn.Replicate(2, -1), normal(2, 4, 3), lambda module, x: np.stack([x] * 2, -1)),
]

ERRORS = [
    ErrorRow("dim", lambda: nn.Replicate(2, 3), lambda m: m.forward(np.zeros((2, 4), "f")), IndexRangeError,
             "dim: 3 is out of range for a 3-D array"),
    ErrorRow("count", lambda: None, lambda m: nn.Replicate(0), ValueRangeError, "nFeature: expected 1 or more, got 0"),
]  # fmt: skip
