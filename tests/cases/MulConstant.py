"""Constant factors."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("number", lambda: nn.MulConstant(2.5), normal(4, 5), lambda module, x: x * 2.5),
    Case("inplace", lambda: nn.MulConstant(-0.5, True), normal(4, 5), lambda module, x: x * -0.5, inplace=True),
    # Zero times infinity is NaN.
    Case(
        "zero",
        lambda: nn.MulConstant(0, True),
        normal(4, 5),
        lambda module, x: x * 0,
        inplace=True,
        skip=("nonfinite",),
    ),
]

ERRORS = [
    ErrorRow("gradOutput", lambda: nn.MulConstant(2), lambda m: m.backward(np.zeros(2, "f"), np.zeros(3, "f")), ShapeError,
             "gradOutput: expected 2, or 2 elements in another shape, got 3"),
]  # fmt: skip
