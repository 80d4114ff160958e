"""Means of successive frames."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.windows import usual_errors


def reference(module, x):
    starts = range(0, x.shape[-2] - module.kW + 1, module.dW)
    return np.stack([x[..., start : start + module.kW, :].mean(-2) for start in starts], -2)


def case(name: str, arguments: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.TemporalAveragePooling(*arguments), normal(*shape), reference)


CASES = [
    case("2", (2,), 3, 6, 4),
    case("3_stride1", (3, 1), 2, 5, 3),
    case("3_stride2", (3, 2), 2, 8, 5),
    case("stride_beyond_kernel", (2, 5), 2, 9, 3),
    case("all_frames", (7,), 2, 7, 2),
    case("one_frame", (1,), 2, 3, 2),
]

ERRORS = [
    *usual_errors(lambda: nn.TemporalAveragePooling(2), (4, 3), r"\(N x\) nFrame x frameSize"),
    ErrorRow("too_few_frames", lambda: nn.TemporalAveragePooling(5), lambda m: m.forward(np.zeros((4, 3), "f")), ShapeError,
             "input: expected at least kW 5 frames, got 4"),
    ErrorRow("stride_zero", lambda: nn.TemporalAveragePooling(2, 0), lambda m: m.forward(np.zeros((4, 3), "f")), ValueRangeError,
             r"dW: expected 1 or more, got 0"),
]  # fmt: skip
