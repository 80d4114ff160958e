"""Chains."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, distinct, normal


def perceptron() -> nn.Sequential:
    return nn.Sequential().add(nn.Linear(5, 4)).add(nn.Tanh()).add(nn.Linear(4, 3))


def perceptron_of(module, x):
    first, _, last = module.modules
    return np.tanh(x @ first.weight.T + first.bias) @ last.weight.T + last.bias


def images() -> nn.Sequential:
    features = nn.Sequential().add(nn.SpatialConvolution(1, 3, 2, 2)).add(nn.ReLU(True)).add(nn.SpatialMaxPooling(2, 2))
    return nn.Sequential().add(features).add(nn.View(-1).setNumInputDims(3)).add(nn.Linear(12, 2))


def images_of(module, x):
    convolution, last = module.modules[0].modules[0], module.modules[2]
    windows = np.lib.stride_tricks.sliding_window_view(x[..., 0, :, :], (2, 2), (-2, -1))
    planes = np.einsum("...hwij,oij->...ohw", windows, convolution.weight.reshape(3, 2, 2))
    planes = np.maximum(planes + convolution.bias.reshape(3, 1, 1), 0)
    pooled = planes.reshape(*planes.shape[:-2], 2, 2, 2, 2).max((-3, -1))
    return pooled.reshape(*pooled.shape[:-3], 12) @ last.weight.T + last.bias


CASES = [
    Case("perceptron", perceptron, normal(6, 5), perceptron_of),
    Case("images", images, distinct(3, 1, 5, 5), images_of, skip=("nan_arrives",)),  # ReLU makes it 0
]

ERRORS = [
    ErrorRow(
        "where",
        perceptron,
        lambda m: m.forward(np.zeros((2, 6), "f")),
        ShapeError,
        r"^in module 1 of nn\.Sequential, nn\.Linear\w*: input: expected",
    ),
    ErrorRow(
        "where_inside",
        images,
        lambda m: m.forward(np.zeros((1, 1, 2, 2), "f")),
        ShapeError,
        r"^in module 1 of nn\.Sequential, in module 3 of nn\.Sequential, nn\.SpatialMaxPooling",
    ),
    ErrorRow("get", perceptron, lambda m: m.get(3), IndexRangeError, r"index: 3 is out of range for 3 modules"),
]
