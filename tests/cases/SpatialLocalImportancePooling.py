"""Means of windows whose cells weigh exp(logit), two arrays of one shape."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow
from tests.cases.SpatialSoftPool import EXTREME, weighed, windows


def reference(module, x):
    return weighed(*x, windows(module, x[0]))


def pair(*shape: int, spread: float = 1.0):
    return lambda rng: [rng.standard_normal(shape), spread * rng.standard_normal(shape)]


def case(name: str, arguments: tuple[int, ...], *shape: int, ceil: bool = False, spread: float = 1.0) -> Case:
    def make():
        module = nn.SpatialLocalImportancePooling(*arguments)
        return module.ceil() if ceil else module

    return Case(name, make, pair(*shape, spread=spread), reference, skip=EXTREME if spread > 10 else ())


CASES = [
    case("2x2", (2, 2), 2, 2, 5, 6),
    case("2x2_stride1", (2, 2, 1, 1), 2, 2, 4, 5),
    case("3x3_stride2_pad1", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6),
    case("3x3_stride1_pad1", (3, 3, 1, 1, 1, 1), 2, 2, 6, 5),
    case("5x3_stride3x2_pad2x1", (5, 3, 3, 2, 2, 1), 1, 2, 9, 11),
    case("stride_beyond_kernel", (2, 1, 3, 4), 1, 2, 9, 8),
    case("ceil_pad", (3, 3, 2, 2, 1, 1), 1, 1, 6, 8, ceil=True),
    case("ceil_beyond_plane", (3, 3, 2, 2), 1, 2, 2, 2, ceil=True),
    case("ceil_beyond_padding", (4, 3, 3, 2, 1, 0), 2, 1, 2, 1, ceil=True),
    case("whole_plane", (5, 4), 2, 3, 4, 5),
    case("two_pieces", (3, 2, 2, 1), 1, 1, 3, 1100),
    case("far_apart", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6, spread=60.0),
    case("far_apart_stride1", (2, 3, 1, 1), 1, 2, 5, 6, spread=60.0),
    case("far_apart_stride3", (4, 4, 3, 3), 1, 2, 7, 10, spread=60.0),
]


def forward(*shapes: tuple[int, ...]):
    return lambda m: m.forward([np.zeros(shape, "f") for shape in shapes])


ERRORS = [
    ErrorRow("array", lambda: nn.SpatialLocalImportancePooling(2, 2), lambda m: m.forward(np.zeros((1, 4, 4), "f")), DtypeError,
             "input: expected a table of 2, got a float32 array of 1 x 4 x 4"),
    ErrorRow("one", lambda: nn.SpatialLocalImportancePooling(2, 2), forward((1, 4, 4)), ShapeError,
             "input: expected a table of 2, got a table of 1"),
    ErrorRow("rank", lambda: nn.SpatialLocalImportancePooling(2, 2), forward((4, 4), (4, 4)), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D \(4 x 4\)"),
    ErrorRow("logit", lambda: nn.SpatialLocalImportancePooling(2, 2), forward((1, 4, 4), (1, 4, 5)), ShapeError,
             r"logit: expected 1 x 4 x 4, got 1 x 4 x 5"),
    ErrorRow("padding_too_large", lambda: nn.SpatialLocalImportancePooling(3, 3, 1, 1, 2, 0), forward((1, 4, 4), (1, 4, 4)),
             ValueRangeError, r"padW: expected 0 to 1, got 2"),
    ErrorRow("gradOutput", lambda: nn.SpatialLocalImportancePooling(2, 2),
             lambda m: m.backward([np.zeros((1, 4, 4), "f")] * 2, np.zeros((1, 3, 2), "f")), ShapeError,
             r"gradOutput: expected 1 x 2 x 2, got 1 x 3 x 2"),
]  # fmt: skip
