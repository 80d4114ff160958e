"""Positive parts."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    return np.maximum(x, 0)


def expanded():
    return np.lib.stride_tricks.as_strided(np.zeros(1, "f"), (3, 4), (0, 0), writeable=True)


CASES = [
    Case("batch", nn.ReLU, distinct(3, 4, 5, 2), reference),
    Case("inplace", lambda: nn.ReLU(True), distinct(3, 4, 5, 2), reference, inplace=True),
    Case("one_column", nn.ReLU, distinct(10, 1), reference),
]

ERRORS = [
    ErrorRow("list", nn.ReLU, lambda m: m.forward([1.0, 2.0]), DtypeError,
             r"input: expected a float32 array, got a list of 2 numbers; pass np.array"),
    ErrorRow("inplace_expanded", lambda: nn.ReLU(True), lambda m: m.forward(expanded()), ValueRangeError,
             r"several elements at one address"),
]  # fmt: skip
