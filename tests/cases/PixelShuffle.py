"""Channels laid out as pixels."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    r = module.upscaleFactor
    *batch, channels, height, width = x.shape
    y = np.empty((*batch, channels // r**2, height * r, width * r))
    for i in range(r):
        for j in range(r):
            y[..., i::r, j::r] = x[..., i * r + j :: r * r, :, :]
    return y


CASES = [
    Case("factor_2", lambda: nn.PixelShuffle(2), normal(2, 8, 3, 4), reference),
    Case("factor_3", lambda: nn.PixelShuffle(3), normal(2, 9, 2, 1), reference),
    Case("factor_1", lambda: nn.PixelShuffle(1), normal(1, 2, 3, 2), reference),
]

ERRORS = [
    ErrorRow(
        "factor",
        lambda: None,
        lambda m: nn.PixelShuffle(0),
        ValueRangeError,
        r"upscaleFactor: expected at least 1, got 0",
    ),
    ErrorRow(
        "channels",
        lambda: nn.PixelShuffle(2),
        lambda m: m.forward(np.zeros((1, 6, 2, 2), "f")),
        ShapeError,
        r"input: .*6",
    ),
    ErrorRow("rank", lambda: nn.PixelShuffle(2), lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError, r"input: .*2-D"),
]
