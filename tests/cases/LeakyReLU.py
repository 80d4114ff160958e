"""Rectified linear units that let a little through."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    return np.where(x > 0, x, module.negval * x)


def case(name: str, *arguments, shape=(4, 3, 5), inplace=False, skip=()) -> Case:
    return Case(name, lambda: nn.LeakyReLU(*arguments), distinct(*shape), reference, inplace=inplace,
                singleSample=len(shape) > 1, skip=skip)  # fmt: skip


CASES = [
    case("default"),
    case("slope", 0.3),
    case("negative_slope", -0.5),
    case("inplace", 0.2, True, inplace=True),
    case("inplace_0", 0, True, inplace=True, skip=("nonfinite",)),  # infinity times 0 is NaN
    case("inplace_alone", True, inplace=True),
    case("vector", shape=(8,)),
]

ERRORS = [
    ErrorRow("inplace_slope", lambda: None, lambda m: nn.LeakyReLU(-0.1, True), ValueRangeError,
             r"negval: expected 0 or more, since inplace is set; got -0\.1"),
    ErrorRow("inplace_slope_later", lambda: nn.LeakyReLU(0.1, True),
             lambda m: (setattr(m, "negval", -1), m.forward(np.zeros(3, "f"))), ValueRangeError,
             r"negval: expected 0 or more, since inplace is set; got -1"),
    ErrorRow("gradOutput", nn.LeakyReLU, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
