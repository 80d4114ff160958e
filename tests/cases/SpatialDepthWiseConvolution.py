"""Convolution of each plane by itself: one filter and one place at a time."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    pads = [(0, 0)] * (x.ndim - 2) + [(module.padH, module.padH), (module.padW, module.padW)]
    padded = np.pad(x, pads)
    planes, multiplier = module.nInputPlane, module.nOutputPlane
    weight = module.weight.reshape(multiplier, planes, module.kH, module.kW)
    rows = range(0, padded.shape[-2] - module.kH + 1, module.dH)
    columns = range(0, padded.shape[-1] - module.kW + 1, module.dW)
    y = np.zeros((*x.shape[:-3], planes * multiplier, len(rows), len(columns)))
    for c in range(planes):
        for o in range(multiplier):
            for oh, h in enumerate(rows):
                for ow, w in enumerate(columns):
                    window = padded[..., c, h : h + module.kH, w : w + module.kW]
                    y[..., c * multiplier + o, oh, ow] = (window * weight[o, c]).sum((-2, -1))
            if module.bias is not None:
                y[..., c * multiplier + o, :, :] += module.bias[o, c]
    return y


def case(name: str, arguments: tuple[int, ...], *shape: int, bias: bool = True) -> Case:
    def make():
        module = nn.SpatialDepthWiseConvolution(*arguments)
        return module if bias else module.noBias()

    return Case(name, make, normal(*shape), reference)


CASES = [
    case("3x3", (3, 1, 3, 3), 2, 3, 5, 4),
    case("multiplier_stride2x1_pad1", (2, 3, 3, 2, 2, 1, 1, 1), 2, 2, 4, 5),
    case("no_bias", (2, 2, 2, 3), 2, 2, 4, 3, bias=False),
    case("stride3_pad1x2", (2, 1, 2, 4, 3, 3, 1, 2), 2, 2, 6, 7),
    case("pad_beyond_kernel", (1, 2, 2, 2, 1, 1, 3, 3), 1, 1, 3, 2),
    case("1x1", (3, 2, 1, 1), 2, 3, 2, 3),
    case("stride_beyond_kernel", (2, 1, 2, 1, 3, 4), 2, 2, 9, 8),
    case("wide_kernel", (2, 1, 9, 2, 1, 1, 5, 0), 2, 2, 4, 7),
    case("bands_pad1", (1, 1, 3, 3, 1, 1, 1, 1), 1, 1, 95, 93),
    case("bands_stride2x3_pad2x3", (1, 1, 5, 4, 2, 3, 2, 3), 1, 1, 200, 261),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialDepthWiseConvolution(1, 1, 2, 2), lambda m: m.forward(np.zeros((4, 4), "f")),
             ShapeError, r"input: expected \(N x\) nInputPlane x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialDepthWiseConvolution(3, 1, 2, 2),
             lambda m: m.forward(np.zeros((2, 4, 4), "f")), ShapeError,
             "input: expected 3 planes, the nInputPlane, got 2 x 4 x 4"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialDepthWiseConvolution(1, 1, 5, 5),
             lambda m: m.forward(np.zeros((1, 4, 4), "f")), ShapeError,
             "input: expected at least the kernel, 5 x 5, got 4 x 4 with its padding"),
    ErrorRow("stride_zero", lambda: nn.SpatialDepthWiseConvolution(1, 1, 2, 2, 0, 1),
             lambda m: m.forward(np.zeros((1, 4, 4), "f")), ValueRangeError, r"dW: expected 1 or more, got 0"),
    ErrorRow("gradOutput", lambda: nn.SpatialDepthWiseConvolution(1, 2, 2, 2),
             lambda m: m.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 3, 3), "f")), ShapeError,
             "gradOutput: expected 2 x 3 x 3, got 1 x 3 x 3"),
]  # fmt: skip
