"""Constants added."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal

VECTOR = np.array([1.0, -2.0, 3.0])


CASES = [
    Case("number", lambda: nn.AddConstant(1.5), normal(4, 5), lambda module, x: x + 1.5),
    Case("vector", lambda: nn.AddConstant(VECTOR), normal(4, 3), lambda module, x: x + VECTOR),
    Case("inplace", lambda: nn.AddConstant(-0.5, True), normal(4, 5), lambda module, x: x - 0.5, inplace=True),
]

ERRORS = [
    ErrorRow("length", lambda: nn.AddConstant(VECTOR), lambda m: m.forward(np.zeros((3, 2), "f")), ShapeError,
             "constant_scalar: .* last dimension of a float32 array of 3 x 2, got a float32 array of 3"),
]  # fmt: skip
