"""A module for each entry of a table."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow


def entries(rng):
    return [rng.standard_normal((3, 4)), rng.standard_normal((3, 5))]


def pair() -> nn.ParallelTable:
    return nn.ParallelTable().add(nn.Linear(4, 2)).add(nn.Tanh())


def pair_of(module, x):
    return [x[0] @ module.modules[0].weight.T + module.modules[0].bias, np.tanh(x[1])]


CASES = [Case("pair", pair, entries, pair_of)]

ERRORS = [
    ErrorRow(
        "entries",
        pair,
        lambda m: m.forward([np.zeros((3, 4), "f")]),
        ShapeError,
        r"input: expected a table of 2, got a table of 1",
    ),
    ErrorRow(
        "where",
        pair,
        lambda m: m.forward([np.zeros((3, 5), "f"), np.zeros((3, 5), "f")]),
        ShapeError,
        r"^in module 1 of nn\.ParallelTable, nn\.Linear",
    ),
]
