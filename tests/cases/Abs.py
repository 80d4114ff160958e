"""Absolute values."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    return np.where(x < 0, -x, x)


CASES = [
    Case("batch", nn.Abs, distinct(4, 3, 5), reference),
    Case("vector", nn.Abs, distinct(8), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("gradOutput", nn.Abs, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
