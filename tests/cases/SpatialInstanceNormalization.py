"""Planes that have mean 0 and variance 1, each by itself."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import NullError, ShapeError
from tests.case import Case, ErrorRow, normal


def normalised(x, scale, shift, eps):
    """Planes of x, normalised, times the scale of their channel plus its shift."""
    mean, variance = x.mean((-2, -1), keepdims=True), x.var((-2, -1), keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * scale[:, None, None] + shift[:, None, None]


def reference(module, x):
    return normalised(x, *(parameter.astype(np.float64) for parameter in module.parameters()[0]), module.eps)


CASES = [
    Case("batch", lambda: nn.SpatialInstanceNormalization(3), normal(2, 3, 4, 5), reference),
    Case("eps", lambda: nn.SpatialInstanceNormalization(2, 0.1), normal(3, 2, 3, 2), reference),
]


def backward_of_another_batch(module):
    module.forward(np.zeros((1, 2, 3, 3), "f"))
    module.backward(np.zeros((2, 2, 3, 3), "f"), np.zeros((2, 2, 3, 3), "f"))


ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialInstanceNormalization(2), lambda m: m.forward(np.zeros((2, 3), "f")), ShapeError,
             r"input: expected a 3-D or 4-D array, got 2-D"),
    ErrorRow("channels", lambda: nn.SpatialInstanceNormalization(2), lambda m: m.forward(np.zeros((1, 3, 3, 3), "f")), ShapeError,
             r"input: expected 2 channels, got 3"),
    ErrorRow("one_cell", lambda: nn.SpatialInstanceNormalization(2), lambda m: m.forward(np.zeros((1, 2, 1, 1), "f")), ShapeError,
             r"input: expected planes of more than one cell, got 1 x 2 x 1 x 1"),
    ErrorRow("another_batch", lambda: nn.SpatialInstanceNormalization(2), backward_of_another_batch, NullError, r"save_mean"),
    ErrorRow("gradOutput", lambda: nn.SpatialInstanceNormalization(2),
             lambda m: m.backward(np.zeros((1, 2, 3, 3), "f"), np.zeros((1, 2, 3, 2), "f")), ShapeError,
             r"gradOutput: expected 1 x 2 x 3 x 3, got 1 x 2 x 3 x 2"),
]  # fmt: skip
