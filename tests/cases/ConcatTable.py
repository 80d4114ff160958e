"""Branches, as a table."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def branches() -> nn.ConcatTable:
    return nn.ConcatTable().add(nn.Linear(4, 2)).add(nn.Sequential().add(nn.Tanh()).add(nn.Linear(4, 3)))


def branches_of(module, x):
    one, (_, other) = module.modules[0], module.modules[1].modules
    return [x @ one.weight.T + one.bias, np.tanh(x) @ other.weight.T + other.bias]


def residual() -> nn.Sequential:
    return nn.ConcatTable().add(nn.Tanh()).add(nn.Identity())


CASES = [
    Case("branches", branches, normal(3, 4), branches_of),
    # The first module writes its result over an input that lies there, before the second one reads it. Both take a gradOutput of
    # another shape.
    Case("residual", residual, normal(3, 4), lambda module, x: [np.tanh(x), x], skip=("own_results", "wrong_rank")),
]

ERRORS = [
    ErrorRow(
        "where",
        branches,
        lambda m: m.forward(np.zeros((3, 5), "f")),
        ShapeError,
        r"^in module 1 of nn\.ConcatTable, nn\.Linear",
    ),
]
