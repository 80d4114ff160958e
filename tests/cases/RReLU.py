"""Rectified linear units that let a random share through."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct

# Samples of a batch get slopes of their own, and the sign of each element decides about the slopes of those after it.
RANDOM = ("batch", "large", "nonfinite", "nan_arrives")


def reference(module, x):
    assert ((module.noise == 1) == (x > 0)).all()
    assert ((np.float32(module.lower) <= module.noise) & (module.noise < module.upper) | (x > 0)).all()
    return x * module.noise


def mean(module, x):
    return np.where(x > 0, x, (module.lower + module.upper) / 2 * x)


def evaluating(*arguments) -> nn.RReLU:
    module = nn.RReLU(*arguments)
    module.evaluate()
    return module


def cleared(module):
    module.forward(np.zeros((2, 3), "f"))
    module.clearState()
    module.updateGradInput(np.zeros((2, 3), "f"), np.zeros((2, 3), "f"))


CASES = [
    Case("train", nn.RReLU, distinct(4, 3, 5), reference, skip=RANDOM),
    Case("inplace", lambda: nn.RReLU(0.2, 0.9, True), distinct(4, 5), reference, inplace=True, skip=RANDOM),
    Case("evaluate", evaluating, distinct(4, 3, 5), mean),
    Case("evaluate_inplace", lambda: evaluating(0, 0.5, True), distinct(4, 5), mean, inplace=True),
    Case("one_slope", lambda: nn.RReLU(0.25, 0.25), distinct(4, 3, 5), mean),
]

ERRORS = [
    ErrorRow("negative", lambda: None, lambda m: nn.RReLU(-0.1, 0.1), ValueRangeError,
             r"lower, upper: .*got -0\.1, 0\.1"),
    ErrorRow("order", lambda: None, lambda m: nn.RReLU(0.5, 0.1), ValueRangeError, r"lower, upper: .*got 0\.5, 0\.1"),
    ErrorRow("order_later", nn.RReLU, lambda m: (setattr(m, "upper", 0), m.forward(np.zeros(3, "f"))), ValueRangeError,
             r"upper: expected at least lower 0\.125, got 0"),
    ErrorRow("negative_later", nn.RReLU, lambda m: (setattr(m, "lower", -1), m.forward(np.zeros(3, "f"))),
             ValueRangeError, r"lower: expected 0 or more, got -1"),
    ErrorRow("cleared", nn.RReLU, cleared, ShapeError, r"noise: expected 2 x 3, got 0"),
    ErrorRow("gradOutput", nn.RReLU, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
