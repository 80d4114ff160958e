"""Maxima over windows of one size."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct
from tests.cases.windows import fixed, pool


def axes(module, x):
    """Row and column windows of a pooling module."""
    return (fixed(x.shape[-2], module.kH, module.dH, module.padH, module.ceil_mode),
            fixed(x.shape[-1], module.kW, module.dW, module.padW, module.ceil_mode))  # fmt: skip


def reference(module, x):
    return pool(x, *axes(module, x), lambda cells, r, c: cells.max((-2, -1)))


def case(name: str, arguments: tuple[int, ...], *shape: int, ceil: bool = False) -> Case:
    def make():
        module = nn.SpatialMaxPooling(*arguments)
        return module.ceil() if ceil else module

    return Case(name, make, distinct(*shape), reference)


CASES = [
    case("2x2", (2, 2), 2, 2, 4, 6),
    case("2x2_does_not_divide", (2, 2), 1, 2, 5, 7),
    case("3x3_stride2_pad1", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6),
    case("3x2_stride1", (3, 2, 1, 1), 2, 1, 4, 5),
    case("5x3_stride3x2_pad2x1", (5, 3, 3, 2, 2, 1), 1, 2, 9, 11),
    case("stride_beyond_kernel", (2, 1, 3, 4), 1, 2, 9, 8),
    case("ceil", (2, 2), 1, 2, 5, 7, ceil=True),
    case("ceil_pad", (3, 3, 2, 2, 1, 1), 1, 1, 6, 8, ceil=True),
    case("ceil_drops_a_window_outside", (1, 1, 3, 3), 1, 1, 5, 5, ceil=True),
    case("ceil_beyond_plane", (3, 3, 2, 2), 1, 2, 2, 2, ceil=True),
    case("ceil_beyond_padding", (4, 3, 3, 2, 1, 0), 2, 1, 2, 1, ceil=True),
    case("whole_plane", (5, 4), 2, 3, 4, 5),
    case("one_cell", (1, 1), 2, 2, 3, 3),
]


def backward_with_bad_index(module):
    x = np.zeros((1, 4, 4), "f")
    y = module.forward(x)
    module.indices[0, 1, 1] = 16
    module.backward(x, np.ones_like(y))


ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialMaxPooling(2, 2), lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D \(4 x 4\)"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialMaxPooling(5, 2), lambda m: m.forward(np.zeros((1, 4, 4), "f")), ShapeError,
             r"input: expected planes that hold the kernel: input width 4 with padding 0, kW 5"),
    ErrorRow("kernel_zero", lambda: None, lambda _: nn.SpatialMaxPooling(0, 2), ValueRangeError, "kW: expected 1 or more, got 0"),
    ErrorRow("stride_negative", lambda: nn.SpatialMaxPooling(2, 2, -1, 2), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ValueRangeError, r"dW: expected 1 or more, got -1"),
    ErrorRow("padding_too_large", lambda: nn.SpatialMaxPooling(3, 3, 1, 1, 0, 2), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ValueRangeError, r"padH: expected 0 to 1, got 2"),
    ErrorRow("no_cells", lambda: nn.SpatialMaxPooling(1, 1), lambda m: m.forward(np.zeros((1, 4, 0), "f")), ValueRangeError,
             r"input width: expected 1 or more, got 0"),
    ErrorRow("dtype", lambda: nn.SpatialMaxPooling(2, 2), lambda m: m.forward(np.zeros((1, 4, 4))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("gradOutput", lambda: nn.SpatialMaxPooling(2, 2),
             lambda m: (m.forward(np.zeros((1, 4, 4), "f")), m.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 3, 2), "f"))),
             ShapeError, r"gradOutput: expected 1 x 2 x 2, got 1 x 3 x 2"),
    ErrorRow("backward_before_forward", lambda: nn.SpatialMaxPooling(2, 2),
             lambda m: m.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 2, 2), "f")), ShapeError, "indices: expected 1 x 2"),
    ErrorRow("index_out_of_range", lambda: nn.SpatialMaxPooling(2, 2), backward_with_bad_index, IndexRangeError,
             r"indices: expected 0 to 15, got 16"),
]  # fmt: skip
