"""Borders that mirror the plane."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def mirrored(size: int, before: int, after: int) -> np.ndarray:
    """The cells that an axis shows."""
    places = np.abs(np.arange(-before, size + after))
    return np.minimum(places, 2 * (size - 1) - places)


def reference(module, x):
    height, width = x.shape[-2:]
    rows, columns = mirrored(height, module.pad_t, module.pad_b), mirrored(width, module.pad_l, module.pad_r)
    return x[..., rows[:, None], columns]


def case(name: str, pads: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialReflectionPadding(*pads), normal(*shape), reference)


CASES = [
    case("all_sides", (1,), 2, 2, 3, 4),
    case("each_side", (2, 0, 1, 3), 2, 2, 4, 3),
    case("widest", (3, 3, 2, 2), 2, 1, 3, 4),
    case("one_cell", (0,), 1, 2, 1, 1),
    case("crop", (-1, -1, 0, -1), 2, 1, 4, 5),
    case("crop_and_pad", (-2, 3, 2, -1), 1, 2, 3, 4),
    case("mirror_alone", (-5, 3, 1, 0), 1, 1, 2, 4),
    case("tall", (1, 0, 2, 1), 1, 2, 70, 2),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialReflectionPadding(1), lambda m: m.forward(np.zeros((3, 3), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("too_wide", lambda: nn.SpatialReflectionPadding(1, 3), lambda m: m.forward(np.zeros((1, 3, 3), "f")),
             ValueRangeError, "pad_r: expected 2 or less, got 3"),
    ErrorRow("nothing_left", lambda: nn.SpatialReflectionPadding(-2), lambda m: m.forward(np.zeros((1, 3, 3), "f")),
             ShapeError, "input: expected planes of which padding leaves a cell, got 3 x 3, which becomes -1 x -1"),
    ErrorRow("pad_not_an_integer", lambda: None, lambda _: nn.SpatialReflectionPadding(1, "1"), ArgumentError,
             "pad_r: expected an integer or None, got '1'"),
    ErrorRow("gradOutput", lambda: nn.SpatialReflectionPadding(1),
             lambda m: m.updateGradInput(np.zeros((1, 3, 3), "f"), np.zeros((1, 5, 4), "f")), ShapeError,
             "gradOutput: expected 1 x 5 x 5, got 1 x 5 x 4"),
]  # fmt: skip
