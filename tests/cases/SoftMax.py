"""Probabilities."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    axis = {1: 0, 2: 1, 3: 0, 4: 1}[x.ndim]
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def far(rng):
    """Scores whose exponentials overflow, and some that underflow."""
    return rng.standard_normal((5, 9)) * 5 + np.array([[0], [800], [-800], [1e4], [3]])


def case(name: str, *shape: int, batched: bool = True, skip: tuple[str, ...] = ()) -> Case:
    return Case(name, nn.SoftMax, normal(*shape), reference, batched=batched, singleSample=batched, skip=skip)


CASES = [
    case("vector", 7, batched=False),
    case("long_vector", 1000, batched=False),
    case("one_class", 4, 1, skip=("nonfinite",)),  # every number gives 1, but NaN stays NaN
    case("rows", 3, 19),
    case("many_short_rows", 70, 5),
    case("long_rows", 2, 700),
    case("very_long_rows", 2, 1030),
    case("planes", 2, 5, 3, 4),
    case("large_planes", 2, 3, 18, 17),
    case("planes_of_one", 3, 5, 1, 1),
    Case("far", nn.SoftMax, far, reference, jacobian=False),  # differences of such numbers have too few digits
]

ERRORS = [
    ErrorRow("rank", nn.SoftMax, lambda m: m.forward(np.zeros((2, 3, 1, 1, 1), "f")), ShapeError,
             r"input: expected C, N x C, C x H x W or N x C x H x W, got 5-D \(2 x 3 x 1 x 1 x 1\)"),
    ErrorRow("gradOutput", nn.SoftMax, lambda m: m.backward(np.zeros((2, 3), "f"), np.zeros((2, 4), "f")),
             ShapeError, r"gradOutput: expected 2 x 3, got 2 x 4"),
]  # fmt: skip
