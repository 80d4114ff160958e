"""Planes looked at in the places of a grid."""

from math import floor

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normals


def reference(module, input):
    planes, grid = input
    samples, channels, height, width = planes.shape
    output = np.zeros((samples, channels, *grid.shape[1:3]))
    for n, i, j in np.ndindex(grid.shape[:3]):
        w, h = (grid[n, i, j] + 1) / 2 * (width - 1, height - 1)
        for row in (floor(h), floor(h) + 1):
            for column in (floor(w), floor(w) + 1):
                if 0 <= row < height and 0 <= column < width:
                    output[n, :, i, j] += (1 - abs(h - row)) * (1 - abs(w - column)) * planes[n, :, row, column]
    return output


def case(name: str, planes: tuple[int, ...], grid: tuple[int, ...], spread: float = 0.7) -> Case:
    def input(rng):
        drawn = normals(planes, grid)(rng)
        return [drawn[0], drawn[1] * spread]

    return Case(name, nn.SpatialGridSamplerBilinear, input, reference, singleSample=False)


CASES = [
    case("smaller", (2, 3, 5, 4), (2, 2, 3, 2)),
    case("larger", (2, 2, 3, 3), (2, 4, 5, 2)),
    case("outside", (2, 2, 3, 4), (2, 3, 3, 2), 3),
    case("tall", (1, 2, 4, 3), (1, 70, 2, 2)),
    case("channels", (2, 21, 4, 5), (2, 3, 3, 2)),
    case("few_places", (2, 3, 6, 8), (2, 1, 3, 2)),
    case("one_channel", (2, 1, 5, 4), (2, 3, 3, 2)),
]

ERRORS = [
    ErrorRow("rank", nn.SpatialGridSamplerBilinear, lambda m: m.forward([np.zeros((3, 3, 3), "f"), np.zeros((1, 2, 2, 2), "f")]),
             ShapeError, "input: expected N x C x H x W, got 3-D"),
    ErrorRow("pairs", nn.SpatialGridSamplerBilinear,
             lambda m: m.forward([np.zeros((1, 3, 3, 3), "f"), np.zeros((1, 2, 2, 3), "f")]), ShapeError,
             "grid: expected 1 x 2 x 2 x 2, got 1 x 2 x 2 x 3"),
    ErrorRow("table", nn.SpatialGridSamplerBilinear, lambda m: m.forward(np.zeros((1, 3, 3, 3), "f")), DtypeError,
             "input: expected a table of 2"),
    ErrorRow("gradOutput", nn.SpatialGridSamplerBilinear,
             lambda m: m.updateGradInput([np.zeros((1, 3, 3, 3), "f"), np.zeros((1, 2, 2, 2), "f")], np.zeros((1, 3, 2, 3), "f")),
             ShapeError, "gradOutput: expected 1 x 3 x 2 x 2, got 1 x 3 x 2 x 3"),
]  # fmt: skip
