"""Arrays joined along a dimension."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow


def arrays(*shapes: tuple[int, ...]):
    return lambda rng: [rng.standard_normal(shape) for shape in shapes]


def along(axis: int):
    return lambda module, x: np.concatenate(x, axis)


CASES = [
    Case("columns", lambda: nn.JoinTable(1), arrays((3, 2), (3, 4), (3, 1)), along(1), singleSample=False),
    Case("rows", lambda: nn.JoinTable(0), arrays((3, 2), (1, 2)), along(0), batched=False),
    Case("planes_of_samples", lambda: nn.JoinTable(0, 3), arrays((2, 2, 3, 2), (2, 1, 3, 2)), along(-3)),
    Case("last", lambda: nn.JoinTable(-1), arrays((3, 2), (3, 3)), along(-1)),
]

ERRORS = [
    ErrorRow(
        "sizes",
        lambda: nn.JoinTable(1),
        lambda m: m.forward([np.zeros((2, 2), "f"), np.zeros((3, 2), "f")]),
        ShapeError,
        r"input\[1\]: expected the sizes of input\[0\], 2 x 2, but for dimension 1, got 3 x 2",
    ),
    ErrorRow(
        "dimension",
        lambda: nn.JoinTable(2),
        lambda m: m.forward([np.zeros((2, 2), "f")]),
        IndexRangeError,
        r"dimension: 2 is out of range for a 2-D array",
    ),
]
