"""Convolution, by its definition: one window and one filter at a time."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    pads = [(0, 0)] * (x.ndim - 2) + [(module.padH, module.padH), (module.padW, module.padW)]
    padded = np.pad(x, pads)
    weight = module.weight.astype(np.float64).reshape(module.nOutputPlane, module.nInputPlane, module.kH, module.kW)
    rows = range(0, padded.shape[-2] - module.kH + 1, module.dH)
    columns = range(0, padded.shape[-1] - module.kW + 1, module.dW)
    windows = [[padded[..., h : h + module.kH, w : w + module.kW] for w in columns] for h in rows]
    y = np.einsum("hw...cij,ocij->...ohw", np.array(windows), weight)
    return y if module.bias is None else y + module.bias[:, None, None]


def with_flat_gradWeight(module):
    module.gradWeight = np.zeros((1, 3), "f")
    module.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 3, 3), "f"))


def case(name: str, arguments: tuple[int, ...], *shape: int, bias: bool = True, larger: tuple[int, ...] = ()) -> Case:
    def make():
        module = nn.SpatialConvolution(*arguments)
        return module if bias else module.noBias()

    return Case(name, make, normal(*shape), reference, larger=normal(*larger) if larger else None)


CASES = [
    case("3x3", (2, 3, 3, 3), 2, 2, 5, 6),
    case("3x3_pad1", (2, 3, 3, 3, 1, 1, 1), 2, 2, 4, 5),
    case("1x1", (3, 4, 1, 1), 2, 3, 4, 5),
    case("1x1_stride2", (2, 2, 1, 1, 2, 2), 2, 2, 5, 6),
    case("2x4_stride3x2_pad1x2", (2, 2, 2, 4, 3, 2, 1, 2), 2, 2, 6, 7),
    case("pad_beyond_kernel", (1, 2, 2, 2, 1, 1, 3, 3), 1, 1, 3, 2),
    case("no_bias", (2, 2, 3, 2), 2, 2, 4, 4, bias=False),
    case("whole_plane", (3, 5, 4, 3), 2, 3, 3, 4),
    case("one_row", (1, 1, 3, 1), 1, 1, 1, 7),
    case("many_planes", (33, 3, 3, 3), 1, 33, 5, 4, larger=(17, 33, 24, 25)),
    case("many_planes_no_bias", (33, 3, 3, 3), 1, 33, 5, 4, larger=(17, 33, 24, 25), bias=False),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialConvolution(1, 1, 2, 2), lambda m: m.forward(np.zeros((4, 4), "f")),
             ShapeError, r"input: expected \(N x\) nInputPlane x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialConvolution(3, 1, 2, 2), lambda m: m.forward(np.zeros((1, 2, 4, 4), "f")),
             ShapeError, "input: expected 3 planes, the nInputPlane, got 1 x 2 x 4 x 4"),
    ErrorRow("no_height", lambda: nn.SpatialConvolution(1, 1, 1, 1), lambda m: m.forward(np.zeros((1, 0, 4), "f")),
             ValueRangeError, r"input height: expected 1 or more, got 0"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialConvolution(1, 1, 5, 5),
             lambda m: m.forward(np.zeros((1, 4, 4), "f")), ShapeError,
             "input: expected at least the kernel, 5 x 5, got 4 x 4 with its padding"),
    ErrorRow("stride_zero", lambda: nn.SpatialConvolution(1, 1, 2, 2, 0, 1),
             lambda m: m.forward(np.zeros((1, 4, 4), "f")), ValueRangeError, r"dW: expected 1 or more, got 0"),
    ErrorRow("padding_negative", lambda: nn.SpatialConvolution(1, 1, 2, 2, 1, 1, 0, -1),
             lambda m: m.forward(np.zeros((1, 4, 4), "f")), ValueRangeError, r"padH: expected 0 or more, got -1"),
    ErrorRow("padding_not_an_integer", lambda: None, lambda _: nn.SpatialConvolution(1, 1, 2, 2, 1, 1, "1"), ArgumentError,
             "padW: expected an integer, got '1'"),
    ErrorRow("dtype", lambda: nn.SpatialConvolution(1, 1, 2, 2), lambda m: m.forward(np.zeros((1, 4, 4))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("gradOutput", lambda: nn.SpatialConvolution(1, 1, 2, 2),
             lambda m: m.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 3, 2), "f")), ShapeError,
             "gradOutput: expected 1 x 3 x 3, got 1 x 3 x 2"),
    ErrorRow("gradWeight", lambda: nn.SpatialConvolution(1, 1, 2, 2), with_flat_gradWeight, ShapeError,
             "gradWeight: expected nOutputPlane x nInputPlane x 2 x 2, got 1 x 3"),
]  # fmt: skip
