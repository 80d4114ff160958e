"""Convolution of volumes with holes in the filters."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.filters import dense, usual_errors

Layer = nn.VolumetricDilatedConvolution

CASES = [
    Case("2x2x2_dilation2x1x2", lambda: Layer(2, 2, 2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 1, 2), normal(2, 2, 4, 3, 3), dense),
    Case("2x1x3_stride2_pad_dilation", lambda: Layer(1, 2, 2, 1, 3, 2, 1, 2, 1, 0, 2, 3, 2, 2), normal(2, 1, 4, 3, 3), dense),
    Case("no_holes", lambda: Layer(1, 2, 2, 2, 2).noBias(), normal(2, 1, 2, 3, 3), dense),
]

ERRORS = [
    *usual_errors(lambda: Layer(1, 1, 2, 2, 2), (1, 3, 4, 4)),
    ErrorRow("dilation_zero", lambda: Layer(1, 1, 2, 2, 2, dilationT=0), lambda m: m.forward(np.zeros((1, 3, 4, 4), "f")),
             ValueRangeError, r"dilationT: expected 1 or more, got 0"),
]  # fmt: skip
