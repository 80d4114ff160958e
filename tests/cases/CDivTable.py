"""Quotients."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow


def input(rng):
    return [rng.standard_normal((3, 4)), rng.uniform(0.5, 2, (3, 4))]


CASES = [Case("matrices", nn.CDivTable, input, lambda module, x: x[0] / x[1])]

ERRORS = [
    ErrorRow("shapes", nn.CDivTable, lambda m: m.forward([np.zeros(2, "f"), np.zeros(3, "f")]), ShapeError,
             r"input\[1\]: expected 2, got 3"),
]  # fmt: skip
