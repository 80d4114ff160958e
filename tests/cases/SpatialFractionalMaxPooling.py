"""Maxima over windows at random distances."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct
from tests.cases.windows import fractional, pool

# Samples of a batch get windows of their own, so single samples differ.
RANDOM = ("batch", "large")


def reference(module, x):
    planes = x.reshape(-1, *x.shape[-2:])
    samples = np.asarray(module.randomSamples, np.float64).reshape(-1, 2)
    height, width = module.output.shape[-2:]
    pooled = []
    for plane, (u, v) in zip(planes, samples, strict=True):
        rows = fractional(plane.shape[0], height, module.poolSizeH, v)
        columns = fractional(plane.shape[1], width, module.poolSizeW, u)
        pooled.append(pool(plane, rows, columns, lambda cells, r, c: cells.max()))
    return np.reshape(pooled, (*x.shape[:-2], height, width))


def case(name: str, arguments: tuple[float, ...], *shape: int, fixed: bool = False) -> Case:
    def make():
        return nn.SpatialFractionalMaxPooling(*arguments).fixPoolingRegions(fixed)

    return Case(name, make, distinct(*shape), reference, skip=RANDOM)


CASES = [
    case("2x2_to_3x4", (2, 2, 3, 4), 2, 3, 8, 7),
    case("3x2_to_5x2", (3, 2, 5, 2), 2, 2, 6, 11),
    case("ratios", (2, 2, 0.7, 0.5), 2, 2, 9, 10),
    case("fixed", (2, 3, 3, 4), 2, 2, 9, 8, fixed=True),
    case("no_room_to_move", (2, 3, 4, 5), 2, 1, 7, 5),
    case("one_window", (2, 2, 1, 1), 2, 2, 4, 5),
]


def small(*arguments):
    return lambda: nn.SpatialFractionalMaxPooling(*arguments)


def backward_with_bad_index(module):
    x = np.zeros((1, 5, 5), "f")
    y = module.forward(x)
    module.indices[0, 1, 1] = -1
    module.backward(x, np.ones_like(y))


def forward_with_samples(module):
    module.randomSamples = np.zeros((1, 1, 2))
    module.fixPoolingRegions().forward(np.zeros((1, 5, 5), "f"))


ERRORS = [
    ErrorRow("rank", small(2, 2, 2, 2), lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D \(4 x 4\)"),
    ErrorRow("no_room", small(2, 3, 3, 3), lambda m: m.forward(np.zeros((1, 4, 4), "f")), ShapeError,
             r"input: expected planes with room for the windows: input height 4, outputH 3, poolSizeH 3"),
    ErrorRow("empty_plane", small(2, 2, 2, 2), lambda m: m.forward(np.zeros((1, 4, 0), "f")), ValueRangeError,
             r"input width: expected 1 or more, got 0"),
    ErrorRow("nothing_left", small(2, 2, 0.1, 0.5), lambda m: m.forward(np.zeros((1, 8, 8), "f")), ValueRangeError,
             r"outputW: expected 1 or more, got 0"),
    ErrorRow("pool_1", lambda: None, lambda m: nn.SpatialFractionalMaxPooling(2, 1, 3, 3), ValueRangeError,
             "poolSizeH: expected 2 or more, got 1"),
    ErrorRow("size_and_ratio", lambda: None, lambda m: nn.SpatialFractionalMaxPooling(2, 2, 3, 0.5), ValueRangeError,
             r"output: expected sizes from 1 on, or ratios between 0 and 1, got \(3, 0.5\)"),
    ErrorRow("dtype", small(2, 2, 2, 2), lambda m: m.forward(np.zeros((1, 4, 4))), DtypeError, "expected float32, got float64"),
    ErrorRow("samples", small(2, 2, 2, 2), forward_with_samples, DtypeError, "randomSamples: expected float32, got float64"),
    ErrorRow("backward_before_forward", small(2, 2, 2, 2),
             lambda m: m.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 2, 2), "f")), ShapeError, "indices: expected 1 x 2"),
    ErrorRow("index_out_of_range", small(2, 2, 3, 3), backward_with_bad_index, IndexRangeError,
             r"indices: expected 0 to 24, got -1"),
    ErrorRow("none", lambda: None, lambda _: nn.SpatialFractionalMaxPooling(2, 2, None, 3), ArgumentError,
             "outW: expected a number, got None"),
]  # fmt: skip
