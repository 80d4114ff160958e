"""Weights given by a length and a direction."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def weight_of(module):
    return module.v * module.g / np.sqrt((module.v.astype(np.float64) ** 2).sum(1, keepdims=True) + 1e-4)


def linear_of(module, x):
    return x @ weight_of(module).T + module.modules[0].bias


def columns_of(module, x):
    """The weight's second dimension counts what v has a row for."""
    return x @ weight_of(module) + module.modules[0].bias


def convolution_of(module, x):
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 3), (-2, -1))
    weight = weight_of(module).reshape(3, 2, 2, 3)
    return np.einsum("ocij,...chwij->...ohw", weight, windows) + module.modules[0].bias[:, None, None]


CASES = [
    Case("linear", lambda: nn.WeightNorm(nn.Linear(4, 3)), normal(5, 4), linear_of),
    Case("columns", lambda: nn.WeightNorm(nn.Linear(4, 3), 1), normal(5, 4), columns_of),
    Case("convolution", lambda: nn.WeightNorm(nn.SpatialConvolution(2, 3, 3, 2)), normal(2, 2, 4, 5), convolution_of),
    Case(
        "no_bias",
        lambda: nn.WeightNorm(nn.Linear(4, 3, False)),
        normal(5, 4),
        lambda m, x: x @ weight_of(m).T,
    ),
]

ERRORS = [
    ErrorRow("no_weight", lambda: None, lambda _: nn.WeightNorm(nn.Tanh()), ValueRangeError, "expected one with a weight"),
    ErrorRow("dimension", lambda: None, lambda _: nn.WeightNorm(nn.Linear(4, 3), 2), IndexRangeError, "outputDim: 2 is out"),
    ErrorRow(
        "where",
        lambda: nn.WeightNorm(nn.Linear(4, 3)),
        lambda m: m.forward(np.zeros((2, 5), "f")),
        ShapeError,
        r"^in module 1 of nn\.WeightNorm, nn\.Linear",
    ),
]
