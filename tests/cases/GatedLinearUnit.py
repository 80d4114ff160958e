"""One half of the elements gates the other."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    a, b = np.split(x, 2, -1 if module.dim is None else module.dim)
    return a / (1 + np.exp(-b))


def backward(module):
    module.backward(np.zeros((3, 4), "f"), np.zeros((3, 4), "f"))


CASES = [
    Case("last", nn.GatedLinearUnit, normal(3, 2, 6), reference),
    Case("vector", nn.GatedLinearUnit, normal(6), reference, batched=False),
    Case("first", lambda: nn.GatedLinearUnit(0), normal(4, 3), reference, batched=False,
         larger=normal(600, 333)),
    Case("middle", lambda: nn.GatedLinearUnit(1), normal(3, 4, 2, 3), reference, singleSample=False),
    Case("negative", lambda: nn.GatedLinearUnit(-2), normal(3, 4, 2), reference),
    Case("pairs", lambda: nn.GatedLinearUnit(1), normal(5, 2), reference, singleSample=False),
]  # fmt: skip

ERRORS = [
    ErrorRow("odd", nn.GatedLinearUnit, lambda m: m.forward(np.zeros((2, 3), "f")), ShapeError,
             r"input: expected an even size along dimension 1, got 2 x 3"),
    ErrorRow("dim", lambda: nn.GatedLinearUnit(2), lambda m: m.forward(np.zeros((2, 4), "f")), IndexRangeError,
             r"dim: 2 is out of range for a 2-D array"),
    ErrorRow("gradOutput", nn.GatedLinearUnit, backward, ShapeError, r"gradOutput: expected 3 x 2, got 3 x 4"),
]  # fmt: skip
