"""Many leading dimensions made one."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct, normal


def linear_of(module, x):
    return x @ module.modules[0].weight.T + module.modules[0].bias


CASES = [
    Case("linear", lambda: nn.Bottle(nn.Linear(4, 3)), normal(2, 5, 4), linear_of),
    Case("linear_many", lambda: nn.Bottle(nn.Linear(4, 3)), normal(2, 3, 2, 4), linear_of),
    Case("linear_one", lambda: nn.Bottle(nn.Linear(4, 3)), normal(5, 4), linear_of),
    Case(
        "planes",
        lambda: nn.Bottle(nn.SpatialMaxPooling(2, 2), 4),
        distinct(2, 3, 2, 4, 6),
        lambda m, x: x.reshape(2, 3, 2, 2, 2, 3, 2).max((-3, -1)) if len(x) == 2 else None,
        singleSample=False,
        skip=("large",),  # the reference knows this shape only
    ),
    Case(
        "fewer_dimensions",
        lambda: nn.Bottle(nn.Sequential().add(nn.View(6).setNumInputDims(2)).add(nn.Linear(6, 2)), 3, 2),
        normal(2, 4, 2, 3),
        lambda m, x: x.reshape(*x.shape[:2], 6) @ m.modules[0].modules[1].weight.T + m.modules[0].modules[1].bias,
    ),
]

ERRORS = [
    ErrorRow("nInputDim", lambda: None, lambda _: nn.Bottle(nn.Tanh(), 0), ValueRangeError, "nInputDim: expected 1"),
    ErrorRow(
        "output",
        lambda: nn.Bottle(nn.View(-1), 2),
        lambda m: m.forward(np.zeros((2, 3, 4), "f")),
        ShapeError,
        "output: expected 2 dimensions, got 24",
    ),
    ErrorRow(
        "where",
        lambda: nn.Bottle(nn.Linear(4, 3)),
        lambda m: m.forward(np.zeros((2, 3, 5), "f")),
        ShapeError,
        r"^in module 1 of nn\.Bottle, nn\.Linear",
    ),
    ErrorRow(
        "gradOutput",
        lambda: nn.Bottle(nn.Linear(4, 3)),
        lambda m: m.backward(np.zeros((2, 3, 4), "f"), m.forward(np.zeros((2, 3, 4), "f"))[0]),
        ShapeError,
        "gradOutput: expected 2 x 3 x 3, got 3 x 3",
    ),
]
