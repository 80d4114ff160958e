"""A guard against NaN."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

GOOD = np.ones((2, 4), "f")
BAD = np.array([[1, np.nan, 3, 4]], "f")


def linear() -> nn.NaN:
    return nn.NaN(nn.Linear(4, 3), "guard")


def spoilt(name: str) -> nn.NaN:
    module = linear()
    getattr(module.modules[0], name)[0] = np.nan
    return module


def backward(module: nn.NaN, gradOutput: np.ndarray) -> None:
    module.forward(GOOD)
    module.backward(GOOD, gradOutput)


class Spoiler(nn.Identity):
    """Makes NaN of everything, on the way back or before."""

    def __init__(self, method: str) -> None:
        super().__init__()
        setattr(self, method, lambda input, *others: input * np.float32("nan"))


def row(name, make, run, where):
    return ErrorRow(name, make, run, ValueRangeError, rf"nn\.NaN\(guard\) @ .*: NaN found in {where}$")


CASES = [
    Case(
        "linear",
        linear,
        normal(5, 4),
        lambda m, x: x @ m.modules[0].weight.T + m.modules[0].bias,
        skip=("nonfinite", "nan_arrives"),  # it raises an error instead
    )
]

ERRORS = [
    row("input", linear, lambda m: m.forward(BAD), "input"),
    row("table", lambda: nn.NaN(nn.Identity(), "guard"), lambda m: m.forward([GOOD, [BAD]]), "input"),
    row("parameters", lambda: spoilt("weight"), lambda m: m.forward(GOOD), "parameters"),
    row("output", lambda: nn.NaN(Spoiler("updateOutput"), "guard"), lambda m: m.forward(GOOD), "output"),
    row("gradOutput", linear, lambda m: backward(m, np.full((2, 3), np.nan, "f")), "gradOutput"),
    row("gradInput", lambda: nn.NaN(Spoiler("updateGradInput"), "guard"), lambda m: backward(m, GOOD), "gradInput"),
    row("gradParameters", lambda: spoilt("gradWeight"), lambda m: backward(m, np.ones((2, 3), "f")), "gradParameters"),
    row(
        "update",
        linear,
        lambda m: (m.forward(GOOD), m.accUpdateGradParameters(GOOD, np.ones((2, 3), "f"), float("nan"))),
        "parameters",
    ),
    ErrorRow("where", linear, lambda m: m.forward(np.ones((2, 5), "f")), ShapeError, r"^in module 1 of nn\.NaN, nn\.Linear"),
]
