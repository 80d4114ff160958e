"""Mean squared errors against corners of a simplex."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    """The corners, but for the choice of axes, are all there is to check: the distances from them follow."""
    corners = np.asarray(module.simplex, np.float64)
    n = len(corners)
    np.testing.assert_allclose(corners @ corners.T, np.eye(n) - (1 - np.eye(n)) / (n - 1), atol=1e-6)
    assert not corners[:, -1].any()
    squares = (x - corners[target]) ** 2
    return squares.mean() if module.sizeAverage else squares.sum()


def classes(*labels: int):
    return lambda rng: np.array(labels)


def make():
    return nn.ClassSimplexCriterion(4)


CASES = [
    Case("batch", make, normal(3, 4), reference, target=classes(0, 3, 1)),
    Case("two_classes", lambda: nn.ClassSimplexCriterion(2), normal(3, 2), reference, target=classes(0, 1, 1)),
    Case("sample", make, normal(4), reference, target=classes(2), batched=False),
    Case("number", make, normal(4), reference, target=lambda rng: np.int64(2), batched=False),
]


def forward(target):
    return lambda module: module.forward(np.zeros((3, 4), "f"), target)


ERRORS = [
    ErrorRow("label", make, forward(np.array([0, 4, 1])), IndexRangeError, r"target: expected 0 to 3, got 4"),
    ErrorRow("negative_label", make, forward(np.array([0, -1, 1])), IndexRangeError,
             r"target: expected 0 to 3, got -1"),
    ErrorRow("too_few", make, forward(np.array([0, 1])), ShapeError, r"target: expected 3 x 4.*, got 2 x 4"),
    ErrorRow("words", make, forward(["a", "b", "c"]), DtypeError,
             r"target: expected a label or an array of labels, got a table of 3"),
    ErrorRow("one_class", lambda: None, lambda _: nn.ClassSimplexCriterion(1), ValueRangeError,
             r"nClasses: expected 2 or more, got 1"),
    ErrorRow("predictions", make, lambda m: m.getPredictions(np.zeros((1, 2, 4), "f")), ShapeError,
             r"input: expected a 1-D or 2-D array, got 3-D"),
]  # fmt: skip
