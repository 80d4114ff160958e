"""Elements picked by a mask."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.given import Given

MASK = np.array([[1, 0, 2], [0, 0, 1]], np.uint8)


CASES = [
    Case("bytes", lambda: Given(nn.MaskedSelect(), MASK), normal(2, 3), lambda module, x: x[MASK != 0], batched=False),
    Case(
        "booleans",
        lambda: Given(nn.MaskedSelect(), MASK != 0),
        normal(2, 3),
        lambda module, x: x[MASK != 0],
        batched=False,
    ),
]

ERRORS = [
    ErrorRow("shape", nn.MaskedSelect, lambda m: m.forward([np.zeros((3, 2), "f"), MASK]), ShapeError,
             r"input\[1\]: expected 3 x 2, got 2 x 3"),
    ErrorRow("dtype", nn.MaskedSelect, lambda m: m.forward([np.zeros(3, "f"), np.zeros(3, "f")]), DtypeError,
             r"input\[1\]: expected a mask of integers or booleans, got a float32 array of 3"),
]  # fmt: skip
