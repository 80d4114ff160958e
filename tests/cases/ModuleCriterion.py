"""Criterions behind modules."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    if module.inputModule is not None:
        x = x @ module.inputModule.weight.T.astype(np.float64) + module.inputModule.bias
    if module.targetModule is not None:
        target = np.tanh(target)
    return ((x - target) ** 2).mean()


CASES = [
    Case("both", lambda: nn.ModuleCriterion(nn.MSECriterion(), nn.Linear(4, 2), nn.Tanh()), normal(3, 4), reference,
         target=normal(3, 2)),
    Case("input", lambda: nn.ModuleCriterion(nn.MSECriterion(), nn.Linear(4, 2)), normal(3, 4), reference,
         target=normal(3, 2)),
    Case("target", lambda: nn.ModuleCriterion(nn.MSECriterion(), None, nn.Tanh()), normal(3, 2), reference,
         target=normal(3, 2)),
    Case("neither", lambda: nn.ModuleCriterion(nn.MSECriterion()), normal(3, 2), reference, target=normal(3, 2)),
]  # fmt: skip

ERRORS = [
    ErrorRow("module", CASES[0].make, lambda m: m.forward(np.zeros((3, 5), "f"), np.zeros((3, 2), "f")), ShapeError,
             r"in nn.ModuleCriterion, nn.Linear.*input: "),
    ErrorRow("criterion", CASES[1].make, lambda m: m.forward(np.zeros((3, 4), "f"), np.zeros((3, 3), "f")), ShapeError,
             r"in nn.ModuleCriterion, nn.MSECriterion.*target: expected 3 x 2, .*, got 3 x 3"),
]  # fmt: skip
