"""Convolution with holes in the filters."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.filters import dense, usual_errors

Layer = nn.SpatialDilatedConvolution

CASES = [
    Case("3x3_dilation2", lambda: Layer(2, 3, 3, 3, 1, 1, 0, 0, 2, 2), normal(2, 2, 6, 7), dense),
    Case("3x2_stride2_pad1_dilation1x2", lambda: Layer(2, 3, 3, 2, 2, 2, 1, 1, 1, 2), normal(2, 2, 5, 6), dense),
    Case("2x3_stride1x2_pad5x4_dilation3x2", lambda: Layer(1, 2, 2, 3, 1, 2, 5, 4, 3, 2), normal(2, 1, 3, 4), dense),
    Case("no_holes", lambda: Layer(2, 2, 3, 2).noBias(), normal(2, 2, 4, 4), dense),
    Case("1x1_dilation3", lambda: Layer(2, 2, 1, 1, 1, 1, 0, 0, 3, 3), normal(2, 2, 3, 4), dense),
    Case("many_planes", lambda: Layer(9, 3, 3, 3, 1, 1, 2, 2, 2, 2), normal(1, 9, 4, 5), dense, larger=normal(9, 9, 24, 25)),
]

ERRORS = [
    *usual_errors(lambda: Layer(1, 1, 2, 2), (1, 4, 4)),
    ErrorRow("kernel_too_large", lambda: Layer(1, 1, 3, 2, 1, 1, 0, 0, 2, 3), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ShapeError, "input: expected at least the kernel, 4 x 5, got 4 x 4 with its padding"),
    ErrorRow("dilation_zero", lambda: Layer(1, 1, 2, 2, 1, 1, 0, 0, 1, 0), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ValueRangeError, r"dilationH: expected 1 or more, got 0"),
]  # fmt: skip
