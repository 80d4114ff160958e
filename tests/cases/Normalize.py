"""Vectors of length one."""

from math import inf

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct, normal


def normalized(p: float, eps: float = 1e-10):
    def reference(module, x):
        magnitude = np.abs(x)
        if p == inf:
            return x / (magnitude.max(-1, keepdims=True) + eps)
        return x / ((magnitude**p).sum(-1, keepdims=True) + eps) ** (1 / p)

    return reference


def case(name: str, p: float, *eps: float) -> Case:
    return Case(name, lambda: nn.Normalize(p, *eps), distinct(4, 5), normalized(p, *eps))


CASES = [
    case("two", 2),
    case("two_eps", 2, 0.5),
    case("one", 1),
    case("fraction", 2.5),
    case("three", 3, 1e-2),
    case("four", 4, 0.1),
    case("largest", inf),
    Case(
        "zero",
        lambda: nn.Normalize(2, 1.0),
        lambda rng: np.zeros((2, 3)),
        normalized(2, 1.0),
        skip=("nonfinite",),  # an infinite gradient times the zeros is NaN, where a finite one does not reach the others
    ),
    Case("vector", lambda: nn.Normalize(2), normal(6), normalized(2), batched=False),
]

ERRORS = [
    ErrorRow("p", lambda: None, lambda _: nn.Normalize(0), ValueRangeError, "p: expected a number greater than 0, got 0"),
    ErrorRow("rank", lambda: nn.Normalize(2), lambda m: m.forward(np.zeros((2, 3, 4), "f")), ShapeError,
             "input: expected a 1-D or 2-D array, got 3-D"),
    ErrorRow("nothing_largest", lambda: nn.Normalize(inf), lambda m: m.forward(np.zeros((2, 0), "f")), ShapeError,
             "input: expected rows with elements, got 2 x 0"),
]  # fmt: skip
