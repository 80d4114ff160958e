"""Convolution of each feature of a sequence by itself: one frame at a time."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    frames = np.swapaxes(x, -1, -2) if module.featFirst else x
    starts = range(0, frames.shape[-2] - module.kW + 1, module.dW)
    y = np.stack([(frames[..., t : t + module.kW, :] * module.weight[:, 0].T).sum(-2) for t in starts], -2)
    if module.bias is not None:
        y += module.bias
    return np.swapaxes(y, -1, -2) if module.featFirst else y


CASES = [
    Case("kernel2", lambda: nn.TemporalRowConvolution(3, 2), normal(2, 5, 3), reference),
    Case("kernel3_stride2", lambda: nn.TemporalRowConvolution(2, 3, 2), normal(2, 8, 2), reference),
    Case("kernel1_stride3", lambda: nn.TemporalRowConvolution(2, 1, 3), normal(2, 5, 2), reference),
    Case("many_features", lambda: nn.TemporalRowConvolution(67, 2), normal(2, 4, 67), reference),
    Case("featFirst", lambda: nn.TemporalRowConvolution(3, 2, 1, True), normal(2, 3, 5), reference),
    Case("featFirst_stride2", lambda: nn.TemporalRowConvolution(3, 3, 2, True), normal(2, 3, 6), reference),
    Case("no_bias", lambda: nn.TemporalRowConvolution(2, 3).noBias(), normal(2, 5, 2), reference),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.TemporalRowConvolution(3, 2), lambda m: m.forward(np.zeros(3, "f")), ShapeError,
             r"input: expected \(N x\) nFrame x frameSize, got 1-D"),
    ErrorRow("rank_featFirst", lambda: nn.TemporalRowConvolution(3, 2, 1, True), lambda m: m.forward(np.zeros(3, "f")),
             ShapeError, r"input: expected \(N x\) frameSize x nFrame, got 1-D"),
    ErrorRow("features", lambda: nn.TemporalRowConvolution(3, 2), lambda m: m.forward(np.zeros((5, 2), "f")),
             ShapeError, "input: expected frames of 3 features, got 5 x 2"),
    ErrorRow("too_few_frames", lambda: nn.TemporalRowConvolution(3, 4), lambda m: m.forward(np.zeros((3, 3), "f")),
             ShapeError, "input: expected at least 4 frames, the kernel, got 3 with their padding"),
    ErrorRow("gradOutput", lambda: nn.TemporalRowConvolution(3, 2),
             lambda m: m.backward(np.zeros((5, 3), "f"), np.zeros((5, 3), "f")), ShapeError,
             "gradOutput: expected 4 x 3, got 5 x 3"),
]  # fmt: skip
