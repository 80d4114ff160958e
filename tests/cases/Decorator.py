"""A module around another one."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def entries(rng):
    return [rng.standard_normal((3, 4)), rng.standard_normal((3, 5))]


CASES = [
    Case(
        "linear",
        lambda: nn.Decorator(nn.Linear(4, 3)),
        normal(5, 4),
        lambda m, x: x @ m.modules[0].weight.T + m.modules[0].bias,
    ),
    Case("table", lambda: nn.Decorator(nn.ParallelTable().add(nn.Tanh()).add(nn.Identity())), entries,
         lambda m, x: [np.tanh(x[0]), x[1]], skip=("wrong_rank",)),  # nn.Tanh takes a gradOutput of another shape
]  # fmt: skip

ERRORS = [
    ErrorRow(
        "where",
        lambda: nn.Decorator(nn.Decorator(nn.Linear(4, 3))),
        lambda m: m.forward(np.zeros((2, 5), "f")),
        ShapeError,
        r"^in module 1 of nn\.Decorator, in module 1 of nn\.Decorator, nn\.Linear",
    )
]
