"""Learned vectors added."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    return x + module.bias.reshape((1,) if module.scalar else x.shape[-module.bias.ndim :])


CASES = [
    Case("batch", lambda: nn.Add(5), normal(4, 5), reference),
    Case("scalar", lambda: nn.Add(5, True), normal(4, 5), reference),
    Case(
        "flattened",
        lambda: nn.Add(6),
        normal(4, 2, 3),
        lambda module, x: x + module.bias.reshape(2, 3),
        singleSample=False,
    ),
]

ERRORS = [
    ErrorRow("columns", lambda: nn.Add(5), lambda m: m.forward(np.zeros((2, 4), "f")), ShapeError,
             "input: expected 5 or a batch of that, got 2 x 4"),
    ErrorRow("size", lambda: None, lambda m: nn.Add(0), ValueRangeError, "inputSize: expected 1 or more, got 0"),
    ErrorRow("no_dimensions", lambda: nn.Add(1), lambda m: m.forward(np.zeros((), "f")), ShapeError,
             "input: expected 1 or a batch of that, got no dimensions"),
]  # fmt: skip
