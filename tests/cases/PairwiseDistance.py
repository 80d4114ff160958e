"""Distances."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normals


def reference(module, x):
    return np.atleast_1d(np.linalg.norm(x[0] - x[1], module.norm, axis=-1))


def far(*shape: int):
    """So far apart that the constant in the denominator of the gradient makes no difference."""
    return lambda rng: [30 * rng.standard_normal(shape) for _ in range(2)]


CASES = [
    Case("sum", lambda: nn.PairwiseDistance(1), normals((4, 5), (4, 5)), reference, singleSample=False),
    Case("euclidean", nn.PairwiseDistance, far(4, 5), reference, singleSample=False),
    Case("cubes", lambda: nn.PairwiseDistance(3), far(4, 5), reference, singleSample=False),
    Case("between", lambda: nn.PairwiseDistance(1.5), far(4, 5), reference, singleSample=False),
    Case("vectors", nn.PairwiseDistance, far(5), reference, batched=False),
]

ERRORS = [
    ErrorRow("shapes", nn.PairwiseDistance, lambda m: m.forward([np.zeros((2, 3), "f"), np.zeros((2, 4), "f")]), ShapeError,
             r"input\[1\]: expected 2 x 3, got 2 x 4"),
    ErrorRow("rank", nn.PairwiseDistance, lambda m: m.forward([np.zeros((2, 3, 1), "f")] * 2), ShapeError,
             r"input\[0\]: expected a 1-D or 2-D array, got 3-D"),
    ErrorRow("p", lambda: None, lambda m: nn.PairwiseDistance(0), ValueRangeError,
             "p: expected a positive, finite number, got 0"),
]  # fmt: skip
