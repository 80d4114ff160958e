"""Dimensions dropped."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("all", nn.Squeeze, normal(3, 1, 4, 1), lambda module, x: x[:, 0, :, 0], batched=False),
    Case(
        "all_of_samples",
        lambda: nn.Squeeze(numInputDims=2),
        normal(3, 1, 4),
        lambda module, x: x.reshape(*x.shape[:-2], 4),
    ),
    Case("one", lambda: nn.Squeeze(0, 2), normal(3, 1, 4), lambda module, x: x[..., 0, :]),
    Case("last", lambda: nn.Squeeze(-1), normal(3, 4, 1), lambda module, x: x[..., 0]),
    Case("not_of_size_1", lambda: nn.Squeeze(1), normal(3, 4), lambda module, x: x, singleSample=False),
    Case("one_is_left", nn.Squeeze, normal(1, 1), lambda module, x: x[0], batched=False),
    Case("batch_of_one", lambda: nn.Squeeze().setNumInputDims(2), normal(1, 1, 1), lambda module, x: x[0], batched=False),
    Case("samples_of_one", lambda: nn.Squeeze(numInputDims=2), normal(3, 1, 1), lambda module, x: x[:, 0, 0], batched=False),
]

ERRORS = [
    ErrorRow("dim", lambda: nn.Squeeze(2), lambda m: m.forward(np.zeros((2, 1), "f")), IndexRangeError,
             "dim: 2 is out of range for a 2-D array"),
]  # fmt: skip
