"""Random planes of zeros."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

# Samples of a batch get noise of their own, so single samples differ; noise of 0 times infinity is NaN.
RANDOM = ("batch", "large", "nonfinite")


def reference(module, x):
    assert module.noise.shape == (*x.shape[:-2], *(1,) * 2)
    return x * module.noise


def evaluating() -> nn.SpatialDropout:
    module = nn.SpatialDropout(0.4)
    module.evaluate()
    return module


CASES = [
    Case("train", lambda: nn.SpatialDropout(0.4), normal(4, 3, 5, 6), reference, skip=RANDOM),
    Case("evaluate", evaluating, normal(4, 3, 5, 6), lambda module, x: x * 0.6),
    Case("nothing_dropped", lambda: nn.SpatialDropout(0), normal(4, 3, 5, 6), lambda module, x: x),
]

ERRORS = [
    ErrorRow("all", lambda: None, lambda m: nn.SpatialDropout(1.0), ValueRangeError, r"p: expected .*, got 1"),
    ErrorRow("rank", nn.SpatialDropout, lambda m: m.forward(np.zeros(3, "f")), ShapeError,
             "input: expected a 3-D or 4-D array, got 1-D"),
]  # fmt: skip
