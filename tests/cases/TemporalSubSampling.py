"""Sums of neighbouring frames with a weight and a bias."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    starts = range(0, x.shape[-2] - module.kW + 1, module.dW)
    total = np.stack([x[..., start : start + module.kW, :].sum(-2) for start in starts], -2)
    return np.asarray(module.weight, np.float64) * total + np.asarray(module.bias, np.float64)


CASES = [
    Case("2", lambda: nn.TemporalSubSampling(3, 2), normal(2, 6, 3), reference),
    Case("5_stride2", lambda: nn.TemporalSubSampling(2, 5, 2), normal(2, 12, 2), reference),
    Case("stride_beyond_kernel", lambda: nn.TemporalSubSampling(4, 2, 3), normal(3, 10, 4), reference),
    Case("all_frames", lambda: nn.TemporalSubSampling(2, 7), normal(2, 7, 2), reference),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.TemporalSubSampling(2, 2), lambda m: m.forward(np.zeros(4, "f")), ShapeError,
             r"input: expected \(N x\) nFrame x frameSize, got 1-D"),
    ErrorRow("features", lambda: nn.TemporalSubSampling(2, 2), lambda m: m.forward(np.zeros((4, 3), "f")), ShapeError,
             "weight: expected 3, got 2"),
    ErrorRow("frames", lambda: nn.TemporalSubSampling(2, 5), lambda m: m.forward(np.zeros((4, 2), "f")), ShapeError,
             "input: expected at least kW 5 frames, got 4"),
    ErrorRow("stride", lambda: nn.TemporalSubSampling(2, 2, 0), lambda m: m.forward(np.zeros((4, 2), "f")), ValueRangeError,
             r"dW: expected 1 or more, got 0"),
    ErrorRow("no_frames", lambda: None, lambda _: nn.TemporalSubSampling(3, 0), ValueRangeError,
             "kW: expected 1 or more, got 0"),
]  # fmt: skip
