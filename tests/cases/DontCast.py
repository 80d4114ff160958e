"""A module that keeps its precision."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


def linear_of(module, x):
    return x @ module.modules[0].weight.T + module.modules[0].bias


CASES = [
    Case(
        "double_inside",
        lambda: nn.DontCast(nn.Linear(4, 3).double(), True),
        normal(5, 4),
        linear_of,
        skip=("wrong_dtype", "float_near_double"),  # it takes both; its gradients are double in both
    ),
    Case(
        "float_inside",
        lambda: nn.DontCast(nn.Linear(4, 3), True),
        normal(5, 4),
        linear_of,
        jacobian=False,  # differences of single precision
        # Single precision where the checks expect double.
        skip=("forward", "accumulate", "halves", "batch", "large", "float_near_double", "wrong_dtype"),
    ),
]

ERRORS = [
    ErrorRow(
        "not_cast",
        lambda: nn.DontCast(nn.Linear(4, 3)).double(),
        lambda m: m.forward(np.zeros((2, 4))),
        DtypeError,
        r"^in module 1 of nn\.DontCast, nn\.Linear: input: expected float32, got float64",
    ),
    ErrorRow(
        "word",
        lambda: nn.DontCast(nn.Linear(4, 3), True),
        lambda m: m.forward("abc"),
        DtypeError,
        "nn.DontCast: input: expected arrays or tables of arrays, got str 'abc'",
    ),
    ErrorRow(
        "word_in_a_table",
        lambda: nn.DontCast(nn.JoinTable(0), True),
        lambda m: m.forward([np.zeros(2), "abc"]),
        DtypeError,
        r"nn.DontCast: input\[1\]: expected arrays or tables of arrays, got str 'abc'",
    ),
    ErrorRow("type", lambda: None, lambda _: nn.DontCast(nn.Tanh(), True, True, "float"), DtypeError, "moduleType: expected"),
    ErrorRow(
        "where",
        lambda: nn.DontCast(nn.Linear(4, 3), True),
        lambda m: m.forward(np.zeros((2, 5), "f")),
        ShapeError,
        r"^in module 1 of nn\.DontCast, nn\.Linear",
    ),
]
