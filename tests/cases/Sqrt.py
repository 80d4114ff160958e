"""Square roots."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow


def reference(module, x):
    return x**0.5


def positive(*shape: int):
    return lambda rng: rng.uniform(0.1, 4, shape)


def negative(rng):
    """Numbers that have no root."""
    return rng.standard_normal((4, 5))


def roots(module, x):
    return np.where(x < 0, np.nan, np.abs(x) ** 0.5)


def stale(module):
    module.forward(np.zeros((2, 3), "f"))
    module.updateGradInput(np.zeros((3, 3), "f"), np.zeros((3, 3), "f"))


CASES = [
    Case("batch", nn.Sqrt, positive(4, 3, 5), reference),
    Case("eps", lambda: nn.Sqrt(0.5), positive(4, 5), reference),  # eps is not used
    Case("vector", nn.Sqrt, positive(7), reference, singleSample=False),
    Case("negative", nn.Sqrt, negative, roots, jacobian=False),
]

ERRORS = [
    ErrorRow("no_forward", nn.Sqrt, stale, ShapeError, r"gradOutput: expected 2 x 3, or 6 elements in another shape, got 3 x 3"),
]
