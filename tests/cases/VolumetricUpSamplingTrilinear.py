"""Volumes stretched to another size."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialUpSamplingBilinear import stretched


def reference(module, x):
    if module.scale_factor:
        target = [size * module.scale_factor for size in x.shape[-3:]]
    else:
        target = [module.odepth, module.oheight, module.owidth]
    for axis in (-3, -2, -1):
        x = stretched(x, axis, target[axis])
    return x


def case(name: str, params, *shape: int) -> Case:
    return Case(name, lambda: nn.VolumetricUpSamplingTrilinear(params), normal(*shape), reference)


CASES = [
    case("two", 2, 2, 2, 2, 3, 2),
    case("size", {"odepth": 4, "oheight": 5, "owidth": 3}, 2, 1, 3, 2, 4),
    case("on_the_cells", {"odepth": 3, "oheight": 3, "owidth": 3}, 1, 2, 5, 2, 3),
    case("to_one_cell", {"odepth": 1, "oheight": 1, "owidth": 1}, 2, 1, 2, 3, 2),
    case("from_one_cell", {"odepth": 2, "oheight": 3, "owidth": 2}, 2, 1, 1, 1, 1),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.VolumetricUpSamplingTrilinear({"odepth": 1, "oheight": 1, "owidth": 1}),
             lambda m: m.forward(np.zeros((3, 3, 3), "f")), ShapeError, r"expected \(N x\) C x T x H x W, got 3-D"),
]  # fmt: skip
