"""Random noise."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def evaluating() -> nn.WhiteNoise:
    module = nn.WhiteNoise(0.5)
    module.evaluate()
    return module


# Samples of a batch get noise of their own, so single samples differ.
CASES = [
    Case(
        "train",
        lambda: nn.WhiteNoise(0.5, 2),
        normal(5, 6),
        lambda module, x: x + module.noise,
        skip=("batch", "large"),
    ),
    Case("evaluate", evaluating, normal(5, 6), lambda module, x: x + 0.5),
]

ERRORS = [
    ErrorRow("gradOutput", nn.WhiteNoise, lambda m: m.backward(np.zeros(2, "f"), np.zeros(3, "f")), ShapeError,
             "gradOutput: expected 2, or 2 elements in another shape, got 3"),
]  # fmt: skip
