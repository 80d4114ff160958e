"""Some entries of a table."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ValueRangeError
from tests.case import Case, ErrorRow, normals


def nested(rng):
    return [
        rng.standard_normal((2, 3)),
        [rng.standard_normal((2, 1)), rng.standard_normal((2, 2))],
        rng.standard_normal((2, 4)),
    ]


CASES = [
    Case("two", lambda: nn.NarrowTable(0, 2), normals((3, 2), (3, 4), (3, 1)), lambda module, x: x[:2]),
    Case("one", lambda: nn.NarrowTable(2), normals((3, 2), (3, 4), (3, 1)), lambda module, x: x[2:]),
    Case("past the end", lambda: nn.NarrowTable(1, 9), normals((3, 2), (3, 4), (3, 1)), lambda module, x: x[1:]),
    Case("nested", lambda: nn.NarrowTable(1, 2), nested, lambda module, x: x[1:]),
]

ERRORS = [
    ErrorRow("array", lambda: nn.NarrowTable(1, 2), lambda m: m.forward(np.zeros(3, "f")), DtypeError,
             "input: expected a table, got a float32 array of 3"),
    ErrorRow("offset", lambda: None, lambda m: nn.NarrowTable(-1), ValueRangeError, "offset: expected 0 or more, got -1"),
    ErrorRow("length", lambda: None, lambda m: nn.NarrowTable(0, 0), ValueRangeError, "length: expected 1 or more, got 0"),
]  # fmt: skip
