"""Stretches of a dimension."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("columns", lambda: nn.Narrow(-1, 1, 2), normal(3, 5), lambda module, x: x[..., 1:3]),
    Case("rows", lambda: nn.Narrow(0, 2, 3), normal(5, 2), lambda module, x: x[2:], batched=False),
    Case("one", lambda: nn.Narrow(1, 2), normal(3, 5), lambda module, x: x[:, 2:3], singleSample=False),
    Case("to_the_end", lambda: nn.Narrow(-1, 1, -1), normal(3, 5), lambda module, x: x[..., 1:]),
    Case("before_the_end", lambda: nn.Narrow(-1, 1, -2), normal(3, 5), lambda module, x: x[..., 1:-1]),
    Case("without_the_end", lambda: nn.Narrow(-1, -1, 2), normal(3, 5), lambda module, x: x[..., :-2]),
]

ERRORS = [
    ErrorRow("stretch", lambda: nn.Narrow(1, 2, 3), lambda m: m.forward(np.zeros((2, 4), "f")), IndexRangeError,
             "offset 2, length 3: out of range for dimension 1 of size 4"),
    ErrorRow("negative", lambda: nn.Narrow(0, 2, -4), lambda m: m.forward(np.zeros(4, "f")), IndexRangeError,
             "offset 2, length -4: out of range for dimension 0 of size 4"),
    ErrorRow("dimension", lambda: nn.Narrow(2, 0), lambda m: m.forward(np.zeros((2, 4), "f")), IndexRangeError,
             "dimension: 2 is out of range for a 2-D array"),
]  # fmt: skip
