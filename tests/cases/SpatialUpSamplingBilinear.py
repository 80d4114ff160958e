"""Planes stretched to another size."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def stretched(x, axis: int, out: int):
    """Straight lines between neighbours, with the ends of input and output at the same places."""
    size = x.shape[axis]
    marks = np.linspace(0, size - 1, out) if out > 1 else np.zeros(1)
    lines = []
    for cell in range(size):
        unit = np.zeros(size)
        unit[cell] = 1
        lines.append(np.interp(marks, np.arange(size), unit))
    matrix = np.round(np.array(lines), 14)  # a cell that has no weight has none here either
    terms = np.moveaxis(x, axis, -1)[..., None] * np.ones(out)
    return np.moveaxis(np.where(matrix == 0, 0, terms * matrix).sum(-2), -1, axis)


def reference(module, x):
    if module.scale_factor:
        target = [size * module.scale_factor for size in x.shape[-2:]]
    else:
        target = [module.oheight, module.owidth]
    return stretched(stretched(x, -2, target[0]), -1, target[1])


def case(name: str, params, *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialUpSamplingBilinear(params), normal(*shape), reference)


CASES = [
    case("two", 2, 2, 2, 3, 4),
    case("three", 3, 2, 1, 2, 3),
    case("one", 1, 2, 1, 2, 3),
    case("size", {"oheight": 5, "owidth": 7}, 2, 2, 3, 4),
    case("down", {"oheight": 3, "owidth": 2}, 2, 2, 5, 6),
    case("far_down", {"oheight": 3, "owidth": 4}, 1, 2, 11, 15),
    case("on_the_cells", {"oheight": 3, "owidth": 7}, 2, 1, 5, 4),
    case("to_one_cell", {"oheight": 1, "owidth": 1}, 2, 1, 3, 4),
    case("from_one_cell", {"oheight": 3, "owidth": 4}, 2, 1, 1, 1),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialUpSamplingBilinear(2), lambda m: m.forward(np.zeros((3, 3), "f")), ShapeError,
             r"expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("vector", lambda: nn.SpatialUpSamplingBilinear(2), lambda m: m.forward(np.zeros(3, "f")), ShapeError,
             r"expected \(N x\) C x H x W, got 1-D"),
    ErrorRow("zero", lambda: None, lambda _: nn.SpatialUpSamplingBilinear(0), ValueRangeError,
             "scale_factor: expected 1 or more, got 0"),
    ErrorRow("size", lambda: None, lambda _: nn.SpatialUpSamplingBilinear({"oheight": 0, "owidth": 3}), ValueRangeError,
             "oheight: expected 1 or more, got 0"),
    ErrorRow("names", lambda: None, lambda _: nn.SpatialUpSamplingBilinear({"height": 2}), ValueRangeError,
             "expected output sizes oheight, owidth, got a table of 1"),
    ErrorRow("no_width", lambda: nn.SpatialUpSamplingBilinear({"oheight": 3}), lambda m: m.forward(np.zeros((1, 3, 3), "f")),
             DtypeError, "owidth: expected a size for 2-D planes, got None"),
    ErrorRow("gradOutput", lambda: nn.SpatialUpSamplingBilinear(2),
             lambda m: m.updateGradInput(np.zeros((1, 3, 3), "f"), np.zeros((1, 6, 5), "f")), ShapeError,
             "gradOutput: expected 1 x 6 x 6, got 1 x 6 x 5"),
]  # fmt: skip
