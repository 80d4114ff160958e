"""Powers."""

import math

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.Sqrt import positive


def reference(module, x):
    return np.vectorize(lambda element: math.pow(element, module.pow), otypes=[float])(x)


CASES = [
    Case("square", lambda: nn.Power(2), normal(4, 3, 5), reference),
    Case("cube", lambda: nn.Power(3), normal(4, 5), reference),
    Case("root", lambda: nn.Power(0.5), positive(4, 5), reference),
    Case("inverse", lambda: nn.Power(-1), positive(4, 5), reference),
    Case("vector", lambda: nn.Power(1.7), positive(7), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("gradOutput", lambda: nn.Power(2),
             lambda m: m.updateGradInput(np.ones((3, 4), "f"), np.zeros(11, "f")), ShapeError,
             r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
