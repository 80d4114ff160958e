"""Positive and negative parts side by side."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    return np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)], x.ndim - module.nInputDims)


INPLACE = ("untouched", "readonly")  # gradOutput is overwritten

CASES = [
    Case("images", lambda: nn.CReLU(3), distinct(2, 3, 2, 4), reference),
    Case("image", lambda: nn.CReLU(3), distinct(3, 2, 4), reference, batched=False),
    Case("inplace", lambda: nn.CReLU(2, True), distinct(3, 4, 5), reference, skip=INPLACE),
    Case("rows", lambda: nn.CReLU(1), distinct(3, 4), reference),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.CReLU(3), lambda m: m.forward(np.zeros((2, 3), "f")), ShapeError,
             r"input: expected a 3-D or 4-D array, got 2-D"),
    ErrorRow("nInputDims", lambda: None, lambda m: nn.CReLU(0), ValueRangeError, r"nInputDims: expected 1 or more, got 0"),
]  # fmt: skip
