"""Smallest elements of several arrays."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normals


def apart(rng):
    return list(rng.permutation(np.linspace(-1, 1, 60)).reshape(3, 4, 5))


CASES = [
    Case("three", nn.CMinTable, apart, lambda module, x: np.min(x, axis=0)),
    Case("one", nn.CMinTable, normals((2, 3)), lambda module, x: x[0]),
]

ERRORS = [
    ErrorRow("shapes", nn.CMinTable, lambda m: m.forward([np.zeros(2, "f"), np.zeros(3, "f")]), ShapeError,
             r"input\[1\]: expected 2, got 3"),
    ErrorRow("backward_first", nn.CMinTable, lambda m: m.backward([np.zeros(2, "f")], np.zeros(2, "f")), ShapeError,
             "input of the last forward: expected 2, got 0"),
]  # fmt: skip
