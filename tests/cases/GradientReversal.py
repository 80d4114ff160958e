"""Gradients turned round."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal

# The gradient is not that of the output, by design.
CASES = [Case("matrix", lambda: nn.GradientReversal(2.5), normal(3, 4), lambda module, x: x, jacobian=False)]

ERRORS = [
    ErrorRow("gradOutput", nn.GradientReversal, lambda m: m.backward(np.zeros(2, "f"), np.zeros(3, "f")), ShapeError,
             "gradOutput: expected 2, or 2 elements in another shape, got 3"),
]  # fmt: skip
