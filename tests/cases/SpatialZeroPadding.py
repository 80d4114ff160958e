"""Borders of zeros."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    """Padding first, then cutting off what is too much."""
    left, right, top, bottom = (max(pad, 0) for pad in (module.pad_l, module.pad_r, module.pad_t, module.pad_b))
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(top, bottom), (left, right)])
    height, width = padded.shape[-2:]
    rows = slice(max(-module.pad_t, 0), height - max(-module.pad_b, 0))
    return padded[..., rows, max(-module.pad_l, 0) : width - max(-module.pad_r, 0)]


def case(name: str, pads: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialZeroPadding(*pads), normal(*shape), reference)


CASES = [
    case("all_sides", (1,), 2, 2, 3, 4),
    case("each_side", (2, 0, 1, 3), 2, 2, 3, 2),
    case("crop", (-1, -1, 0, -1), 2, 1, 4, 5),
    case("crop_and_pad", (-2, 3, 2, -1), 1, 2, 3, 4),
    case("nothing_but_zeros_right", (-5, 6, 0, 0), 2, 1, 2, 4),
    case("nothing_but_zeros_left", (6, -5, 0, 0), 2, 1, 2, 4),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialZeroPadding(1), lambda m: m.forward(np.zeros((3, 3), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("nothing_left", lambda: nn.SpatialZeroPadding(-2), lambda m: m.forward(np.zeros((1, 3, 3), "f")), ShapeError,
             "input: expected planes of which padding leaves a cell, got 3 x 3, which becomes -1 x -1"),
    ErrorRow("pad_not_an_integer", lambda: None, lambda _: nn.SpatialZeroPadding(1, 0.5), ArgumentError,
             "pad_r: expected an integer or None, got 0.5"),
    ErrorRow("gradOutput", lambda: nn.SpatialZeroPadding(1),
             lambda m: m.updateGradInput(np.zeros((1, 3, 3), "f"), np.zeros((1, 5, 4), "f")), ShapeError,
             "gradOutput: expected 1 x 5 x 5, got 1 x 5 x 4"),
]  # fmt: skip
