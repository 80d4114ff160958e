"""The same elements under other sizes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reshaped(*sizes: int):
    return lambda module, x: x.reshape(sizes)


# View(12) takes a batch of one sample for a sample, as in Torch7: hence no check "batch" for it.
CASES = [
    Case("batch", lambda: nn.View(12), normal(3, 2, 6), lambda module, x: x.reshape(-1, 12), skip=("batch",)),
    Case("one_sample", lambda: nn.View(3, 4), normal(2, 6), reshaped(3, 4), batched=False),
    Case("rest", lambda: nn.View(-1, 4), normal(3, 8), reshaped(6, 4), batched=False),
    Case(
        "input_dims",
        lambda: nn.View(-1).setNumInputDims(2),
        normal(3, 2, 5),
        lambda module, x: x.reshape(*x.shape[:-2], 10),
    ),
]

ERRORS = [
    ErrorRow(
        "elements",
        lambda: nn.View(7),
        lambda m: m.forward(np.zeros((2, 6), "f")),
        ShapeError,
        r"input: 2 x 6 does not fill 7",
    ),
    ErrorRow("sizes", lambda: None, lambda m: nn.View(0, 3), ValueRangeError, r"sizes: expected positive ones"),
    ErrorRow("two_unknown", lambda: None, lambda m: nn.View(-1, -1), ValueRangeError, r"at most one -1"),
    ErrorRow("fraction", lambda: None, lambda _: nn.View("2"), ArgumentError, "sizes: expected an integer or a list, got '2'"),
    ErrorRow(
        "no_input",
        lambda: nn.View(6),
        lambda m: m.backward(None, np.zeros(6, "f")),
        DtypeError,
        "input: expected a float32 array, got None",
    ),
]
