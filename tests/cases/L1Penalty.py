"""Penalties on magnitudes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal

# The gradient is not that of the output, by design.
CASES = [
    Case("sum", lambda: nn.L1Penalty(0.3), normal(3, 4), lambda module, x: x, jacobian=False),
    # The penalty of a batch is a mean over all of it.
    Case(
        "average",
        lambda: nn.L1Penalty(0.3, True),
        normal(3, 4),
        lambda module, x: x,
        jacobian=False,
        skip=("batch", "large"),
    ),
    # Here gradOutput counts for nothing.
    Case(
        "no_output",
        lambda: nn.L1Penalty(0.3, False, False),
        normal(3, 4),
        lambda module, x: x,
        jacobian=False,
        skip=("gradOutput_of_another_shape", "wrong_batch", "wrong_width"),
    ),
]

ERRORS = [
    ErrorRow("gradOutput", lambda: nn.L1Penalty(1), lambda m: m.backward(np.zeros(2, "f"), np.zeros(3, "f")), ShapeError,
             "gradOutput: expected 2, or 2 elements in another shape, got 3"),
]  # fmt: skip
