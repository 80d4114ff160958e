"""Affine maps."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    y = np.einsum("...i,oi->...o", x, module.weight.astype(np.float64))
    return y if module.bias is None else y + module.bias


CASES = [
    Case("batch", lambda: nn.Linear(5, 3), normal(4, 5), reference),
    Case("large_batch", lambda: nn.Linear(7, 6), normal(9, 7), reference),
    Case("no_bias", lambda: nn.Linear(4, 3, False), normal(2, 4), reference),
    Case("one_to_one", lambda: nn.Linear(1, 1), normal(6, 1), reference),
    Case("wide", lambda: nn.Linear(3, 40), normal(2, 3), reference),
    Case("many_outputs", lambda: nn.Linear(3, 301), normal(2, 3), reference),  # in parts, whose sums are added
]

ERRORS = [
    ErrorRow("rank", lambda: nn.Linear(4, 2), lambda m: m.forward(np.zeros((2, 2, 4), "f")), ShapeError,
             "input: expected"),
    ErrorRow("columns", lambda: nn.Linear(4, 2), lambda m: m.forward(np.zeros((2, 5), "f")), ShapeError,
             "input: expected 4 columns, the inputSize, got 2 x 5"),
    ErrorRow("dtype", lambda: nn.Linear(4, 2), lambda m: m.forward(np.zeros((2, 4))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("gradOutput", lambda: nn.Linear(4, 2), lambda m: m.backward(np.zeros((2, 4), "f"), np.zeros((2, 3), "f")),
             ShapeError, "gradOutput: expected 2 x 2, got 2 x 3"),
]  # fmt: skip
