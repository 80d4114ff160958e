"""Maxima over boxes at random distances; planes are H x W x T."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct
from tests.cases.SpatialFractionalMaxPooling import RANDOM
from tests.cases.windows import fractional, volume


def reference(module, x):
    planes = x.reshape(-1, *x.shape[-3:])
    samples = np.asarray(module.randomSamples, np.float64).reshape(-1, 3)
    size = module.output.shape[-3:]
    pools = module.poolSizeH, module.poolSizeW, module.poolSizeT
    pooled = []
    for plane, (t, w, h) in zip(planes, samples, strict=True):
        windows = [fractional(*axis) for axis in zip(plane.shape, size, pools, (h, w, t), strict=True)]
        pooled.append(volume(plane, *windows, np.max))
    return np.reshape(pooled, (*x.shape[:-3], *size))


def case(name: str, arguments: tuple[float, ...], *shape: int, fixed: bool = False) -> Case:
    def make():
        return nn.VolumetricFractionalMaxPooling(*arguments).fixPoolingRegions(fixed)

    return Case(name, make, distinct(*shape), reference, skip=RANDOM)


CASES = [
    case("2x2x2_to_2x3x3", (2, 2, 2, 2, 3, 3), 2, 2, 6, 5, 4),
    case("3x2x4_to_4x2x1", (3, 2, 4, 4, 2, 1), 2, 1, 5, 6, 8),
    case("ratios", (2, 2, 2, 0.5, 0.6, 0.7), 2, 1, 4, 5, 6),
    case("fixed", (2, 3, 2, 3, 2, 2), 1, 2, 4, 5, 6, fixed=True),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.VolumetricFractionalMaxPooling(2, 2, 2, 2, 2, 2), lambda m: m.forward(np.zeros((4, 4, 4), "f")),
             ShapeError, r"input: expected \(N x\) C x H x W x T, got 3-D \(4 x 4 x 4\)"),
    ErrorRow("no_room", lambda: nn.VolumetricFractionalMaxPooling(2, 2, 2, 4, 2, 2),
             lambda m: m.forward(np.zeros((1, 5, 5, 4), "f")), ShapeError,
             r"input: expected planes with room for the windows: input time 4, outputT 4, poolSizeT 2"),
    ErrorRow("pool_1", lambda: None, lambda m: nn.VolumetricFractionalMaxPooling(1, 2, 2, 3, 3, 3), ValueRangeError,
             "poolSizeT: expected 2 or more, got 1"),
]  # fmt: skip
