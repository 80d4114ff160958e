"""p-norms of windows."""

from math import inf, nan

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct, normal
from tests.cases.SpatialMaxPooling import axes
from tests.cases.windows import pool


def reference(module, x):
    def norm(cells, r, c):
        size = np.abs(cells)
        if module.p == inf:
            return size.max((-2, -1))
        largest = np.maximum(size.max((-2, -1), keepdims=True), 1e-300)
        return largest[..., 0, 0] * ((size / largest) ** module.p).sum((-2, -1)) ** (1 / module.p)

    return pool(x, *axes(module, x), norm)


def case(name: str, arguments: tuple[float, ...], *shape: int, ceil: bool = False, input=normal, **options) -> Case:
    def make():
        module = nn.SpatialPowerAveragePooling(*arguments)
        return module.ceil() if ceil else module

    return Case(name, make, input(*shape), reference, **options)


def scaled(factor: float):
    """Inputs beyond the range of squares, in one precision or both."""
    return lambda *shape: lambda rng: factor * rng.uniform(0.5, 2, shape) * rng.choice([-1, 1], shape)


def sparse(*shape: int):
    """Whole windows of zeros."""
    return lambda rng: rng.standard_normal(shape) * (rng.uniform(size=shape) > 0.7)


def mixed(*shape: int):
    """Magnitudes that no one scale suits."""
    return lambda rng: rng.standard_normal(shape) * 10.0 ** rng.integers(-25, 20, shape)


CASES = [
    case("p1", (1, 2, 2), 2, 2, 4, 6, input=distinct),
    case("p1_overlap_pad", (1, 3, 3, 2, 2, 1, 1), 2, 2, 7, 6, input=distinct),
    case("p2", (2, 2, 2), 2, 2, 4, 6),
    case("p2_3x3_stride2_pad1", (2, 3, 3, 2, 2, 1, 1), 2, 2, 7, 6),
    case("p2_5x3_stride3x2_pad2x1", (2, 5, 3, 3, 2, 2, 1), 1, 2, 9, 11),
    case("p2_ceil", (2, 2, 2), 1, 2, 5, 7, ceil=True),
    case("p2_stride_beyond_kernel", (2, 2, 1, 3, 4), 1, 2, 9, 8),
    case("p2_whole_plane", (2, 5, 4), 2, 3, 4, 5),
    case("p3", (3, 2, 3, 1, 1), 2, 2, 4, 5),
    case("p4", (4.0, 3, 2, 1, 2, 1, 0), 2, 2, 5, 5),
    case("p5", (5, 2, 2), 2, 2, 4, 6),
    case("p2_5", (2.5, 3, 3, 2, 2, 1, 1), 2, 2, 7, 6),
    case("p1_3_ceil", (1.3, 3, 2, 2, 2, 1, 1), 1, 1, 6, 8, ceil=True, input=distinct),
    case("p_half", (0.5, 2, 2, 1, 1), 1, 2, 4, 4, input=lambda *shape: lambda rng: rng.uniform(0.5, 2, shape)),
    case("p40", (40, 2, 2, 1, 1), 1, 2, 5, 4, input=distinct,
         skip=("nonfinite",)),  # shares below the smallest number are 0, but carry NaN
    case("infinity", (inf, 3, 2, 2, 1, 1, 1), 2, 2, 5, 7, input=distinct),
    case("infinity_ceil", (inf, 2, 2), 1, 2, 5, 7, ceil=True, input=distinct),
    case("p1_ceil_beyond_plane", (1, 3, 3, 2, 2), 1, 2, 2, 2, ceil=True, input=distinct),
    case("p2_ceil_beyond_plane", (2, 3, 3, 2, 2), 1, 2, 2, 2, ceil=True),
    case("p1_3_ceil_beyond_padding", (1.3, 4, 3, 3, 2, 1, 0), 2, 1, 2, 1, ceil=True, input=distinct),
    case("infinity_ceil_beyond_plane", (inf, 3, 3, 2, 2), 1, 2, 2, 2, ceil=True, input=distinct),
    case("p2_huge", (2, 2, 2, 1, 1), 1, 2, 4, 4, input=scaled(1e30), jacobian=False),
    case("p3_5_huge", (3.5, 2, 2, 1, 1), 1, 2, 4, 4, input=scaled(1e30), jacobian=False),
    case("p2_tiny", (2, 2, 2, 1, 1), 1, 2, 4, 4, input=scaled(1e-30), jacobian=False),
    case("p4_tiny", (4, 2, 2, 1, 1), 1, 2, 4, 4, input=scaled(1e-30), jacobian=False),
    case("p2_sparse", (2, 2, 2), 2, 2, 8, 8, input=sparse, jacobian=False),
    case("p2_5_sparse", (2.5, 2, 2), 2, 2, 8, 8, input=sparse, jacobian=False),
    case("p3_mixed_scales", (3, 2, 2, 1, 2), 2, 2, 6, 6, input=mixed, jacobian=False,
         skip=("nonfinite",)),  # probes of 1000 do not show what a small cell reaches
]  # fmt: skip

ZEROS = np.zeros((1, 4, 4), "f")
ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialPowerAveragePooling(2, 2, 2), lambda m: m.forward(ZEROS[0]), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D"),
    ErrorRow("power_zero", lambda: nn.SpatialPowerAveragePooling(0, 2, 2), lambda m: m.forward(ZEROS), ValueRangeError,
             r"power: expected a number above 0, got 0"),
    ErrorRow("power_nan", lambda: nn.SpatialPowerAveragePooling(nan, 2, 2), lambda m: m.forward(ZEROS), ValueRangeError,
             r"power: expected a number above 0, got nan"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialPowerAveragePooling(2, 2, 5), lambda m: m.forward(ZEROS), ShapeError,
             r"input height 4 with padding 0, kH 5"),
    ErrorRow("padding_too_large", lambda: nn.SpatialPowerAveragePooling(2, 3, 3, 1, 1, 2), lambda m: m.forward(ZEROS),
             ValueRangeError, r"padW: expected 0 to 1, got 2"),
    ErrorRow("dtype", lambda: nn.SpatialPowerAveragePooling(2, 2, 2), lambda m: m.forward(np.zeros((1, 4, 4))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("gradOutput", lambda: nn.SpatialPowerAveragePooling(2, 2, 2),
             lambda m: (m.forward(ZEROS), m.backward(ZEROS, np.zeros((1, 3, 2), "f"))), ShapeError,
             r"gradOutput: expected 1 x 2 x 2, got 1 x 3 x 2"),
    ErrorRow("backward_before_forward", lambda: nn.SpatialPowerAveragePooling(2, 2, 2),
             lambda m: m.backward(ZEROS, np.zeros((1, 2, 2), "f")), ShapeError, r"output: expected 1 x 2 x 2"),
]  # fmt: skip
