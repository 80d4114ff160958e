"""A module with a place on a device."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case(
        "linear",
        lambda: nn.GPU(nn.Linear(4, 3), 2),
        normal(5, 4),
        lambda m, x: x @ m.modules[0].weight.T + m.modules[0].bias,
    )
]

ERRORS = [
    ErrorRow(
        "where",
        lambda: nn.GPU(nn.Linear(4, 3), 1),
        lambda m: m.forward(np.zeros((2, 5), "f")),
        ShapeError,
        r"^in module 1 of nn\.GPU, nn\.Linear",
    )
]
