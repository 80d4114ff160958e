"""Elements limited to a range."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    return np.maximum(module.min_val, np.minimum(x, module.max_val))


def case(name: str, *arguments, shape=(4, 3, 5)) -> Case:
    return Case(name, lambda: nn.HardTanh(*arguments), lambda rng: 2 * distinct(*shape)(rng), reference,
                inplace=len(arguments) == 3, singleSample=len(shape) > 1)  # fmt: skip


CASES = [
    case("default"),
    case("range", -0.25, 0.7),
    case("positive", 0.1, 0.7),
    case("inplace", -0.5, 0.3, True),
    case("vector", shape=(8,)),
]

ERRORS = [
    ErrorRow("range", nn.HardTanh, lambda m: nn.HardTanh(1, 1), ValueRangeError,
             r"max_value: expected more than min_value 1, got 1"),
    ErrorRow("nan", nn.HardTanh, lambda m: nn.HardTanh(float("nan"), 1), ValueRangeError, r"min_value nan, got 1"),
    ErrorRow("range_later", nn.HardTanh, lambda m: (setattr(m, "max_val", -2), m.forward(np.zeros(3, "f"))),
             ValueRangeError, r"max_val: expected more than min_val -1, got -2"),
    ErrorRow("gradOutput", nn.HardTanh, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
