"""Distances to learned points."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow


def reference(module, x):
    return np.linalg.norm((x[..., None, :] - module.weight.T.astype(np.float64)), axis=-1)


def far(*shape: int):
    """So far away that the constant in the denominator of the gradient makes no difference."""
    return lambda rng: 5 * rng.standard_normal(shape)


CASES = [
    Case("batch", lambda: nn.Euclidean(5, 3), far(4, 5), reference),
    Case("one", lambda: nn.Euclidean(3, 1), far(4, 3), reference),
]

ERRORS = [
    ErrorRow("columns", lambda: nn.Euclidean(5, 3), lambda m: m.forward(np.zeros((2, 4), "f")), ShapeError,
             "input: expected 5 columns, got 2 x 4"),
    ErrorRow("rank", lambda: nn.Euclidean(5, 3), lambda m: m.forward(np.zeros((2, 2, 5), "f")), ShapeError,
             "input: expected a 1-D or 2-D array, got 3-D"),
    ErrorRow("size", lambda: None, lambda m: nn.Euclidean(5, 0), ValueRangeError, "outputSize: expected 1 or more, got 0"),
]  # fmt: skip
