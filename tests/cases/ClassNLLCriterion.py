"""Negative log likelihoods of classes."""

from functools import partial

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal

WEIGHTS = (0.5, 1.0, 2.0, 0.125)


def reference(module, x, target):
    rows, labels = x.reshape(-1, x.shape[-1]), np.atleast_1d(target).astype(int)
    weights = np.ones(x.shape[-1]) if module.weights is None else module.weights
    counted = [(weights[t], row[t]) for row, t in zip(rows, labels, strict=True) if t != module.ignoreIndex]
    total = sum(w for w, _ in counted)
    loss = -sum(w * value for w, value in counted)
    return loss / total if module.sizeAverage and total else loss


def classes(*labels: int):
    return lambda rng: np.array(labels)


def random_classes(rng):
    return rng.integers(0, 7, 3000)


def case(name: str, labels, *shape: int, **arguments) -> Case:
    return Case(name, partial(nn.ClassNLLCriterion, **arguments), normal(*shape), reference, target=labels,
                batched=len(shape) == 2)  # fmt: skip


CASES = [
    case("batch", classes(0, 3, 1), 3, 4),
    case("sum", classes(0, 3, 1), 3, 4, sizeAverage=False),
    case("weights", classes(2, 3, 0), 3, 4, weights=WEIGHTS),
    case("weights_sum", classes(2, 3, 3), 3, 4, weights=WEIGHTS, sizeAverage=False),
    case("ignore", classes(2, 1, 3, 2), 4, 4, ignoreIndex=2),
    case("ignore_default", classes(-100, 1, 3), 3, 4, weights=WEIGHTS),
    case("ignore_all", classes(-100, -100), 2, 4),
    case("sample", classes(2), 4),
    case("sample_weights", classes(2), 4, weights=WEIGHTS),
    case("several_chunks", random_classes, 3000, 7),
]


def forward(target):
    return lambda module: module.forward(np.zeros((3, 4), "f"), target)


ERRORS = [
    ErrorRow("label", nn.ClassNLLCriterion, forward(np.array([0, 4, 1])), IndexRangeError,
             r"target: expected 0 to 3, got 4"),
    ErrorRow("negative_label", nn.ClassNLLCriterion, forward(np.array([0, -1, 1])), IndexRangeError,
             r"target: expected 0 to 3, got -1"),
    ErrorRow("label_backward", nn.ClassNLLCriterion, lambda m: m.backward(np.zeros((1, 4), "f"), 7), IndexRangeError,
             r"target: expected 0 to 3, got 7"),
    ErrorRow("too_few", nn.ClassNLLCriterion, forward(np.array([0, 1])), ShapeError, r"target: expected 3, got 2"),
    ErrorRow("number_for_batch", nn.ClassNLLCriterion, forward(1), ShapeError, r"target: expected 3, got 1"),
    ErrorRow("matrix", nn.ClassNLLCriterion, forward(np.zeros((3, 1), int)), ShapeError,
             r"target: expected 3, got 3 x 1"),
    ErrorRow("fractions", nn.ClassNLLCriterion, forward(np.array([0, 1.5, 2])), DtypeError,
             r"target: expected a label or an array of labels, got numbers between labels"),
    ErrorRow("nan", nn.ClassNLLCriterion, forward(np.array([0, np.nan, 2])), DtypeError,
             r"target: expected a label or an array of labels, got numbers between labels"),
    ErrorRow("booleans", nn.ClassNLLCriterion, forward(np.ones(3, bool)), DtypeError,
             r"target: expected a label or an array of labels, got a bool array of 3"),
    ErrorRow("words", nn.ClassNLLCriterion, forward(["a", "b", "c"]), DtypeError,
             r"target: expected a label or an array of labels, got a table of 3"),
    ErrorRow("weights", lambda: nn.ClassNLLCriterion([1.0, 2.0]), forward(np.array([0, 1, 1])), ShapeError,
             r"weights: expected 4, got 2"),
    ErrorRow("rank", nn.ClassNLLCriterion, lambda m: m.forward(np.zeros((2, 3, 4), "f"), np.array([0, 1])), ShapeError,
             r"input: expected \(N x\) C, got 3-D"),
]  # fmt: skip
