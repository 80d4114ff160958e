"""One array added to many."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow


def input(rng):
    return [rng.standard_normal((3, 2)), [rng.standard_normal((3, 2)) for _ in range(3)]]


CASES = [Case("three", nn.CAddTensorTable, input, lambda module, x: [x[0] + other for other in x[1]])]

ERRORS = [
    ErrorRow("shapes", nn.CAddTensorTable, lambda m: m.forward([np.zeros(2, "f"), [np.zeros(3, "f")]]), ShapeError,
             r"input\[1\]\[0\]: expected 2, got 3"),
    ErrorRow("empty", nn.CAddTensorTable, lambda m: m.forward([np.zeros(2, "f"), []]), ShapeError,
             r"input\[1\]: expected a table with at least one entry, got a table of 0"),
]  # fmt: skip
