"""Convolution of sequences, one window at a time."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

Layer = nn.TemporalConvolution


def reference(module, x):
    starts = range(0, x.shape[-2] - module.kW + 1, module.dW)
    windows = [x[..., s : s + module.kW, :].reshape(*x.shape[:-2], -1) for s in starts]
    return np.stack([window @ module.weight.astype("d").T + module.bias for window in windows], -2)


def without_bias(module, x):
    assert module.bias is None
    module.bias = 0
    try:
        return reference(module, x)
    finally:
        module.bias = None


CASES = [
    Case("2", lambda: Layer(3, 4, 2), normal(2, 5, 3), reference),
    Case("3_stride2", lambda: Layer(2, 3, 3, 2), normal(2, 8, 2), reference),
    Case("1", lambda: Layer(3, 2, 1), normal(2, 4, 3), reference),
    Case("2_stride4", lambda: Layer(2, 3, 2, 4), normal(2, 7, 2), reference),
    Case("all_frames", lambda: Layer(2, 3, 4), normal(2, 4, 2), reference),
    Case("no_bias", lambda: Layer(2, 3, 2).noBias(), normal(2, 4, 2), without_bias),
    Case("many_features", lambda: Layer(20, 17, 3), normal(1, 5, 20), reference, larger=normal(9, 90, 20)),
]

X = np.zeros((4, 3), "f")


def backward(module, gradOutput):
    module.forward(X)
    module.backward(X, gradOutput)


def renamed(name, value):
    def make():
        module = Layer(3, 2, 2)
        setattr(module, name, value)
        return module

    return make


ERRORS = [
    ErrorRow("rank", lambda: Layer(3, 2, 2), lambda m: m.forward(X[0]), ShapeError,
             r"input: expected \(N x\) nInputFrame x inputFrameSize, got 1-D"),
    ErrorRow("dtype", lambda: Layer(3, 2, 2), lambda m: m.forward(X.astype("d")), DtypeError, "expected float32, got float64"),
    ErrorRow("features", lambda: Layer(3, 2, 2), lambda m: m.forward(X[:, :2]), ShapeError,
             "input: expected frames of 3, the inputFrameSize, got 4 x 2"),
    ErrorRow("no_frames", lambda: Layer(3, 2, 2), lambda m: m.forward(X[:0]), ValueRangeError,
             r"nInputFrame: expected 1 or more, got 0"),
    ErrorRow("few_frames", lambda: Layer(3, 2, 5), lambda m: m.forward(X), ShapeError,
             "input: expected at least kW 5 frames, got 4"),
    ErrorRow("stride_zero", lambda: Layer(3, 2, 2, 0), lambda m: m.forward(X), ValueRangeError, r"dW: expected 1 or more, got 0"),
    ErrorRow("kernel", renamed("kW", 4), lambda m: m.forward(X), ShapeError,
             "weight: expected a multiple of kW 4 columns, got 2 x 6"),
    ErrorRow("outputFrameSize", renamed("outputFrameSize", 3), lambda m: m.forward(X), ValueRangeError,
             "outputFrameSize: expected 2 to 2, got 3"),
    ErrorRow("gradOutput", lambda: Layer(3, 2, 2), lambda m: backward(m, np.zeros((3, 3), "f")), ShapeError,
             "gradOutput: expected 3 x 2, got 3 x 3"),
    ErrorRow("size", lambda: nn.TemporalConvolution(3, 2, 2), lambda m: nn.TemporalConvolution(0, 2, 2), ValueRangeError,
             "nn.TemporalConvolution: inputFrameSize: expected 1 or more, got 0"),
]  # fmt: skip
