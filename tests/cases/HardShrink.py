"""Small elements removed."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    return np.where(np.abs(x) > module.lambda_, x, 0)


CASES = [
    Case("batch", nn.HardShrink, distinct(4, 3, 5), reference),
    Case("lambda", lambda: nn.HardShrink(0.1), distinct(4, 5), reference),
    Case("vector", nn.HardShrink, distinct(8), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("gradOutput", nn.HardShrink, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
