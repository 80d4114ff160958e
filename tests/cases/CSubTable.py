"""Differences."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normals

CASES = [
    Case("matrices", nn.CSubTable, normals((4, 5), (4, 5)), lambda module, x: x[0] - x[1]),
    Case("cubes", nn.CSubTable, normals((2, 3, 4), (2, 3, 4)), lambda module, x: x[0] - x[1]),
]

ERRORS = [
    ErrorRow("shapes", nn.CSubTable, lambda m: m.forward([np.zeros(2, "f"), np.zeros(3, "f")]), ShapeError,
             r"input\[1\]: expected 2, got 3"),
    ErrorRow("one", nn.CSubTable, lambda m: m.forward([np.zeros(2, "f")]), ShapeError,
             "input: expected a table of 2, got a table of 1"),
]  # fmt: skip
