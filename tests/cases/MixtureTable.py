"""Weighted sums of experts."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normals


def experts(rng):
    return [rng.standard_normal((4, 3)), [rng.standard_normal((4, 2, 5)) for _ in range(3)]]


def stacked(*shape: int):
    return normals((4, 3), shape)


CASES = [
    Case(
        "list",
        nn.MixtureTable,
        experts,
        lambda module, x: sum(x[0].T[i].T[..., None, None] * x[1][i] for i in range(3)),
    ),
    Case("array", nn.MixtureTable, stacked(4, 3, 5), lambda module, x: np.einsum("...i,...ij->...j", *x)),
    Case("last", lambda: nn.MixtureTable(-1), stacked(4, 2, 5, 3), lambda module, x: np.einsum("...i,...jki->...jk", *x)),
    Case(
        "numbers",
        nn.MixtureTable,
        normals((3,), (3,)),
        lambda module, x: x[0] @ x[1],
        batched=False,
        skip=("wrong_batch", "wrong_width"),  # the output has no size
    ),
]

ERRORS = [
    ErrorRow("gates", nn.MixtureTable, lambda m: m.forward([np.zeros(3, "f"), [np.zeros(2, "f")] * 2]), ShapeError,
             r"input\[1\]: expected 3 experts, one for each gate, got 2"),
    ErrorRow("batch", nn.MixtureTable, lambda m: m.forward([np.zeros((4, 2), "f"), [np.zeros((3, 2), "f")] * 2]), ShapeError,
             r"input\[1\]: expected experts with a batch of 4 like the gater, got 3 x 2"),
    ErrorRow("rank", nn.MixtureTable, lambda m: m.forward([np.zeros((4, 2), "f"), np.zeros(2, "f")]), ShapeError,
             r"input\[1\]: expected an array of 2 dimensions or more, .* got 1-D \(2\)"),
    ErrorRow("batch of numbers", nn.MixtureTable, lambda m: m.forward([np.zeros((4, 2), "f"), [np.array(1, "f")] * 2]),
             ShapeError, r"input\[1\]: expected experts with a batch of 4 like the gater, got"),
    ErrorRow("dim", lambda: nn.MixtureTable(3), lambda m: m.forward([np.zeros(3, "f"), np.zeros((3, 2), "f")]),
             IndexRangeError, "dim: 3 is out of range for a 2-D array"),
]  # fmt: skip
