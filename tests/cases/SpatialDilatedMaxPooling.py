"""Maxima over windows whose cells lie apart."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct
from tests.cases.windows import dilated, usual_errors


def reference(module, x):
    axes = [axis for axis in "THW" if axis in module._axes]
    windows = [
        dilated(size, *(getattr(module, name + a) for name in ("k", "d", "pad", "dilation")), module.ceil_mode)
        for a, size in zip(axes, x.shape[-len(axes) :], strict=True)
    ]
    y = np.zeros((*x.shape[: -len(axes)], *map(len, windows)))
    for o in np.ndindex(*y.shape[-len(axes) :]):
        cells = [window[i] for window, i in zip(windows, o, strict=True)]
        if all(cells):  # a window may see nothing: 0
            y[(..., *o)] = x[(..., *np.ix_(*cells))].max(tuple(range(-len(axes), 0)))
    return y


def case(name: str, arguments: tuple[int, ...], *shape: int, ceil: bool = False) -> Case:
    def make():
        module = nn.SpatialDilatedMaxPooling(*arguments)
        return module.ceil() if ceil else module

    return Case(name, make, distinct(*shape), reference)


CASES = [
    case("dense", (2, 2, 1, 1), 2, 2, 4, 5),
    case("2x2_dilation2", (2, 2, 1, 1, 0, 0, 2, 2), 2, 2, 5, 6),
    case("3x2_dilation2x3_pad1", (3, 2, 2, 1, 1, 1, 2, 3), 1, 2, 9, 8),
    case("ceil", (2, 3, 2, 2, 0, 0, 2, 1), 1, 2, 7, 6, ceil=True),
    case("ceil_beyond_plane", (3, 2, 2, 2, 0, 0, 1, 2), 1, 2, 2, 2, ceil=True),
    case("ceil_beyond_padding", (3, 2, 2, 3, 1, 0, 2, 2), 2, 1, 2, 2, ceil=True),
    case("window_beside_the_input", (2, 2, 1, 1, 1, 1, 3, 3), 1, 1, 2, 2),
]

ERRORS = [
    *usual_errors(lambda: nn.SpatialDilatedMaxPooling(2, 2), (1, 4, 5), r"\(N x\) C x H x W", indexed=True),
    ErrorRow("kernel_too_large", lambda: nn.SpatialDilatedMaxPooling(6, 2),
             lambda m: m.forward(np.zeros((1, 4, 5), "f")), ShapeError,
             r"input: expected planes that hold the kernel: input width 5 with padding 0, kW 6"),
    ErrorRow("padding_too_large", lambda: nn.SpatialDilatedMaxPooling(2, 2, 1, 1, 2, 2),
             lambda m: m.forward(np.zeros((1, 4, 5), "f")), ValueRangeError, r"padW: expected 0 to 1, got 2"),
]  # fmt: skip
