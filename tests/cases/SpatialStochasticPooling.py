"""Cells drawn by their values, and their averages."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialMaxPooling import axes
from tests.cases.windows import pool

# Samples of a batch get noise of their own, so single samples differ. A large number may or may not be drawn, a NaN always is.
RANDOM = ("batch", "large", "nonfinite")


def drawn(cells, noise):
    """The first cell at which the running sum exceeds its part of the whole sum."""
    if np.isnan(cells).any():
        return np.nan
    a = np.maximum(cells.ravel(), 0)
    if np.isinf(a).any():
        return np.inf
    beyond = np.flatnonzero(np.cumsum(a) > noise * a.sum())
    return a[beyond[0]] if beyond.size else 0.0


def training(module, x):
    rows, columns = axes(module, x)
    places = {(r, c): (i, j) for i, r in enumerate(rows) for j, c in enumerate(columns)}
    planes = zip(x.reshape(-1, *x.shape[-2:]), np.float64(module.noise).reshape(-1, len(rows), len(columns)), strict=True)
    pooled = [pool(plane, rows, columns, lambda cells, r, c, u=u: drawn(cells, u[places[r, c]])) for plane, u in planes]
    return np.reshape(pooled, (*x.shape[:-2], len(rows), len(columns)))


def average(cells, r, c):
    a = np.maximum(cells, 0)
    total = a.sum((-2, -1))
    return np.where(total > 0, (a * a).sum((-2, -1)) / np.where(total > 0, total, 1), total)


def evaluation(module, x):
    return pool(x, *axes(module, x), average)


def case(name: str, arguments: tuple[int, ...], *shape: int, ceil: bool = False, train: bool = True) -> Case:
    def make():
        module = nn.SpatialStochasticPooling(*arguments)
        module.training() if train else module.evaluate()
        return module.ceil() if ceil else module

    # A cell moves the probabilities of its window, so that what is drawn depends on it, but not continuously.
    name = f"{name}_{'training' if train else 'evaluation'}"
    if train:
        return Case(name, make, normal(*shape), training, jacobian=False, skip=RANDOM)
    return Case(name, make, normal(*shape), evaluation)


CASES = [
    case(name, arguments, *shape, ceil=ceil, train=train)
    for train in (True, False)
    for name, arguments, shape, ceil in [
        ("2x2", (2, 2), (2, 3, 4, 6), False),
        ("3x2_overlapping", (3, 2, 1, 1), (2, 2, 5, 4), False),
        ("5x3_stride3x2_pad2x1", (5, 3, 3, 2, 2, 1), (1, 2, 9, 11), False),
        ("gaps", (2, 1, 3, 4), (1, 2, 9, 8), False),
        ("ceil_pad", (3, 3, 2, 2, 1, 1), (2, 1, 6, 8), True),
        ("ceil_beyond_plane", (3, 3, 2, 2), (1, 2, 2, 2), True),
        ("ceil_beyond_padding", (4, 3, 3, 2, 1, 0), (2, 1, 2, 1), True),
    ]
]


def backward_with_bad_index(module):
    x = np.ones((1, 4, 4), "f")
    y = module.forward(x)
    module.indices[0, 1, 1] = 16
    module.backward(x, np.ones_like(y))


def forward_with_noise(module):
    module.noise = np.zeros((1, 2, 2))
    module.fixNoise().forward(np.zeros((1, 4, 4), "f"))


ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialStochasticPooling(2, 2), lambda m: m.forward(np.zeros((4, 4), "f")), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D \(4 x 4\)"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialStochasticPooling(2, 5), lambda m: m.forward(np.zeros((1, 4, 4), "f")),
             ShapeError, r"input: expected planes that hold the kernel: input height 4 with padding 0, kH 5"),
    ErrorRow("padding_too_large", lambda: nn.SpatialStochasticPooling(3, 3, 1, 1, 2, 0),
             lambda m: m.forward(np.zeros((1, 4, 4), "f")), ValueRangeError, r"padW: expected 0 to 1, got 2"),
    ErrorRow("dtype", lambda: nn.SpatialStochasticPooling(2, 2), lambda m: m.forward(np.zeros((1, 4, 4))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("noise", lambda: nn.SpatialStochasticPooling(2, 2), forward_with_noise, DtypeError,
             "noise: expected float32, got float64"),
    ErrorRow("backward_before_forward", lambda: nn.SpatialStochasticPooling(2, 2),
             lambda m: m.backward(np.zeros((1, 4, 4), "f"), np.zeros((1, 2, 2), "f")), ShapeError, "indices: expected 1 x 2"),
    ErrorRow("index_out_of_range", lambda: nn.SpatialStochasticPooling(2, 2), backward_with_bad_index, IndexRangeError,
             r"indices: expected 0 to 15, got 16"),
]  # fmt: skip
