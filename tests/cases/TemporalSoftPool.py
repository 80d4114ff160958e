"""Means of windows of sequences whose cells weigh exp(beta x)."""

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow
from tests.cases.SpatialSoftPool import forward, made
from tests.cases.windows import turned


def case(name: str, arguments: tuple[int, ...], *shape: int, **options) -> Case:
    return made(nn.TemporalSoftPool, name, arguments, *turned(shape), **options)


CASES = [
    case("2", (2,), 2, 3, 7),
    case("2_stride1", (2, 1), 2, 2, 5),
    case("3_stride2_pad1", (3, 2, 1), 2, 2, 8),
    case("3_stride1_pad1", (3, 1, 1), 2, 2, 8),
    case("5_stride2_pad2", (5, 2, 2), 2, 2, 9),
    case("stride_beyond_kernel", (2, 5), 1, 2, 11),
    case("ceil", (2,), 2, 2, 7, ceil=True),
    case("ceil_beyond_sequence", (4, 3), 2, 2, 2, ceil=True),
    case("whole_sequence", (6,), 2, 2, 6),
    case("cold", (3, 2, 1), 2, 2, 8, beta=20.0),
    case("pieces", (3, 1, 1), 1, 2, 1300),
    case("far_apart", (3, 2, 1), 2, 2, 9, far=True),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.TemporalSoftPool(2), forward(4), ShapeError,
             r"input: expected \(N x\) nFrame x frameSize, got 1-D \(4\)"),
    ErrorRow("kernel_too_large", lambda: nn.TemporalSoftPool(5), forward(4, 2), ShapeError,
             r"input length 4 with padding 0, kW 5"),
    ErrorRow("stride", lambda: nn.TemporalSoftPool(2, 0), forward(4, 2), ValueRangeError, r"dW: expected 1 or more, got 0"),
    ErrorRow("beta", lambda: nn.TemporalSoftPool(2, beta=float("inf")), forward(4, 2), ValueRangeError,
             r"beta: expected a finite number of 0 or more, got inf"),
]  # fmt: skip
