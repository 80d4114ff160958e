"""Transposed convolution of volumes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ValueRangeError
from tests.case import Case, ErrorRow, normal, normals
from tests.cases.filters import full, usual_errors

Layer = nn.VolumetricFullConvolution

CASES = [
    Case("2x2x3", lambda: Layer(2, 2, 2, 2, 3), normal(2, 2, 2, 2, 3), full),
    Case(
        "3x2x3_stride2x1x3_pad1x0x1_adj1x0x2",
        lambda: Layer(1, 2, 3, 2, 3, 2, 1, 3, 1, 0, 1, 1, 0, 2),
        normal(2, 1, 2, 2, 2),
        full,
    ),
    Case("no_bias", lambda: Layer(1, 2, 2, 2, 2, 2, 2, 2).noBias(), normal(2, 1, 1, 2, 2), full),
    Case("1x1x1", lambda: Layer(3, 2, 1, 1, 1), normal(2, 3, 2, 1, 2), full),
    Case("size_of_other", lambda: Layer(1, 2, 3, 3, 3, 2, 2, 2, 1, 1, 1), normals((2, 1, 2, 2, 3), (2, 1, 4, 3, 6)), full),
    Case(
        "many_planes", lambda: Layer(5, 3, 2, 4, 4, 2, 2, 2, 0, 1, 1), normal(1, 5, 1, 2, 2), full, larger=normal(5, 5, 4, 7, 6)
    ),
]

ERRORS = [
    *usual_errors(lambda: Layer(1, 1, 2, 2, 2), (1, 3, 4, 4)),
    ErrorRow("adj_not_below_stride", lambda: Layer(1, 1, 2, 2, 2, adjT=1), lambda m: m.forward(np.zeros((1, 3, 4, 4), "f")),
             ValueRangeError, "adjT: expected 0 to 0, got 1"),
]  # fmt: skip
