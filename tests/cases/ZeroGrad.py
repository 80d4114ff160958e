"""Gradients stopped."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal, normals

# The gradient is not that of the output, by design.
CASES = [
    Case("matrix", nn.ZeroGrad, normal(3, 4), lambda module, x: x, jacobian=False),
    Case("table", nn.ZeroGrad, normals((3, 4), (3, 2)), lambda module, x: x, jacobian=False,
         skip=("gradOutput_of_another_shape",)),  # a case of arrays
]  # fmt: skip

ERRORS = [
    ErrorRow("gradOutput", nn.ZeroGrad, lambda m: m.backward(np.zeros(2, "f"), np.zeros(3, "f")), ShapeError,
             "gradOutput: expected 2, or 2 elements in another shape, got 3"),
]  # fmt: skip
