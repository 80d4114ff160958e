"""Transposed convolution of planes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal, normals
from tests.cases.filters import full, usual_errors

Layer = nn.SpatialFullConvolution

CASES = [
    Case("3x3", lambda: Layer(2, 3, 3, 3), normal(2, 2, 3, 4), full),
    Case("4x3_stride2_pad1", lambda: Layer(2, 3, 4, 3, 2, 2, 1, 1), normal(2, 2, 3, 2), full),
    Case("3x3_stride2x3_pad1_adj1x2", lambda: Layer(2, 3, 3, 3, 2, 3, 1, 1, 1, 2), normal(2, 2, 2, 3), full),
    Case("no_bias", lambda: Layer(2, 3, 2, 2, 2, 2).noBias(), normal(2, 2, 2, 3), full),
    Case("1x1", lambda: Layer(3, 4, 1, 1), normal(2, 3, 4, 5), full),
    Case("gaps", lambda: Layer(1, 2, 2, 1, 4, 3), normal(2, 1, 2, 3), full),
    Case("padding_beyond_kernel", lambda: Layer(1, 1, 2, 2, 1, 1, 2, 3), normal(2, 1, 8, 7), full),
    Case("size_of_other", lambda: Layer(2, 3, 3, 3, 2, 2, 1, 1), normals((2, 2, 3, 4), (2, 1, 6, 7)), full),
    Case("many_planes", lambda: Layer(9, 5, 4, 4, 2, 2, 1, 1), normal(1, 9, 2, 3), full, larger=normal(9, 9, 16, 15)),
]

X = np.zeros((1, 4, 4), "f")

ERRORS = [
    *usual_errors(lambda: Layer(1, 1, 2, 2), (1, 4, 4)),
    ErrorRow("adj_not_below_stride", lambda: Layer(1, 1, 2, 2, 2, 2, 0, 0, 2, 0), lambda m: m.forward(X), ValueRangeError,
             "adjW: expected 0 to 1, got 2"),
    ErrorRow("nothing_left", lambda: Layer(1, 1, 2, 2, 1, 1, 3, 2), lambda m: m.forward(X), ShapeError,
             "input: expected one that gives output, got 1 x 4 x 4 for an output of 1 x -1"),
    ErrorRow("table_of_one", lambda: Layer(1, 1, 2, 2), lambda m: m.forward([X]), ShapeError, "input"),
    ErrorRow("size_of_vector", lambda: Layer(1, 1, 2, 2), lambda m: m.forward([X, X[0, 0]]), ShapeError,
             r"input\[1\]: expected an array of 2 or more dimensions, got 1-D"),
    ErrorRow("size_of_number", lambda: Layer(1, 1, 2, 2), lambda m: m.forward([X, 5]), DtypeError, r"input\[1\]: expected"),
]  # fmt: skip
