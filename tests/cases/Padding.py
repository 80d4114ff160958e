"""Constants put in."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def padded(axis: int, before: int, after: int, value: float = 0):
    def reference(module, x):
        around = [(0, 0)] * x.ndim
        around[axis] = before, after
        return np.pad(x, around, constant_values=value)

    return reference


CASES = [
    Case("after", lambda: nn.Padding(0, 2), normal(3, 4), padded(0, 0, 2), batched=False),
    Case("before", lambda: nn.Padding(0, -2, 2, 0.5), normal(2, 3, 4), padded(-2, 2, 0, 0.5)),
    Case(
        "after_all_but_one",
        lambda: nn.Padding(-1, 2, value=7, index=1),
        normal(2, 3),
        lambda module, x: np.insert(x, [2, 2], 7, axis=-1),
    ),
    Case(
        "before_all_but_one",
        lambda: nn.Padding(0, -1, 1, 7, 2),
        normal(2, 3),
        lambda module, x: np.insert(x, 2, 7, axis=-1),
    ),
    Case("nothing", lambda: nn.Padding(-1, 0), normal(2, 3), lambda module, x: x),
]

ERRORS = [
    ErrorRow("dim", lambda: nn.Padding(2, 1), lambda m: m.forward(np.zeros((2, 3), "f")), IndexRangeError,
             "dim: 2 is out of range for a 2-D array"),
    ErrorRow("index", lambda: nn.Padding(1, 1, index=4), lambda m: m.forward(np.zeros((2, 3), "f")), IndexRangeError,
             "index: 4 is out of range for a dimension of size 3"),
    ErrorRow("negative", lambda: None, lambda m: nn.Padding(1, 1, index=-1), ValueRangeError,
             "index: expected 0 or more, got -1"),
]  # fmt: skip
