"""Borders that repeat the edge."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    height, width = x.shape[-2:]
    rows = np.clip(np.arange(-module.pad_t, height + module.pad_b), 0, height - 1)
    columns = np.clip(np.arange(-module.pad_l, width + module.pad_r), 0, width - 1)
    return x[..., rows[:, None], columns]


def case(name: str, pads: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialReplicationPadding(*pads), normal(*shape), reference)


CASES = [
    case("all_sides", (1,), 2, 2, 3, 4),
    case("each_side", (2, 0, 1, 3), 2, 2, 3, 2),
    case("one_cell", (2, 3, 1, 2), 1, 2, 1, 1),
    case("crop", (-1, -1, 0, -1), 2, 1, 4, 5),
    case("crop_and_pad", (-2, 3, 2, -1), 1, 2, 3, 4),
    case("crop_all_but_the_edge", (-5, 4, 0, 0), 1, 1, 2, 4),
    case("tall", (1, 0, 2, 1), 1, 2, 70, 2),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialReplicationPadding(1), lambda m: m.forward(np.zeros((3, 3), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("nothing_left", lambda: nn.SpatialReplicationPadding(-2), lambda m: m.forward(np.zeros((1, 3, 3), "f")),
             ShapeError, "input: expected planes of which padding leaves a cell, got 3 x 3, which becomes -1 x -1"),
    ErrorRow("pad_not_an_integer", lambda: None, lambda _: nn.SpatialReplicationPadding(1, "1"), ArgumentError,
             "pad_r: expected an integer or None, got '1'"),
    ErrorRow("dtype", lambda: nn.SpatialReplicationPadding(1), lambda m: m.forward(np.zeros((1, 3, 3))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("gradOutput", lambda: nn.SpatialReplicationPadding(1),
             lambda m: m.updateGradInput(np.zeros((1, 3, 3), "f"), np.zeros((1, 5, 4), "f")), ShapeError,
             "gradOutput: expected 1 x 5 x 5, got 1 x 5 x 4"),
]  # fmt: skip
