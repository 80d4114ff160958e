"""p-norms of neighbouring features."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialLPPooling import positive


def reference(module, x):
    axis = int(module.batch_mode and x.ndim > 1)
    starts = range(0, x.shape[axis] - module.width + 1, module.stride)
    windows = [np.take(x, range(start, start + module.width), axis) for start in starts]
    return np.stack([(window**module.power).sum(axis) ** (1 / module.power) for window in windows], axis)


def case(name: str, arguments: tuple, input, **options) -> Case:
    options = {"batched": arguments[3], "singleSample": False} | options
    return Case(name, lambda: nn.FeatureLPPooling(*arguments), input, reference, **options)


CASES = [
    case("vector", (2, 2, 2, False), normal(7), skip=("wrong_batch",)),  # a vector has one dimension, which is its width
    case("vectors", (3, 1, 2, True), normal(4, 6)),
    case("sequence", (2, 1, 2, False), normal(6, 3)),
    case("sequences", (4, 2, 3, True), positive(2, 9, 5)),
    case("planes", (2, 2, 1, False), normal(5, 3, 4)),
    case("batch", (16, 4, 2, True), normal(2, 30, 3, 2)),
    case("batch_power_2_5", (5, 5, 2.5, True), positive(2, 12, 2, 3)),
    case("one_place", (2, 3, 4, True), normal(3, 8, 1, 1)),
    case("one_window", (5, 1, 2, True), normal(2, 5, 4)),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.FeatureLPPooling(2, 1, 2, True), lambda m: m.forward(np.zeros(4, "f")), ShapeError,
             "input: expected N x C, N x C x L or N x C x H x W, got 1-D"),
    ErrorRow("rank_without_batch", lambda: nn.FeatureLPPooling(2, 1, 2, False), lambda m: m.forward(np.zeros((1, 4, 4, 4), "f")),
             ShapeError, "input: expected C, C x L or C x H x W, got 4-D"),
    ErrorRow("features", lambda: nn.FeatureLPPooling(5, 1, 2, True), lambda m: m.forward(np.zeros((9, 4), "f")), ShapeError,
             "input: expected at least 5 features, the width, got 4"),
    ErrorRow("stride", lambda: nn.FeatureLPPooling(2, 0, 2, True), lambda m: m.forward(np.zeros((9, 4), "f")), ValueRangeError,
             r"stride: expected 1 or more, got 0"),
    ErrorRow("power", lambda: nn.FeatureLPPooling(2, 1, 0, True), lambda m: m.forward(np.zeros((9, 4), "f")), ValueRangeError,
             "power: expected a number above 0, got 0"),
]  # fmt: skip
