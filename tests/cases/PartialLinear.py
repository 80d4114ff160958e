"""Some outputs of affine maps."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal


def partial(indices, bias: bool = True):
    module = nn.PartialLinear(4, 6, bias)
    module.setPartition(indices)
    return module


def reference(module, x):
    rows = slice(None) if module.partition is None else module.partition
    y = x @ module.weight[rows].T.astype(np.float64)
    return y if module.bias is None else y + module.bias[0, rows]


CASES = [
    Case("all", lambda: nn.PartialLinear(4, 6), normal(3, 4), reference, singleSample=False),
    Case("some", lambda: partial([5, 0, 2]), normal(3, 4), reference, singleSample=False),
    Case("twice", lambda: partial([1, 3, 1]), normal(3, 4), reference, singleSample=False),
    Case("no_bias", lambda: partial([1, 4], False), normal(3, 4), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("columns", lambda: nn.PartialLinear(4, 2), lambda m: m.forward(np.zeros((2, 5), "f")), ShapeError,
             "input: expected 2 x 4, got 2 x 5"),
    ErrorRow("rank", lambda: nn.PartialLinear(4, 2), lambda m: m.forward(np.zeros(4, "f")), ShapeError,
             "input: expected a 2-D array, got 1-D"),
    ErrorRow("range", lambda: nn.PartialLinear(4, 2), lambda m: m.setPartition([1, 2]), IndexRangeError,
             "indices: expected 0 to 1, got 2"),
    ErrorRow("infinite", lambda: nn.PartialLinear(4, 2), lambda m: m.setPartition(np.array([np.inf])), DtypeError,
             "indices: expected a vector of integers, got a float64 array of 1"),
    ErrorRow("indices", lambda: nn.PartialLinear(4, 2), lambda m: m.setPartition([0.5]), DtypeError,
             "indices: expected a vector of integers, got a list of 1 number"),
]  # fmt: skip
