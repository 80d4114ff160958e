"""Convolution with filters of their own for each place: one place at a time."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    pads = [(0, 0)] * (x.ndim - 2) + [(module.padH, module.padH), (module.padW, module.padW)]
    padded = np.pad(x, pads)
    y = np.empty((*x.shape[:-3], module.nOutputPlane, module.oH, module.oW))
    for h in range(module.oH):
        for w in range(module.oW):
            top, left = h * module.dH, w * module.dW
            window = padded[..., top : top + module.kH, left : left + module.kW]
            y[..., h, w] = np.einsum("...cij,ocij->...o", window, module.weight[h, w]) + module.bias[:, h, w]
    return y


def case(name: str, arguments: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialConvolutionLocal(*arguments), normal(*shape), reference)


# Legal values of numbers in THNN.h, where they are not those of other layers (tests/capi.py).
ARGUMENTS = {"inputWidth": 7, "outputWidth": 5, "outputHeight": 4}


def without_a_gradBias(module):
    module.gradBias = None
    module.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 3, 3), "f"))


CASES = [
    case("3x2", (2, 3, 5, 4, 3, 2), 2, 2, 4, 5),
    case("3x3_stride2_pad1", (2, 2, 6, 5, 3, 3, 2, 2, 1), 2, 2, 5, 6),
    case("1x2_stride1x2_pad2x1", (1, 2, 3, 4, 1, 2, 1, 2, 2, 1), 2, 1, 4, 3),
    case("whole_plane", (3, 4, 3, 2, 3, 2), 3, 3, 2, 3),
    case("pad_beyond_kernel", (1, 1, 2, 3, 2, 2, 1, 1, 3), 1, 1, 3, 2),
    case("many_planes", (33, 2, 4, 3, 2, 2), 1, 33, 3, 4),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialConvolutionLocal(1, 1, 4, 4, 2, 2), lambda m: m.forward(np.zeros((4, 4), "f")),
             ShapeError, r"input: expected \(N x\) nInputPlane x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialConvolutionLocal(3, 1, 4, 4, 2, 2),
             lambda m: m.forward(np.zeros((1, 2, 4, 4), "f")), ShapeError,
             "input: expected 3 planes, the nInputPlane, got 1 x 2 x 4 x 4"),
    ErrorRow("another_size", lambda: nn.SpatialConvolutionLocal(1, 1, 5, 4, 2, 2),
             lambda m: m.forward(np.zeros((1, 5, 4), "f")), ShapeError, "input: expected planes of 4 x 5, got 1 x 5 x 4"),
    ErrorRow("kernel_too_large", lambda: None, lambda _: nn.SpatialConvolutionLocal(1, 1, 4, 4, 5, 5), ShapeError,
             "input: expected at least the kernel, 5 x 5, got 4 x 4 with its padding"),
    ErrorRow("stride_zero", lambda: None, lambda _: nn.SpatialConvolutionLocal(1, 1, 4, 4, 2, 2, 0), ValueRangeError,
             "dW: expected 1 or more, got 0"),
    ErrorRow("padding_negative", lambda: None, lambda _: nn.SpatialConvolutionLocal(1, 1, 4, 4, 2, 2, 1, 1, -1),
             ValueRangeError, "padW: expected 0 or more, got -1"),
    ErrorRow("dtype", lambda: nn.SpatialConvolutionLocal(1, 1, 4, 4, 2, 2), lambda m: m.forward(np.zeros((1, 4, 4))),
             DtypeError, "expected float32, got float64"),
    ErrorRow("gradOutput", lambda: nn.SpatialConvolutionLocal(1, 1, 4, 4, 2, 2),
             lambda m: m.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 3, 2), "f")), ShapeError,
             "gradOutput: expected 1 x 3 x 3, got 1 x 3 x 2"),
    ErrorRow("no_gradBias", lambda: nn.SpatialConvolutionLocal(1, 1, 4, 4, 2, 2), without_a_gradBias, ValueError,
             "gradBias: expected an array, got None"),
]  # fmt: skip
