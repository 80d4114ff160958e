"""Elements that do not exceed a threshold are replaced."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    return np.where(x > np.float32(module.threshold), x, np.float32(module.val))


def case(name: str, *arguments, shape=(4, 3, 5)) -> Case:
    return Case(name, lambda: nn.Threshold(*arguments), distinct(*shape), reference, inplace=len(arguments) == 3,
                singleSample=len(shape) > 1)  # fmt: skip


CASES = [
    case("default"),
    case("value_above", 0.25, 2.0),
    case("value_below", -0.5, -0.75),
    case("inplace", 0.25, 0.125, True),
    case("inplace_equal", 0.25, 0.25, True),
    case("vector", 0.1, shape=(7,)),
    case("five_dimensions", 0.1, -1.0, shape=(3, 2, 2, 3, 2)),
]

ERRORS = [
    ErrorRow("inplace_value", nn.Threshold, lambda m: nn.Threshold(0.25, 0.5, True), ValueRangeError,
             r"val: expected at most the threshold 0\.25, since inplace is set; got 0\.5"),
    ErrorRow("inplace_nan", nn.Threshold, lambda m: nn.Threshold(0.25, float("nan"), True), ValueRangeError,
             r"val: expected at most the threshold 0\.25.*got nan"),
    ErrorRow("inplace_value_later", lambda: nn.Threshold(0.25, 0.0, True),
             lambda m: (setattr(m, "val", 1.0), m.forward(np.zeros(3, "f"))), ValueRangeError,
             r"val: expected at most the threshold 0\.25, since inplace is set; got 1"),
    ErrorRow("gradOutput", nn.Threshold, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
