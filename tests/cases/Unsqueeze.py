"""Dimensions put in."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("first", lambda: nn.Unsqueeze(0), normal(3, 4), lambda module, x: x[None], batched=False),
    Case("samples", lambda: nn.Unsqueeze(0, 1), normal(3, 4), lambda module, x: x[..., None, :]),
    Case("samples_said_later", lambda: nn.Unsqueeze(0).setNumInputDims(1), normal(3, 4), lambda module, x: x[..., None, :]),
    Case("last", lambda: nn.Unsqueeze(-1), normal(3, 4), lambda module, x: x[..., None]),
]

ERRORS = [
    ErrorRow("pos", lambda: nn.Unsqueeze(3), lambda m: m.forward(np.zeros((2, 1), "f")), IndexRangeError,
             "pos: 3 is out of range for a 3-D array"),
]  # fmt: skip
