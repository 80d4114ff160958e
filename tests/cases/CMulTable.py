"""Products."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normals


def zeros(rng):
    return [np.where(rng.random((3, 4)) < 0.5, 0, rng.standard_normal((3, 4))) for _ in range(3)]


CASES = [
    Case("three", nn.CMulTable, normals((4, 5), (4, 5), (4, 5)), lambda module, x: np.prod(x, axis=0)),
    Case("one", nn.CMulTable, normals((2, 3, 2)), lambda module, x: x[0]),
    # Zeros times infinity are NaN, and elements times zero show no difference.
    Case("zeros", nn.CMulTable, zeros, lambda module, x: np.prod(x, axis=0), skip=("nonfinite",)),
]

ERRORS = [
    ErrorRow("shapes", nn.CMulTable, lambda m: m.forward([np.zeros(2, "f"), np.zeros(3, "f")]), ShapeError,
             r"input\[1\]: expected 2, got 3"),
]  # fmt: skip
