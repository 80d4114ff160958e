"""Hinge losses of which number is larger."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    losses = np.maximum(0, module.margin - target * (x[0] - x[1]))
    return losses.sum() / len(losses) if module.sizeAverage else losses.sum()


def two(*shape: int):
    return lambda rng: [normal(*shape)(rng), normal(*shape)(rng)]


def signs(*shape: int):
    return lambda rng: rng.choice([-1.0, 1.0], shape)


def summing():
    criterion = nn.MarginRankingCriterion(2)
    criterion.sizeAverage = False
    return criterion


CASES = [
    Case("batch", nn.MarginRankingCriterion, two(6), reference, target=signs(6)),
    Case("column", nn.MarginRankingCriterion, two(6, 1), reference, target=signs(6, 1)),
    Case("sum", summing, two(6), reference, target=signs(6)),
    Case("number", nn.MarginRankingCriterion, two(1), reference, target=lambda rng: np.float64(1), batched=False),
    Case("number_for_all", nn.MarginRankingCriterion, two(6), reference, target=lambda rng: np.float64(-1),
         batched=False),
]  # fmt: skip


def forward(target):
    return lambda module: module.forward([np.zeros(3, "f"), np.zeros(3, "f")], target)


ERRORS = [
    ErrorRow("target_shape", nn.MarginRankingCriterion, forward(np.ones(2, "f")), ShapeError,
             r"target: expected 3, or 3 elements in another shape, got 2"),
    ErrorRow("target_values", nn.MarginRankingCriterion, forward(np.zeros(3, int)), ValueRangeError,
             r"target: expected 1 or -1, got 0"),
    ErrorRow("no_target", nn.MarginRankingCriterion, forward(None), DtypeError,
             r"target: expected 1 or -1, or an array of them, got None"),
    ErrorRow("shapes", nn.MarginRankingCriterion, lambda m: m.backward([np.zeros(3, "f"), np.zeros(4, "f")], 1),
             ShapeError, r"input\[1\]: expected 3, got 4"),
]  # fmt: skip
