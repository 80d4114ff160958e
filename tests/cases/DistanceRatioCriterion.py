"""Losses of ratios of distances."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    near, far = np.exp(-x[0]), np.exp(-x[1])
    losses = -np.log(near / (near + far))
    return losses.sum() / len(losses) if module.sizeAverage else losses.sum()


def two(*shape: int):
    return lambda rng: [normal(*shape)(rng), normal(*shape)(rng)]


def no_target(rng):
    return None


CASES = [
    Case("vector", nn.DistanceRatioCriterion, two(6), reference, target=no_target, batched=False, larger=two(30_000)),
    Case("column", nn.DistanceRatioCriterion, two(6, 1), reference, target=no_target, batched=False),
    Case("sum", lambda: nn.DistanceRatioCriterion(False), two(6), reference, target=no_target, batched=False),
]

ERRORS = [
    ErrorRow("shapes", nn.DistanceRatioCriterion, lambda m: m.forward([np.zeros(3, "f"), np.zeros(4, "f")]), ShapeError,
             r"input\[1\]: expected 3, got 4"),
    ErrorRow("array", nn.DistanceRatioCriterion, lambda m: m.backward(np.zeros((2, 3), "f")), DtypeError,
             r"input: expected a table of 2, got a float32 array of 2 x 3"),
]  # fmt: skip
