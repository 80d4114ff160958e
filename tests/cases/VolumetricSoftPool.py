"""Means of windows of volumes whose cells weigh exp(beta x)."""

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow
from tests.cases.SpatialSoftPool import forward, made


def case(name: str, arguments: tuple[int, ...], *shape: int, **options) -> Case:
    return made(nn.VolumetricSoftPool, name, arguments, *shape, **options)


CASES = [
    case("2x2x2", (2, 2, 2), 2, 2, 4, 5, 6),
    case("3x3x3_stride2_pad1", (3, 3, 3, 2, 2, 2, 1, 1, 1), 1, 2, 5, 6, 7),
    case("3x3x3_stride1_pad1", (3, 3, 3, 1, 1, 1, 1, 1, 1), 1, 2, 3, 4, 3),
    case("1x3x3_stride1x2x2_pad0x1x1", (1, 3, 3, 1, 2, 2, 0, 1, 1), 2, 2, 3, 6, 5),
    case("4x2x3_stride3x1x2", (4, 2, 3, 3, 1, 2, 1, 1, 0), 1, 2, 7, 5, 4),
    case("stride_beyond_kernel", (1, 2, 1, 2, 3, 4), 1, 2, 5, 9, 8),
    case("ceil", (2, 2, 2), 1, 2, 3, 5, 3, ceil=True),
    case("ceil_beyond_volume", (3, 4, 2, 2, 3, 2, 0, 1, 0), 1, 2, 2, 1, 1, ceil=True),
    case("whole_volume", (3, 5, 4), 2, 3, 3, 4, 5),
    case("cold", (2, 2, 2), 1, 2, 4, 5, 4, beta=30.0),
    case("far_apart", (3, 3, 3, 2, 2, 2, 1, 1, 1), 1, 2, 5, 4, 5, far=True),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.VolumetricSoftPool(2, 2, 2), forward(4, 4, 4), ShapeError,
             r"input: expected \(N x\) C x T x H x W, got 3-D \(4 x 4 x 4\)"),
    ErrorRow("kernel_too_large", lambda: nn.VolumetricSoftPool(5, 2, 2), forward(2, 4, 4, 4), ShapeError,
             r"input time 4 with padding 0, kT 5"),
    ErrorRow("padding", lambda: nn.VolumetricSoftPool(2, 2, 2, padT=2), forward(2, 4, 4, 4), ValueRangeError,
             r"padT: expected 0 to 1, got 2"),
    ErrorRow("beta", lambda: nn.VolumetricSoftPool(2, 2, 2, beta=-0.5), forward(2, 4, 4, 4), ValueRangeError,
             r"beta: expected a finite number of 0 or more, got -0\.5"),
]  # fmt: skip
