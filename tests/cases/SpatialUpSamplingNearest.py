"""Cells that become squares."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def repeated(dims: int):
    def reference(module, x):
        for axis in range(x.ndim - dims, x.ndim):
            x = x.repeat(module.scale_factor, axis)
        return x

    return reference


def case(name: str, scale: int, *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialUpSamplingNearest(scale), normal(*shape), repeated(2))


CASES = [
    case("two", 2, 2, 2, 3, 4),
    case("three", 3, 2, 1, 2, 3),
    case("four", 4, 1, 2, 2, 1),
    case("one", 1, 2, 2, 3, 2),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialUpSamplingNearest(2), lambda m: m.forward(np.zeros((3, 3), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("zero", lambda: None, lambda _: nn.SpatialUpSamplingNearest(0), ValueRangeError,
             "scale_factor: expected 1 or more, got 0"),
    ErrorRow("fraction", lambda: None, lambda _: nn.SpatialUpSamplingNearest(1.5), ArgumentError,
             "scale: expected an integer, got 1.5"),
    ErrorRow("gradOutput", lambda: nn.SpatialUpSamplingNearest(2),
             lambda m: m.updateGradInput(np.zeros((1, 3, 3), "f"), np.zeros((1, 6, 5), "f")), ShapeError,
             "gradOutput: expected 1 x 6 x 6, got 1 x 6 x 5"),
]  # fmt: skip
