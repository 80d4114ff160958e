"""The same convolution with a matrix for a weight."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialConvolution import reference

CASES = [
    Case("3x3_pad1", lambda: nn.SpatialConvolutionMM(2, 3, 3, 3, 1, 1, 1, 1), normal(2, 2, 4, 5), reference),
    Case("1x1", lambda: nn.SpatialConvolutionMM(3, 4, 1, 1), normal(2, 3, 4, 5), reference),
    Case("2x3_stride2", lambda: nn.SpatialConvolutionMM(1, 2, 2, 3, 2, 2).noBias(), normal(2, 1, 7, 6), reference),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialConvolutionMM(1, 1, 2, 2), lambda m: m.forward(np.zeros((4, 4), "f")),
             ShapeError, r"input: expected \(N x\) nInputPlane x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialConvolutionMM(3, 1, 2, 2), lambda m: m.forward(np.zeros((2, 4, 4), "f")),
             ShapeError, "input: expected 3 planes, the nInputPlane, got 2 x 4 x 4"),
]  # fmt: skip
