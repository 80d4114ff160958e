"""Hyperbolic tangents."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    return np.tanh(x)


def wide(rng):
    """From the far tails to the neighbourhood of zero."""
    return np.concatenate([rng.standard_normal((5, 6)) * 10.0**k for k in range(-6, 2)])


def stale(module):
    module.forward(np.zeros((2, 3), "f"))
    module.updateGradInput(np.zeros((3, 3), "f"), np.zeros((3, 3), "f"))


CASES = [
    Case("batch", nn.Tanh, normal(4, 3, 5), reference),
    Case("wide", nn.Tanh, wide, reference, singleSample=False),
    Case("vector", nn.Tanh, normal(21), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("no_forward", nn.Tanh, stale, ShapeError, r"gradOutput: expected 2 x 3, or 6 elements in another shape, got 3 x 3"),
]
