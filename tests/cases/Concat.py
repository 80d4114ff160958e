"""Branches, joined."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, distinct, normal


def branches() -> nn.Concat:
    return nn.Concat(1).add(nn.Linear(4, 2)).add(nn.Tanh()).add(nn.Linear(4, 3))


def branches_of(module, x):
    one, _, other = module.modules
    return np.concatenate([x @ one.weight.T + one.bias, np.tanh(x), x @ other.weight.T + other.bias], 1)


def planes_of(module, x):
    pooled = x.reshape(*x.shape[:-2], 2, 2, 3, 2).max((-3, -1))
    means = x.reshape(*x.shape[:-2], 2, 2, 3, 2).mean((-3, -1))
    return np.concatenate([pooled, means], -3)


CASES = [
    Case("columns", branches, normal(3, 4), branches_of, singleSample=False),
    Case(
        "planes",
        lambda: nn.Concat(-3).add(nn.SpatialMaxPooling(2, 2)).add(nn.SpatialAveragePooling(2, 2, 2, 2)),
        distinct(2, 2, 4, 6),
        planes_of,
    ),
]

ERRORS = [
    ErrorRow(
        "sizes",
        lambda: nn.Concat(0).add(nn.Linear(4, 2)).add(nn.Tanh()),
        lambda m: m.forward(np.zeros((3, 4), "f")),
        ShapeError,
        r"outputs\[1\]: expected the sizes of outputs\[0\], 3 x 2, but for dimension 0, got 3 x 4",
    ),
    ErrorRow(
        "where",
        branches,
        lambda m: m.forward(np.zeros((3, 5), "f")),
        ShapeError,
        r"^in module 1 of nn\.Concat, nn\.Linear",
    ),
]
