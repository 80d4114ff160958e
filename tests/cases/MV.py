"""Products of matrices and vectors."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normals

CASES = [
    Case("batch", nn.MV, normals((4, 2, 3), (4, 3)), lambda module, x: np.einsum("...ij,...j->...i", *x)),
    Case("trans", lambda: nn.MV(True), normals((4, 3, 2), (4, 3)), lambda module, x: np.einsum("...ji,...j->...i", *x)),
    Case("matrix", nn.MV, normals((2, 3), (3,)), lambda module, x: x[0] @ x[1], batched=False),
]

ERRORS = [
    ErrorRow("sizes", nn.MV, lambda m: m.forward([np.zeros((2, 3), "f"), np.zeros(2, "f")]), ShapeError,
             r"input\[1\]: expected 3, got 2"),
    ErrorRow("rank", nn.MV, lambda m: m.forward([np.zeros(3, "f"), np.zeros(3, "f")]), ShapeError,
             r"input\[0\]: expected a 2-D or 3-D array, got 1-D"),
]  # fmt: skip
