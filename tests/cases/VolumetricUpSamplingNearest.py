"""Cells that become cubes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialUpSamplingNearest import repeated


def case(name: str, scale: int, *shape: int) -> Case:
    return Case(name, lambda: nn.VolumetricUpSamplingNearest(scale), normal(*shape), repeated(3))


CASES = [
    case("two", 2, 2, 2, 2, 3, 4),
    case("three", 3, 2, 1, 1, 2, 3),
    case("four", 4, 1, 1, 2, 1, 2),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.VolumetricUpSamplingNearest(2), lambda m: m.forward(np.zeros((3, 3, 3), "f")), ShapeError,
             r"input: expected \(N x\) C x T x H x W, got 3-D"),
]  # fmt: skip
