"""Criterions as modules."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


class Separate(nn.Criterion):
    """The module as a criterion again, whose input and target come one by one: its output is a number, like a loss."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.CriterionTable(nn.MSECriterion())

    def updateOutput(self, input, target):
        self.output = self.table.forward([input, target])
        return self.output

    def updateGradInput(self, input, target):
        (self.gradInput,) = self.table.backward([input, target], 1.0)
        return self.gradInput


def reference(module, x, target):
    return ((x - target) ** 2).mean()


CASES = [
    Case("vector", Separate, normal(5), reference, target=normal(5)),
    Case("batch", Separate, normal(3, 4), reference, target=normal(3, 4)),
]


def make():
    return nn.CriterionTable(nn.MSECriterion())


ERRORS = [
    ErrorRow("array", make, lambda m: m.forward(np.zeros((2, 3), "f")), DtypeError,
             r"input: expected a table of 2, got a float32 array of 2 x 3"),
    ErrorRow("no_target", make, lambda m: m.backward([np.zeros(3, "f")], 1.0), ShapeError,
             r"input: expected a table of 2, got a table of 1"),
    ErrorRow("criterion", make, lambda m: m.forward([np.zeros(3, "f"), np.zeros(2, "f")]), ShapeError,
             r"in nn.CriterionTable, nn.MSECriterion.*target: expected 3, .*, got 2"),
]  # fmt: skip
