"""Distances to learned points, in learned units."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow


def reference(module, x):
    return np.linalg.norm((x[..., None, :] - module.weight.T.astype(np.float64)) * module.diagCov.T, axis=-1)


def far(*shape: int):
    """So far away that the constant in the denominator of the gradient makes no difference."""
    return lambda rng: 20 * rng.standard_normal(shape)


CASES = [
    Case("batch", lambda: nn.WeightedEuclidean(5, 3), far(4, 5), reference),
    Case("one", lambda: nn.WeightedEuclidean(3, 1), far(4, 3), reference),
]

ERRORS = [
    ErrorRow("columns", lambda: nn.WeightedEuclidean(5, 3), lambda m: m.forward(np.zeros((2, 4), "f")), ShapeError,
             "input: expected 5 columns, got 2 x 4"),
    ErrorRow("rank", lambda: nn.WeightedEuclidean(5, 3), lambda m: m.forward(np.zeros((2, 2, 5), "f")), ShapeError,
             "input: expected a 1-D or 2-D array, got 3-D"),
    ErrorRow("size", lambda: None, lambda m: nn.WeightedEuclidean(5, 0), ValueRangeError,
             "outputSize: expected 1 or more, got 0"),
    ErrorRow("size", lambda: None, lambda _: nn.WeightedEuclidean(-1, 2), ValueRangeError,
             "inputSize: expected 1 or more, got -1"),
]  # fmt: skip
