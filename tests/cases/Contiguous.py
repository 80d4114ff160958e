"""Elements one after the other."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("matrix", nn.Contiguous, normal(3, 4), lambda module, x: x),
    Case("strided", nn.Contiguous, lambda rng: rng.standard_normal((4, 3, 2)).T, lambda module, x: x, batched=False),
]

ERRORS = [
    ErrorRow("gradOutput", nn.Contiguous, lambda m: m.backward(np.zeros(2, "f"), np.zeros(3, "f")), ShapeError,
             "gradOutput: expected 2, or 2 elements in another shape, got 3"),
]  # fmt: skip
