"""Sums of arrays."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow


def arrays(count: int, *shape: int):
    return lambda rng: [rng.standard_normal(shape) for _ in range(count)]


def reference(module, x):
    return np.sum(x, axis=0)


CASES = [
    Case("three", nn.CAddTable, arrays(3, 4, 5), reference),
    Case("one", nn.CAddTable, arrays(1, 2, 3, 2), reference),
    Case("inplace", lambda: nn.CAddTable(True), arrays(2, 3, 4), reference, inplace=True),
]

ERRORS = [
    ErrorRow(
        "shapes",
        nn.CAddTable,
        lambda m: m.forward([np.zeros(2, "f"), np.zeros(3, "f")]),
        ShapeError,
        r"input\[1\]: expected 2, got 3",
    ),
    ErrorRow("array", nn.CAddTable, lambda m: m.forward(np.zeros((2, 2), "f")), DtypeError, r"input: expected a table"),
    ErrorRow("empty", nn.CAddTable, lambda m: m.forward([]), ShapeError, r"input: expected a table with at least one entry"),
]
