"""The same for every input."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal

VALUE = np.arange(6.0).reshape(2, 3)
ANY = ("wrong_dtype",)  # nothing is computed with the input


CASES = [
    Case("batch", lambda: nn.Constant(VALUE, 1), normal(4, 5), lambda module, x: np.zeros((*x.shape[:-1], 1, 1)) + VALUE,
         skip=ANY),
    Case("array", lambda: nn.Constant(VALUE), normal(4, 5), lambda module, x: VALUE, batched=False, skip=ANY),
    Case("number", lambda: nn.Constant(3.5), normal(4, 5), lambda module, x: np.array([3.5]), batched=False, skip=ANY),
]  # fmt: skip

ERRORS = [
    ErrorRow("gradOutput", lambda: nn.Constant(VALUE), lambda m: m.backward(np.zeros(2, "f"), np.zeros(6, "f")), ShapeError,
             "gradOutput: expected 2 x 3, got 6"),
]  # fmt: skip
