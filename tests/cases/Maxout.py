"""The largest of several affine maps."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def maps_of(module, x, change=lambda values: values):
    linear = module.modules[0]
    values = x @ linear.weight.T + linear.bias
    return change(values.reshape(*x.shape[:-1], 2, 3)).max(-2)


CASES = [
    Case("two_maps", lambda: nn.Maxout(4, 3, 2), normal(5, 4), maps_of),
    Case(
        "preprocess",
        lambda: nn.Maxout(4, 3, 2, nn.Tanh()),
        normal(5, 4),
        lambda m, x: maps_of(m, x, np.tanh),
    ),
]

ERRORS = [
    ErrorRow("none", lambda: None, lambda _: nn.Maxout(4, 3, 0), ValueRangeError, "maxoutNumber: expected 1"),
    ErrorRow(
        "where",
        lambda: nn.Maxout(4, 3, 2),
        lambda m: m.forward(np.zeros((2, 5), "f")),
        ShapeError,
        r"^in module 1 of nn\.Maxout, nn\.Linear",
    ),
]
