"""Planes or volumes of another size."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases import SpatialUpSamplingBilinear, VolumetricUpSamplingTrilinear
from tests.cases.SpatialUpSamplingNearest import repeated

SIZE = {"odepth": 3, "oheight": 4, "owidth": 5}


def case(name: str, arguments: tuple, reference, *shape: int) -> Case:
    return Case(name, lambda: nn.UpSampling(*arguments), normal(*shape), reference, singleSample=False)


CASES = [
    case("planes", (2,), repeated(2), 2, 2, 3, 2),
    case("volumes", (2,), repeated(3), 2, 1, 2, 3, 2),
    case("planes_linear", (2, "linear"), SpatialUpSamplingBilinear.reference, 2, 2, 3, 2),
    case("volumes_linear", (2, "linear"), VolumetricUpSamplingTrilinear.reference, 2, 1, 2, 3, 2),
    case("planes_bilinear", (2, "bilinear"), SpatialUpSamplingBilinear.reference, 2, 2, 3, 2),
    case("volumes_trilinear", (2, "trilinear"), VolumetricUpSamplingTrilinear.reference, 2, 1, 2, 3, 2),
    case("planes_size", (SIZE, "linear"), SpatialUpSamplingBilinear.reference, 2, 2, 3, 2),
    case("volumes_size", (SIZE, "linear"), VolumetricUpSamplingTrilinear.reference, 2, 1, 2, 3, 2),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.UpSampling(2), lambda m: m.forward(np.zeros((3, 3, 3), "f")), ShapeError,
             "input: expected a 4-D or 5-D array, got 3-D"),
    ErrorRow("mode", lambda: None, lambda _: nn.UpSampling(2, "cubic"), ValueRangeError,
             'mode: expected "nearest" or "linear", got \'cubic\''),
    ErrorRow("nearest_size", lambda: None, lambda _: nn.UpSampling(SIZE), ValueRangeError,
             'params: expected a scale factor for the mode "nearest"'),
    ErrorRow("zero", lambda: None, lambda _: nn.UpSampling(0), ValueRangeError, "scale_factor: expected 1 or more, got 0"),
]  # fmt: skip
