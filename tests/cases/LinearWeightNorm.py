"""Affine maps of given lengths and directions."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    v = module.v.astype(np.float64)
    y = x @ (module.g * v / np.linalg.norm(v, axis=1, keepdims=True)).T
    return y if module.bias is None else y + module.bias


CASES = [
    Case("batch", lambda: nn.LinearWeightNorm(5, 3), normal(4, 5), reference),
    Case("no_bias", lambda: nn.LinearWeightNorm(4, 3, False), normal(2, 4), reference),
    Case("one_to_one", lambda: nn.LinearWeightNorm(1, 1), normal(6, 1), reference),
]

ERRORS = [
    ErrorRow("columns", lambda: nn.LinearWeightNorm(4, 2), lambda m: m.forward(np.zeros((2, 5), "f")), ShapeError,
             "input: expected 4 columns, .*got 2 x 5"),
    ErrorRow("size", lambda: None, lambda m: nn.LinearWeightNorm(0, 2), ValueRangeError, "inputSize: expected 1 or more"),
]  # fmt: skip
