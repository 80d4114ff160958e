"""Means over windows of a volume."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.windows import pool_all, sliding, usual_errors


def reference(module, x):
    windows = sliding(module, x)
    sums = pool_all(x, windows, lambda cells: cells.sum((-3, -2, -1)))
    pads = [(module.padT, module.padH, module.padW)[i] if module.count_include_pad else 0 for i in range(3)]
    counts = [
        [min(w.stop, size + pad) - max(w.start, -pad) for w in axis]
        for axis, size, pad in zip(windows, x.shape[-3:], pads, strict=True)
    ]
    return sums / np.einsum("t,h,w->thw", *(np.array(c, float) for c in counts))


def case(name: str, arguments: tuple[int, ...], *shape: int, ceil: bool = False, exclude: bool = False) -> Case:
    def make():
        module = nn.VolumetricAveragePooling(*arguments)
        if exclude:
            module.setCountExcludePad()
        return module.ceil() if ceil else module

    return Case(name, make, normal(*shape), reference)


CASES = [
    case("2x2x2", (2, 2, 2), 2, 2, 4, 4, 6),
    case("does_not_divide", (2, 2, 2), 1, 2, 3, 5, 7),
    case("3x3x3_stride2_pad1", (3, 3, 3, 2, 2, 2, 1, 1, 1), 1, 2, 5, 7, 6),
    case("3x2x4_stride1x2x3", (3, 2, 4, 1, 2, 3), 2, 1, 4, 6, 7),
    case("ceil_pad", (3, 3, 2, 2, 2, 1, 1, 1, 0), 1, 1, 4, 6, 5, ceil=True),
    case("ceil_beyond_volume", (3, 4, 2, 2, 3, 2, 0, 1, 0), 1, 2, 2, 1, 1, ceil=True),
    case("ceil_beyond_volume_exclude", (3, 4, 2, 2, 3, 2, 0, 1, 0), 1, 2, 2, 1, 1, ceil=True, exclude=True),
    case("padding_beyond_volume", (3, 3, 3, 1, 1, 1, 1, 1, 1), 1, 2, 2, 1, 2),
    case("more_rows_than_a_chain", (2, 3, 40, 1, 1, 2), 1, 1, 3, 44, 5),
    case("stride_beyond_kernel", (1, 2, 1, 2, 3, 2), 1, 2, 4, 5, 7),
    case("whole_volume", (3, 5, 4), 2, 2, 3, 4, 5),
    case("5x5x5_stride1_pad2", (5, 5, 5, 1, 1, 1, 2, 2, 2), 1, 1, 5, 5, 6),
    case("exclude_pad", (3, 3, 3, 2, 2, 2, 1, 1, 1), 1, 2, 5, 7, 6, exclude=True),
]

ERRORS = [
    *usual_errors(lambda: nn.VolumetricAveragePooling(2, 2, 2), (1, 3, 4, 5), r"\(N x\) C x T x H x W"),
    ErrorRow("kernel_too_large", lambda: nn.VolumetricAveragePooling(6, 2, 2),
             lambda m: m.forward(np.zeros((1, 3, 4, 5), "f")), ShapeError,
             r"input: expected planes that hold the kernel: input time 3 with padding 0, kT 6"),
    ErrorRow("padding_too_large", lambda: nn.VolumetricAveragePooling(2, 2, 2, 1, 1, 1, 2, 2, 2),
             lambda m: m.forward(np.zeros((1, 3, 4, 5), "f")), ValueRangeError, r"padT: expected 0 to 1, got 2"),
]  # fmt: skip
