"""Random zeros."""

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, ValueRangeError
from tests.case import Case, ErrorRow, normal

# Samples of a batch get noise of their own, so single samples differ; noise of 0 times infinity is NaN.
RANDOM = ("batch", "large", "nonfinite")


def reference(module, x):
    return x * module.noise


def evaluating() -> nn.Dropout:
    module = nn.Dropout(0.4)
    module.evaluate()
    return module


CASES = [
    Case("train", lambda: nn.Dropout(0.4), normal(5, 6), reference, skip=RANDOM),
    Case("inplace", lambda: nn.Dropout(0.4, False, True), normal(5, 6), reference, inplace=True, skip=RANDOM),
    Case("version_1", lambda: nn.Dropout(0.3, True), normal(5, 2, 3), reference, skip=RANDOM),
    Case("evaluate", evaluating, normal(5, 6), lambda module, x: x),
    Case("nothing_dropped", lambda: nn.Dropout(0), normal(5, 6), lambda module, x: x),
]

ERRORS = [
    ErrorRow("all", lambda: None, lambda m: nn.Dropout(1.0), ValueRangeError, r"p: expected .*, got 1"),
    ErrorRow("negative", lambda: nn.Dropout(), lambda m: m.setp(-0.1), ValueRangeError, r"p: expected .*, got -0.1"),
    ErrorRow("word", lambda: None, lambda m: nn.Dropout().setp("a"), ArgumentError, "p: expected a number, got 'a'"),
]  # fmt: skip
