"""Errors that are squared where they are small."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    d = np.abs(x - target)
    losses = np.where(d < 1, d**2 / 2, d - 0.5)
    return losses.mean() if module.sizeAverage else losses.sum()


def case(name: str, *shape: int, sizeAverage: bool = True) -> Case:
    return Case(name, lambda: nn.SmoothL1Criterion(sizeAverage), normal(*shape), reference, target=normal(*shape))


CASES = [
    case("vector", 9),
    case("batch", 4, 3, 5),
    case("sum", 3, 4, sizeAverage=False),
]

ERRORS = [
    ErrorRow("target_shape", nn.SmoothL1Criterion, lambda m: m.backward(np.zeros((2, 3), "f"), np.zeros((3, 3), "f")),
             ShapeError, r"target: expected 2 x 3, or 6 elements in another shape, got 3 x 3"),
]  # fmt: skip
