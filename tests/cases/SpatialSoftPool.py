"""Means of windows whose cells weigh exp(beta x)."""

from itertools import product

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.windows import fixed, inside, of_frames


def windows(module, x):
    """Windows along each axis of a pooling module, in the order of the input's last dimensions."""
    letters = {1: "W", 2: "HW", 3: "THW"}[len(module._axes)]
    sizes = [[getattr(module, name + letter) for name in ("k", "d", "pad")] for letter in letters]
    lengths = x.shape[-len(letters) :]
    return [fixed(length, *size, module.ceil_mode) for length, size in zip(lengths, sizes, strict=True)]


def weighed(x, logit, axes):
    """Means of x over all windows, a cell weighing exp(logit)."""
    within = tuple(range(-len(axes), 0))
    y = np.empty(x.shape[: -len(axes)] + tuple(map(len, axes)))
    for place in product(*(range(len(axis)) for axis in axes)):
        at = tuple(inside(axis[o], size) for axis, o, size in zip(axes, place, x.shape[-len(axes) :], strict=True))
        cells, logits = x[(..., *at)], logit[(..., *at)]
        weight = np.exp(logits - logits.max(within, keepdims=True))
        y[(..., *place)] = (weight * cells).sum(within) / weight.sum(within)
    return y


def reference(module, x):
    return weighed(x, module.beta * x, windows(module, x))


def spread(*shape: int):
    """An input whose neighbours differ so much that no exponential serves two windows."""
    return lambda rng: rng.uniform(-90, 90, shape)


# Weights of 1e-30 let NaN through, but no number: the test that compares both is not for such windows.
EXTREME = ("nonfinite",)


def made(Layer, name: str, arguments: tuple[int, ...], *shape: int, ceil: bool = False, beta: float = 1.0, far=False) -> Case:
    def make():
        module = Layer(*arguments, beta=beta)
        return module.ceil() if ceil else module

    input = spread(*shape) if far else normal(*shape)
    pooled = of_frames(reference) if Layer is nn.TemporalSoftPool else reference
    return Case(name, make, input, pooled, skip=EXTREME if far or beta > 10 else ())


def case(name: str, arguments: tuple[int, ...], *shape: int, **options) -> Case:
    return made(nn.SpatialSoftPool, name, arguments, *shape, **options)


CASES = [
    case("2x2", (2, 2), 2, 2, 4, 6),
    case("2x2_does_not_divide", (2, 2), 1, 2, 5, 7),
    case("2x2_stride1", (2, 2, 1, 1), 2, 2, 4, 5),
    case("3x3_stride2_pad1", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6),
    case("3x3_stride1_pad1", (3, 3, 1, 1, 1, 1), 2, 2, 6, 5),
    case("5x3_stride3x2_pad2x1", (5, 3, 3, 2, 2, 1), 1, 2, 9, 11),
    case("5x5_stride4", (5, 5, 4, 4), 1, 2, 13, 9),
    case("stride_beyond_kernel", (2, 1, 3, 4), 1, 2, 9, 8),
    case("ceil_pad", (3, 3, 2, 2, 1, 1), 1, 1, 6, 8, ceil=True),
    case("ceil_beyond_plane", (3, 3, 2, 2), 1, 2, 2, 2, ceil=True),
    case("ceil_beyond_padding", (4, 3, 3, 2, 1, 0), 2, 1, 2, 1, ceil=True),
    case("whole_plane", (5, 4), 2, 3, 4, 5),
    case("one_row", (3, 2, 1, 1, 1, 1), 1, 2, 1, 4),
    case("two_pieces", (3, 2, 2, 1), 1, 1, 3, 1100),
    case("warm", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6, beta=0.2),
    case("cold", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6, beta=50.0),
    case("average", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6, beta=0.0),
    case("far_apart", (3, 3, 2, 2, 1, 1), 2, 2, 7, 6, far=True),
    case("far_apart_stride1", (2, 3, 1, 1), 1, 2, 5, 6, far=True),
    case("far_apart_stride3", (4, 4, 3, 3), 1, 2, 7, 10, far=True),
]


def backward(module, gradOutput=(1, 2, 2)):
    x = np.zeros((1, 4, 4), "f")
    module.forward(x)
    module.backward(x, np.zeros(gradOutput, "f"))


def forward(*shape: int):
    return lambda m: m.forward(np.zeros(shape, "f"))


ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialSoftPool(2, 2), forward(4, 4), ShapeError,
             r"input: expected \(N x\) C x H x W, got 2-D \(4 x 4\)"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialSoftPool(5, 2), forward(1, 4, 4), ShapeError,
             r"input width 4 with padding 0, kW 5"),
    ErrorRow("padding_too_large", lambda: nn.SpatialSoftPool(3, 3, 1, 1, 0, 2), forward(1, 4, 4), ValueRangeError,
             r"padH: expected 0 to 1, got 2"),
    ErrorRow("beta_negative", lambda: nn.SpatialSoftPool(2, 2, beta=-1.0), forward(1, 4, 4), ValueRangeError,
             r"beta: expected a finite number of 0 or more, got -1"),
    ErrorRow("beta_nan", lambda: nn.SpatialSoftPool(2, 2, beta=float("nan")), forward(1, 4, 4), ValueRangeError,
             r"beta: expected a finite number of 0 or more, got -?nan"),
    ErrorRow("beta_beyond_single_precision", lambda: nn.SpatialSoftPool(2, 2, beta=1e39), forward(1, 4, 4), ValueRangeError,
             r"beta: expected a finite number of 0 or more, got 1e\+39"),
    ErrorRow("gradient", lambda: nn.SpatialSoftPool(2, 2, gradient="other"), backward, ValueRangeError,
             r"gradient: expected \"exact\" or \"published\", got 'other'"),
    ErrorRow("dtype", lambda: nn.SpatialSoftPool(2, 2), lambda m: m.forward(np.zeros((1, 4, 4))), DtypeError,
             "expected float32, got float64"),
    ErrorRow("gradOutput", lambda: nn.SpatialSoftPool(2, 2), lambda m: backward(m, (1, 3, 2)), ShapeError,
             r"gradOutput: expected 1 x 2 x 2, got 1 x 3 x 2"),
]  # fmt: skip
