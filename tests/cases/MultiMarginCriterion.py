"""Hinge losses of many classes."""

from functools import partial

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal

WEIGHTS = (0.5, 1.0, 2.0, 0.125)


def reference(module, x, target):
    rows, labels = x.reshape(-1, x.shape[-1]), np.atleast_1d(target)
    total = 0.0
    for row, t in zip(rows, labels, strict=True):
        lacking = np.maximum(0, module.margin - row[t] + row) ** module.p
        lacking[t] = 0
        total += (1.0 if module.weights is None else module.weights[t]) * lacking.sum() / len(row)
    return total / len(rows) if module.sizeAverage else total


def classes(*labels: int):
    return lambda rng: np.array(labels)


def random_classes(rng):
    return rng.integers(0, 7, 3000)


def summing():
    criterion = nn.MultiMarginCriterion(2)
    criterion.sizeAverage = False
    return criterion


def case(name: str, labels, *shape: int, **arguments) -> Case:
    return Case(name, partial(nn.MultiMarginCriterion, **arguments), normal(*shape), reference, target=labels)


CASES = [
    case("batch", classes(0, 3, 1), 3, 4),
    case("square", classes(0, 3, 1), 3, 4, p=2),
    case("weights", classes(2, 3, 0), 3, 4, weights=WEIGHTS),
    case("all_arguments", classes(2, 3, 0), 3, 4, p=2, weights=WEIGHTS, margin=0.5),
    case("sample", classes(2), 4),
    case("one_class", classes(0, 0), 2, 1),
    case("several_chunks", random_classes, 3000, 7, margin=0.3),
    case("many_classes", classes(1100, 0, 7), 3, 1101, p=2),
    Case("sum", summing, normal(3, 4), reference, target=classes(0, 3, 1)),
]


def forward(target):
    return lambda module: module.forward(np.zeros((3, 4), "f"), target)


ERRORS = [
    ErrorRow("label", nn.MultiMarginCriterion, forward(np.array([0, 4, 1])), IndexRangeError,
             r"target: expected 0 to 3, got 4"),
    ErrorRow("label_backward", nn.MultiMarginCriterion, lambda m: m.backward(np.zeros((1, 4), "f"), -1),
             IndexRangeError, r"target: expected 0 to 3, got -1"),
    ErrorRow("too_few", nn.MultiMarginCriterion, forward(np.array([0, 1])), ShapeError, r"target: expected 3, got 2"),
    ErrorRow("rank", nn.MultiMarginCriterion, lambda m: m.forward(np.zeros((2, 3, 4), "f"), np.array([0, 1])),
             ShapeError, r"input: expected \(N x\) C, got 3-D"),
    ErrorRow("weights", lambda: nn.MultiMarginCriterion(1, [1.0, 2.0]), forward(np.array([0, 1, 1])), ShapeError,
             r"weights: expected 4, got 2"),
    ErrorRow("p", lambda: None, lambda _: nn.MultiMarginCriterion(3), ValueRangeError, r"p: expected 1 or 2, got 3"),
    ErrorRow("words", nn.MultiMarginCriterion, forward(["a", "b", "c"]), DtypeError,
             r"target: expected a label or an array of labels, got a table of 3"),
]  # fmt: skip
