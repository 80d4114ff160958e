"""A smooth form of the positive part."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    return np.logaddexp(0, module.beta * x) / module.beta


def wide(rng):
    """From the far tails to the neighbourhood of zero."""
    return np.concatenate([rng.standard_normal((5, 6)) * 10.0**k for k in range(-6, 3)])


def steep() -> nn.SoftPlus:
    """Everything but the far tail is taken as it is."""
    module = nn.SoftPlus(4)
    module.threshold = -3
    return module


def cut(module, x):
    return np.where(4 * x > -3, x, np.logaddexp(0, 4 * x) / 4)


def unlimited() -> nn.SoftPlus:
    module = nn.SoftPlus(0.5)
    module.threshold = 1e9
    return module


CASES = [
    Case("batch", nn.SoftPlus, normal(4, 3, 5), reference),
    Case("beta", lambda: nn.SoftPlus(0.3), normal(4, 5), reference),
    Case("negative_beta", lambda: nn.SoftPlus(-2), normal(4, 5), reference),
    Case("wide", nn.SoftPlus, wide, reference, singleSample=False),
    Case("threshold", steep, normal(4, 5), cut),
    Case("no_threshold", unlimited, wide, reference, singleSample=False),
    Case("vector", nn.SoftPlus, normal(7), reference, singleSample=False),
]

ERRORS = [
    ErrorRow("beta", lambda: None, lambda m: nn.SoftPlus(0), ValueRangeError, r"beta: expected a number other than 0"),
    ErrorRow("beta_later", nn.SoftPlus, lambda m: (setattr(m, "beta", 0), m.forward(np.zeros(3, "f"))),
             ValueRangeError, r"beta: expected a number other than 0, got 0"),
    ErrorRow("gradOutput", nn.SoftPlus, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
