"""A module that measures another one."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case(
        "linear",
        lambda: nn.Profile(nn.Linear(4, 3)),
        normal(5, 4),
        lambda m, x: x @ m.modules[0].weight.T + m.modules[0].bias,
    )
]

ERRORS = [
    ErrorRow("interval", lambda: None, lambda _: nn.Profile(nn.Tanh(), 0), ValueRangeError, "print_interval: expected 1"),
    ErrorRow(
        "where",
        lambda: nn.Profile(nn.Linear(4, 3)),
        lambda m: m.forward(np.zeros((2, 5), "f")),
        ShapeError,
        r"^in module 1 of nn\.Profile, nn\.Linear",
    ),
]
