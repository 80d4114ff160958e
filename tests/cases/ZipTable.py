"""Tables turned inside out."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow


def pairs(rng):
    a, b, c, d = (rng.standard_normal((2, n)) for n in (3, 1, 2, 4))
    return [[a, b], [c, d]]


def triple(rng):
    return [[rng.standard_normal((2, n)) for n in (1, 2, 3)]]


CASES = [
    Case("pairs", nn.ZipTable, pairs, lambda module, x: [[x[0][0], x[1][0]], [x[0][1], x[1][1]]]),
    Case("one_list", nn.ZipTable, triple, lambda module, x: [[entry] for entry in x[0]]),
]

ERRORS = [
    ErrorRow("lengths", nn.ZipTable, lambda m: m.forward([[np.zeros(2, "f")] * 2, [np.zeros(2, "f")]]), ShapeError,
             r"input\[1\]: expected a table of 2, got a table of 1"),
    ErrorRow("array", nn.ZipTable, lambda m: m.forward([np.zeros(2, "f")]), DtypeError, r"input\[0\]: expected a table"),
]  # fmt: skip
