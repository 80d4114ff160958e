"""Bilinear forms."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normals


def reference(module, x):
    y = np.einsum("ni,oij,nj->no", x[0], module.weight.astype(np.float64), x[1])
    return y if module.bias is None else y + module.bias


CASES = [
    Case("batch", lambda: nn.Bilinear(3, 4, 2), normals((5, 3), (5, 4)), reference, singleSample=False),
    Case("no_bias", lambda: nn.Bilinear(2, 3, 4, False), normals((3, 2), (3, 3)), reference, singleSample=False),
    Case("one", lambda: nn.Bilinear(1, 1, 1), normals((2, 1), (2, 1)), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("columns", lambda: nn.Bilinear(3, 4, 2), lambda m: m.forward([np.zeros((5, 3), "f"), np.zeros((5, 3), "f")]),
             ShapeError, r"input\[1\]: expected 5 x 4, got 5 x 3"),
    ErrorRow("batch", lambda: nn.Bilinear(3, 4, 2), lambda m: m.forward([np.zeros((5, 3), "f"), np.zeros((2, 4), "f")]),
             ShapeError, r"input\[1\]: expected 5 x 4, got 2 x 4"),
    ErrorRow("rank", lambda: nn.Bilinear(3, 4, 2), lambda m: m.forward([np.zeros(3, "f"), np.zeros(4, "f")]), ShapeError,
             r"input\[0\]: expected N x 3, got 3"),
    ErrorRow("size", lambda: None, lambda m: nn.Bilinear(3, 0, 2), ValueRangeError, "inputSize2: expected 1 or more, got 0"),
]  # fmt: skip
