"""Means of windows under a Gaussian."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialMaxPooling import axes
from tests.cases.windows import pool


def reference(module, x):
    """Each window with weights of its own, over a plane that is padded with zeros where these have weight."""
    mean, precision = (np.asarray(a, np.float64) for a in (module.mean, module.precision))
    height, width = x.shape[-2:]

    def along(window, size, pad, kernel, axis):
        """Weights of the cells of a window along an axis, those outside of the input cut off: C x M x cells."""
        low, high = (-pad, size + pad) if module.count_include_pad else (0, size)
        place = np.arange(kernel) - (kernel - 1) / 2
        weight = np.exp(-0.5 * precision[..., axis, None] * (place - mean[..., axis, None]) ** 2)
        weight = weight * [low <= i < high for i in window]
        weight = weight / weight.sum(-1, keepdims=True)
        return weight[..., [0 <= i < size for i in window]]

    def weighted(cells, r, c):
        rows, columns = along(r, height, module.padH, module.kH, 1), along(c, width, module.padW, module.kW, 0)
        return np.einsum("...chw,cmh,cmw->...cm", cells, rows, columns)

    y = pool(x, *axes(module, x), weighted)
    return y.reshape(*x.shape[:-3], -1, *y.shape[-2:])


def case(name: str, arguments: tuple[int, ...], *shape: int, ceil: bool = False, include: bool = False, **options) -> Case:
    def make():
        module = nn.SpatialGaussianPooling(*arguments)
        module.ceil_mode, module.count_include_pad = ceil, include
        return module

    return Case(name, make, normal(*shape), reference, **options)


CASES = [
    case("2x2", (2, 2, 2), 2, 2, 4, 6),
    case("3x3_stride2_pad1", (2, 3, 3, 2, 2, 1, 1), 2, 2, 7, 6),
    case("3x3_stride2_pad1_include", (2, 3, 3, 2, 2, 1, 1), 2, 2, 7, 6, include=True),
    case("5x3_stride3x2_pad2x1_kernels", (2, 5, 3, 3, 2, 2, 1, 3), 2, 2, 9, 11),
    case("5x6_stride1_pad2x3", (1, 5, 6, 1, 1, 2, 3, 2), 2, 1, 6, 7),
    case("stride_beyond_kernel", (2, 2, 1, 3, 4), 1, 2, 9, 8),
    case("ceil", (2, 2, 2), 1, 2, 5, 7, ceil=True),
    case("ceil_pad", (1, 3, 3, 2, 2, 1, 1, 2), 1, 1, 6, 8, ceil=True),
    case("ceil_pad_include", (1, 3, 3, 2, 2, 1, 1, 2), 1, 1, 6, 8, ceil=True, include=True),
    case("ceil_beyond_plane", (2, 3, 3, 2, 2), 1, 2, 2, 2, ceil=True),
    case("ceil_beyond_padding", (1, 4, 3, 3, 2, 1, 0, 2), 2, 1, 2, 1, ceil=True),
    case("ceil_beyond_padding_include", (1, 4, 3, 3, 2, 1, 0, 2), 2, 1, 2, 1, ceil=True, include=True),
    case("whole_plane", (3, 5, 4), 2, 3, 4, 5),
    case("one_cell", (2, 1, 1), 2, 2, 3, 3),
    case("2x3_stride1", (2, 2, 3, 1, 1), 2, 2, 5, 9),
    case("3x2_stride1_pad1", (2, 3, 2, 1, 1, 1, 1), 2, 2, 4, 9),
    case("5x2_stride1_pad2", (2, 5, 2, 1, 1, 2, 1), 2, 2, 4, 11),
    case("5x2_stride2_pad2", (2, 5, 2, 2, 1, 2, 1), 2, 2, 4, 11),
]

ZEROS = np.zeros((1, 4, 4), "f")
ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialGaussianPooling(1, 2, 2), lambda m: m.forward(ZEROS[0]), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("planes", lambda: nn.SpatialGaussianPooling(2, 2, 2), lambda m: m.forward(ZEROS), ShapeError,
             "mean: expected 1 x 1 x 2, got 2 x 1 x 2"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialGaussianPooling(1, 2, 5), lambda m: m.forward(ZEROS), ShapeError,
             "input height 4 with padding 0, kH 5"),
    ErrorRow("padding_too_large", lambda: nn.SpatialGaussianPooling(1, 3, 3, 1, 1, 2), lambda m: m.forward(ZEROS),
             ValueRangeError, "padW: expected 0 to 1, got 2"),
    ErrorRow("no_kernels", lambda: nn.SpatialGaussianPooling(1, 2, 2),
             lambda m: nn.SpatialGaussianPooling(1, 2, 2, nKernel=0), ValueRangeError, "nKernel: expected 1 or more, got 0"),
    ErrorRow("gradOutput", lambda: nn.SpatialGaussianPooling(1, 2, 2, nKernel=3),
             lambda m: (m.forward(ZEROS), m.backward(ZEROS, np.zeros((1, 2, 2), "f"))), ShapeError,
             "gradOutput: expected 3 x 2 x 2, got 1 x 2 x 2"),
    ErrorRow("no_columns", lambda: None, lambda _: nn.SpatialGaussianPooling(2, 0, 3), ValueRangeError,
             "kW: expected 1 or more, got 0"),
]  # fmt: skip
