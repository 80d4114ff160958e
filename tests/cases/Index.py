"""Slices picked by their indices."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.given import Given

COLUMNS = np.array([4, 0, 0, 2])


CASES = [
    Case("columns", lambda: Given(nn.Index(-1), COLUMNS), normal(3, 5), lambda module, x: x[..., COLUMNS]),
    Case("rows", lambda: Given(nn.Index(0), COLUMNS), normal(5, 2, 3), lambda module, x: x[COLUMNS], batched=False),
    Case(
        "middle",
        lambda: Given(nn.Index(1), COLUMNS),
        normal(2, 5, 3),
        lambda module, x: x[:, COLUMNS],
        singleSample=False,
    ),
]

ERRORS = [
    ErrorRow("range", lambda: nn.Index(0), lambda m: m.forward([np.zeros(4, "f"), COLUMNS]), IndexRangeError,
             r"input\[1\]: expected indices from 0 to 3, got 4"),
    ErrorRow("negative", lambda: nn.Index(0), lambda m: m.forward([np.zeros(4, "f"), np.array([-1])]), IndexRangeError,
             r"input\[1\]: expected indices from 0 to 3, got -1"),
    ErrorRow("dtype", lambda: nn.Index(0), lambda m: m.forward([np.zeros(4, "f"), np.zeros(2, "f")]), DtypeError,
             r"input\[1\]: expected a vector of integers, got a float32 array of 2"),
    ErrorRow("dimension", lambda: nn.Index(1), lambda m: m.forward([np.zeros(4, "f"), COLUMNS]), IndexRangeError,
             "dimension: 1 is out of range for a 1-D array"),
]  # fmt: skip
