"""One array paired with many."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow


def input(rng):
    return [rng.standard_normal((3, 2)), [rng.standard_normal((3, n)) for n in (1, 4, 2)]]


CASES = [
    Case("three", nn.ZipTableOneToMany, input, lambda module, x: [[x[0], other] for other in x[1]]),
    Case(
        "one",
        nn.ZipTableOneToMany,
        lambda rng: [rng.standard_normal((3, 2)), [rng.standard_normal((3, 1))]],
        lambda module, x: [[x[0], x[1][0]]],
    ),
]

ERRORS = [
    ErrorRow("array", nn.ZipTableOneToMany, lambda m: m.forward([np.zeros(2, "f")] * 2), DtypeError,
             r"input\[1\]: expected a table, got a float32 array of 2"),
    ErrorRow("length", nn.ZipTableOneToMany, lambda m: m.forward([np.zeros(2, "f")] * 3), ShapeError,
             "input: expected a table of 2, got a table of 3"),
]  # fmt: skip
