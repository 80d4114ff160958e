"""Borders around volumes that repeat their faces."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    pads = [(module.pfront, module.pback), (module.ptop, module.pbottom), (module.pleft, module.pright)]
    sizes = zip(x.shape[-3:], pads, strict=True)
    places = [np.clip(np.arange(-before, size + after), 0, size - 1) for size, (before, after) in sizes]
    return x[(..., *np.ix_(*places))]


def case(name: str, pads: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.VolumetricReplicationPadding(*pads), normal(*shape), reference)


CASES = [
    case("all_sides", (1,), 2, 2, 2, 3, 4),
    case("each_side", (2, 0, 1, 3, 0, 2), 2, 2, 3, 2, 2),
    case("one_cell", (2, 3, 1, 2, 1, 0), 1, 2, 1, 1, 1),
    case("crop", (-1, -1, 0, -1, -2, 0), 2, 1, 3, 4, 5),
    case("crop_and_pad", (-2, 3, 2, -1, 3, -1), 1, 2, 2, 3, 4),
    case("long", (1, 0, 2, 1, 1, 1), 1, 1, 20, 4, 2),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.VolumetricReplicationPadding(1), lambda m: m.forward(np.zeros((3, 3, 3), "f")), ShapeError,
             r"input: expected \(N x\) C x T x H x W, got 3-D"),
    ErrorRow("nothing_left", lambda: nn.VolumetricReplicationPadding(0, 0, 0, 0, -1, -2),
             lambda m: m.forward(np.zeros((1, 3, 4, 5), "f")), ShapeError,
             "input: expected planes of which padding leaves a cell, got 3 x 4 x 5, which becomes 0 x 4 x 5"),
    ErrorRow("gradOutput", lambda: nn.VolumetricReplicationPadding(1),
             lambda m: m.updateGradInput(np.zeros((1, 1, 3, 3), "f"), np.zeros((1, 3, 5, 4), "f")), ShapeError,
             "gradOutput: expected 1 x 3 x 5 x 5, got 1 x 3 x 5 x 4"),
]  # fmt: skip
