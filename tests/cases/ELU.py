"""Exponential linear units."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    return np.where(x > 0, x, module.alpha * (np.exp(np.minimum(x, 0)) - 1))


ZERO = ("nonfinite",)  # infinity times a slope of 0 is NaN


def case(name: str, *arguments, shape=(4, 3, 5), skip=()) -> Case:
    return Case(name, lambda: nn.ELU(*arguments), lambda rng: 4 * distinct(*shape)(rng), reference,
                inplace=len(arguments) == 2, singleSample=len(shape) > 1, skip=skip)  # fmt: skip


def stale(module):
    module.forward(np.zeros((2, 3), "f"))
    module.updateGradInput(np.zeros((3, 3), "f"), np.zeros((3, 3), "f"))


CASES = [
    case("default"),
    case("alpha", 1.5),
    case("alpha_0", 0, skip=ZERO),
    case("negative_alpha", -0.5),
    case("inplace", 0.7, True),
    case("inplace_alpha_0", 0, True, skip=ZERO),
    case("vector", shape=(8,)),
]

ERRORS = [
    ErrorRow("inplace_alpha", lambda: None, lambda m: nn.ELU(-1, True), ValueRangeError,
             r"alpha: expected 0 or more, since inplace is set; got -1"),
    ErrorRow("inplace_alpha_later", lambda: nn.ELU(1, True),
             lambda m: (setattr(m, "alpha", -1), m.forward(np.zeros(3, "f"))), ValueRangeError,
             r"alpha: expected 0 or more, since inplace is set; got -1"),
    ErrorRow("no_forward", nn.ELU, stale, ShapeError, r"output: expected 3 x 3, got 2 x 3|gradOutput: expected 2 x 3"),
    ErrorRow("gradOutput", nn.ELU, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
