"""Maxima over windows of a volume whose cells lie apart."""

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
        module = nn.VolumetricDilatedMaxPooling(*arguments)
        return module.ceil() if ceil else module

    return Case(name, make, distinct(*shape), reference)


CASES = [
    case("dense", (2, 2, 2), 1, 2, 4, 5, 4),
    case("dilation2", (2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 1, 2), 2, 1, 4, 3, 5),
    case("3x2x3_pad1", (3, 2, 3, 1, 2, 1, 1, 1, 1, 1, 2, 2), 1, 2, 4, 6, 5),
    case("ceil", (2, 2, 1, 2, 2, 2, 0, 0, 0, 2, 2, 1), 1, 1, 5, 4, 6, ceil=True),
    case("ceil_beyond_volume", (2, 4, 2, 3, 3, 2, 0, 1, 0, 3, 1, 1), 1, 2, 2, 1, 1, ceil=True),
    case("window_beside_the_input", (2, 2, 2, 1, 1, 1, 1, 1, 1, 3, 3, 3), 1, 1, 2, 2, 2),
]

ERRORS = [
    *usual_errors(lambda: nn.VolumetricDilatedMaxPooling(2, 2, 2), (1, 3, 4, 5), r"\(N x\) C x T x H x W", indexed=True),
    ErrorRow("kernel_too_large", lambda: nn.VolumetricDilatedMaxPooling(6, 2, 2),
             lambda m: m.forward(np.zeros((1, 3, 4, 5), "f")), ShapeError,
             r"input: expected planes that hold the kernel: input time 3 with padding 0, kT 6"),
    ErrorRow("padding_too_large", lambda: nn.VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 2, 2, 2),
             lambda m: m.forward(np.zeros((1, 3, 4, 5), "f")), ValueRangeError, r"padT: expected 0 to 1, got 2"),
]  # fmt: skip
