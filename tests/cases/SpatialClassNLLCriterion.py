"""Negative log likelihoods of the classes of places."""

from functools import partial

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal

WEIGHTS = (0.5, 1.0, 2.0, 0.125)


def reference(module, x, target):
    weights = np.ones(x.shape[1]) if module.weights is None else np.asarray(module.weights, np.float64)
    chosen = np.take_along_axis(x, target[:, None], axis=1)[:, 0]
    loss = -(weights[target] * chosen).sum()
    total = weights[target].sum()
    return loss / total if module.sizeAverage and total else loss


def case(name: str, *shape: int, **arguments) -> Case:
    n, classes, height, width = shape
    return Case(name, partial(nn.SpatialClassNLLCriterion, **arguments), normal(*shape), reference,
                target=lambda rng: rng.integers(0, classes, (n, height, width)))  # fmt: skip


CASES = [
    case("batch", 2, 4, 3, 5),
    case("sum", 2, 4, 3, 2, sizeAverage=False),
    case("weights", 2, 4, 3, 2, weights=WEIGHTS),
    case("weights_sum", 1, 4, 3, 3, weights=WEIGHTS, sizeAverage=False),
    case("one_place", 3, 4, 1, 1),
    case("several_chunks", 2, 3, 40, 61, weights=WEIGHTS[:3]),
]


def forward(target):
    return lambda module: module.forward(np.zeros((2, 4, 1, 2), "f"), target)


ERRORS = [
    ErrorRow("label", nn.SpatialClassNLLCriterion, forward(np.array([[[0, 4]], [[1, 2]]])), IndexRangeError,
             r"target: expected 0 to 3, got 4"),
    ErrorRow("negative_label", nn.SpatialClassNLLCriterion, forward(np.array([[[0, -100]], [[1, 2]]])), IndexRangeError,
             r"target: expected 0 to 3, got -100"),
    ErrorRow("label_backward", nn.SpatialClassNLLCriterion,
             lambda m: m.backward(np.zeros((1, 2, 1, 1), "f"), np.array([[[2]]])), IndexRangeError,
             r"target: expected 0 to 1, got 2"),
    ErrorRow("target_shape", nn.SpatialClassNLLCriterion, forward(np.zeros((2, 2, 1), int)), ShapeError,
             r"target: expected 2 x 1 x 2, got 2 x 2 x 1"),
    ErrorRow("rank", nn.SpatialClassNLLCriterion,
             lambda m: m.forward(np.zeros((4, 1, 2), "f"), np.zeros((1, 2), int)), ShapeError,
             r"input: expected N x C x H x W, got 3-D"),
    ErrorRow("weights", lambda: nn.SpatialClassNLLCriterion([1.0, 2.0]), forward(np.zeros((2, 1, 2), int)), ShapeError,
             r"weights: expected 4, got 2"),
    ErrorRow("fractions", nn.SpatialClassNLLCriterion, forward(np.full((2, 1, 2), 0.5)), DtypeError,
             r"target: expected a label or an array of labels, got numbers between labels"),
]  # fmt: skip
