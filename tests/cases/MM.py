"""Products of matrices."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normals

CASES = [
    Case("batch", nn.MM, normals((4, 2, 3), (4, 3, 5)), lambda module, x: x[0] @ x[1]),
    Case("trans_a", lambda: nn.MM(True), normals((4, 3, 2), (4, 3, 5)), lambda module, x: x[0].swapaxes(-1, -2) @ x[1]),
    Case(
        "trans_b",
        lambda: nn.MM(False, True),
        normals((4, 2, 3), (4, 5, 3)),
        lambda module, x: x[0] @ x[1].swapaxes(-1, -2),
    ),
    Case(
        "trans_both",
        lambda: nn.MM(True, True),
        normals((4, 3, 2), (4, 5, 3)),
        lambda module, x: (x[1] @ x[0]).swapaxes(-1, -2),
    ),
    Case("matrices", nn.MM, normals((2, 3), (3, 5)), lambda module, x: x[0] @ x[1], batched=False),
]

ERRORS = [
    ErrorRow("sizes", lambda: nn.MM(False, True), lambda m: m.forward([np.zeros((2, 3), "f"), np.zeros((5, 4), "f")]),
             ShapeError, r"input\[1\]: expected 5 x 3, got 5 x 4"),
    ErrorRow("batch", nn.MM, lambda m: m.forward([np.zeros((2, 3, 4), "f"), np.zeros((3, 4, 1), "f")]), ShapeError,
             r"input\[1\]: expected 2 x 4 x 1, got 3 x 4 x 1"),
    ErrorRow("rank", nn.MM, lambda m: m.forward([np.zeros((2, 3, 4), "f"), np.zeros((4, 1), "f")]), ShapeError,
             r"input\[1\]: expected a 3-D array, got 2-D"),
]  # fmt: skip
