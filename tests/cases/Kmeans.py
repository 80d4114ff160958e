"""Nearest centres."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    return np.argmin(((x[:, None] - module.weight) ** 2).sum(2), axis=1)


# The gradient of a batch is a mean, not the sum of those of its samples; a NaN cannot arrive in an index.
SKIP = ("batch", "large", "nan_arrives")

CASES = [
    Case("batch", lambda: nn.Kmeans(3, 4), normal(6, 4), reference, singleSample=False, jacobian=False, skip=SKIP),
]

ERRORS = [
    ErrorRow("columns", lambda: nn.Kmeans(3, 4), lambda m: m.forward(np.zeros((2, 5), "f")), ShapeError,
             "input: expected 4 columns, got 2 x 5"),
    ErrorRow("samples", lambda: nn.Kmeans(3, 4), lambda m: m.initRandom(np.zeros((2, 4), "f")), ShapeError,
             "input: expected 3 or more rows, got 2 x 4"),
    ErrorRow("p", lambda: nn.Kmeans(3, 4), lambda m: m.initKmeansPlus(np.zeros((4, 4), "f"), 2), ValueRangeError,
             "p: expected 0 to 1, got 2"),
    ErrorRow("k", lambda: None, lambda m: nn.Kmeans(0, 4), ValueRangeError, "k: expected 1 or more, got 0"),
]  # fmt: skip
