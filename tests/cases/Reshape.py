"""The same elements under other sizes, batch dimension kept."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


def reshaped(*sizes: int):
    return lambda module, x: x.reshape(sizes)


CASES = [
    Case("batch", lambda: nn.Reshape(3, 4), normal(5, 2, 6), lambda module, x: x.reshape(*x.shape[:-2], 3, 4)),
    Case("one_sample", lambda: nn.Reshape(4, 3), normal(2, 6), reshaped(4, 3), batched=False),
    Case(
        "always_batch",
        lambda: nn.Reshape(6, batchMode=True),
        normal(2, 3, 2),
        lambda module, x: x.reshape(-1, 6),
        singleSample=False,
    ),
    Case("never_batch", lambda: nn.Reshape(2, 6, batchMode=False), normal(2, 3, 2), reshaped(2, 6), batched=False),
]

ERRORS = [
    ErrorRow(
        "elements",
        lambda: nn.Reshape(7),
        lambda m: m.forward(np.zeros((2, 6), "f")),
        ShapeError,
        r"input: 2 x 6 does not fill 7",
    ),
    ErrorRow("nan", lambda: None, lambda _: nn.Reshape(float("nan")), ArgumentError, "sizes: expected an integer, got nan"),
    ErrorRow(
        "no_input",
        lambda: nn.Reshape(6),
        lambda m: m.backward(None, np.zeros(6, "f")),
        DtypeError,
        "input: expected a float32 array, got None",
    ),
]
