"""Convolution of volumes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.filters import dense, usual_errors

Layer = nn.VolumetricConvolution

CASES = [
    Case("2x3x2", lambda: Layer(2, 3, 2, 3, 2), normal(2, 2, 3, 3, 4), dense),
    Case("2x3x3_stride1x2x2_pad1x0x1", lambda: Layer(2, 2, 2, 3, 3, 1, 2, 2, 1, 0, 1), normal(2, 2, 2, 3, 5), dense),
    Case("pad_of_all", lambda: Layer(1, 2, 3, 2, 1, 2, 1, 3, 1), normal(2, 1, 3, 2, 4), dense),
    Case("1x1x1", lambda: Layer(3, 2, 1, 1, 1), normal(2, 3, 2, 3, 2), dense),
    Case("no_bias", lambda: Layer(2, 2, 1, 2, 2).noBias(), normal(2, 2, 2, 3, 3), dense),
    Case("one_frame", lambda: Layer(1, 2, 1, 2, 2), normal(2, 1, 1, 3, 4), dense),
    Case("many_planes", lambda: Layer(7, 3, 3, 3, 3, 1, 1, 1, 1), normal(1, 7, 2, 2, 3), dense, larger=normal(5, 7, 6, 9, 10)),
]

ERRORS = [
    *usual_errors(lambda: Layer(1, 1, 2, 2, 2), (1, 3, 4, 4)),
    ErrorRow("kernel_too_large", lambda: Layer(1, 1, 4, 2, 5), lambda m: m.forward(np.zeros((1, 3, 4, 4), "f")), ShapeError,
             "input: expected at least the kernel, 4 x 5 x 2, got 3 x 4 x 4 with its padding"),
    ErrorRow("kernel_of_none", lambda: Layer(1, 1, 1, 2, 2), lambda m: Layer(1, 1, 0, 2, 2), ValueRangeError,
             "kT: expected 1 or more, got 0"),
]  # fmt: skip
