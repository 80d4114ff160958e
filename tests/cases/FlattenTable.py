"""Nested tables made flat."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal, normals


def nested(rng):
    a, b, c, d = (rng.standard_normal((2, n)) for n in (3, 1, 2, 4))
    return [a, [b, [c]], d]


def case(name, input, reference):
    """It computes nothing, and passes on arrays of any precision."""
    return Case(name, nn.FlattenTable, input, reference, skip=("wrong_dtype",))


CASES = [
    case("nested", nested, lambda module, x: [x[0], x[1][0], x[1][1][0], x[2]]),
    case("flat", normals((2, 3), (2, 1)), lambda module, x: x),
    case("array", normal(2, 3), lambda module, x: [x]),
]

ERRORS = [
    ErrorRow("gradOutput", nn.FlattenTable, lambda m: m.backward([[np.zeros(3, "f")]], [np.zeros(2, "f")]), ShapeError,
             r"gradOutput\[0\]: expected 3, got 2"),
]  # fmt: skip
