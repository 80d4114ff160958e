"""A module for each slice."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal


def pair() -> nn.Parallel:
    return nn.Parallel(1, 1).add(nn.Linear(3, 2)).add(nn.Linear(3, 4))


def pair_of(module, x):
    parts = [x[:, i] @ linear.weight.T + linear.bias for i, linear in enumerate(module.modules[: x.shape[1]])]
    return np.concatenate(parts, 1)


CASES = [
    Case("columns", pair, normal(5, 2, 3), pair_of, singleSample=False),
    Case("fewer_slices_than_modules", pair, normal(5, 1, 3), pair_of, singleSample=False),
    Case(
        "from_the_end",
        lambda: nn.Parallel(-1, -2).add(nn.Tanh()).add(nn.Identity()),
        normal(3, 4, 2),
        lambda m, x: np.concatenate([np.tanh(x[..., 0]), x[..., 1]], -2),
        batched=False,  # the outputs are joined along it
    ),
]

ERRORS = [
    ErrorRow(
        "slices",
        pair,
        lambda m: m.forward(np.zeros((5, 3, 3), "f")),
        ShapeError,
        "input: expected 1 to 2 slices, one for each module, got 3 along dimension 1",
    ),
    ErrorRow(
        "no_slices",
        pair,
        lambda m: m.forward(np.zeros((5, 0, 3), "f")),
        ShapeError,
        "input: expected 1 to 2 slices, one for each module, got 0 along dimension 1",
    ),
    ErrorRow("dimension", pair, lambda m: m.forward(np.zeros(2, "f")), IndexRangeError, "inputDimension: 1 is out of range"),
    ErrorRow(
        "where", pair, lambda m: m.forward(np.zeros((5, 2, 4), "f")), ShapeError, r"^in module 1 of nn\.Parallel, nn\.Linear"
    ),
    ErrorRow(
        "gradOutput",
        pair,
        lambda m: m.backward(np.zeros((5, 2, 3), "f"), m.forward(np.zeros((5, 2, 3), "f"))[:, :3]),
        ShapeError,
        "gradOutput: expected 5 x 6, got 5 x 3",
    ),
]
