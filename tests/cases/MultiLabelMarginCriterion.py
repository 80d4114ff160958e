"""Hinge losses of samples that have several labels."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    rows, lists = x.reshape(-1, x.shape[-1]), target.reshape(-1, x.shape[-1])
    total = 0.0
    for row, labels in zip(rows, lists, strict=True):
        labels = labels[: list(labels).index(-1) if -1 in labels else None]
        isOther = np.ones(len(row), bool)
        isOther[labels] = False
        total += np.maximum(0, 1 - row[labels][:, None] + row[isOther]).sum() / len(row)
    return total / len(rows) if module.sizeAverage else total


def lists(*labels):
    return lambda rng: np.array(labels)


def random_lists(rng):
    return rng.integers(-1, 9, (1000, 9))


def few_of_many(rng):
    lists = np.full((2, 1101), -1)
    lists[:, :5] = [1100, 0, 7, 0, 256]
    return lists


def summing():
    criterion = nn.MultiLabelMarginCriterion()
    criterion.sizeAverage = False
    return criterion


BATCH = lists([2, 0, -1, 3], [1, -1, -1, -1], [-1, 0, 1, 2], [0, 1, 2, 3])

CASES = [
    Case("batch", nn.MultiLabelMarginCriterion, normal(4, 4), reference, target=BATCH),
    Case("sum", summing, normal(4, 4), reference, target=BATCH),
    Case("sample", nn.MultiLabelMarginCriterion, normal(4), reference, target=lists(3, 1, -1, -1), batched=False),
    Case("twice", nn.MultiLabelMarginCriterion, normal(4), reference, target=lists(3, 1, 3, -1), batched=False),
    Case("one_class", nn.MultiLabelMarginCriterion, normal(2, 1), reference, target=lists([0], [-1])),
    Case("many_classes", nn.MultiLabelMarginCriterion, normal(2, 1101), reference, target=few_of_many),
    Case("several_chunks", nn.MultiLabelMarginCriterion, normal(1000, 9), reference, target=random_lists),
]


def forward(target):
    return lambda module: module.forward(np.zeros((2, 3), "f"), target)


ERRORS = [
    ErrorRow("label", nn.MultiLabelMarginCriterion, forward(np.array([[0, -1, 3], [1, -1, -1]])), IndexRangeError,
             r"target: expected 0 to 2, got 3"),
    ErrorRow("negative_label", nn.MultiLabelMarginCriterion, forward(np.array([[0, -1, -2], [1, -1, -1]])),
             IndexRangeError, r"target: expected 0 to 2, got -2"),
    ErrorRow("target_shape", nn.MultiLabelMarginCriterion, forward(np.array([0, 1])), ShapeError,
             r"target: expected 2 x 3, got 2"),
    ErrorRow("no_forward", nn.MultiLabelMarginCriterion,
             lambda m: m.backward(np.zeros((2, 3), "f"), np.zeros((2, 3), int)), ShapeError,
             r"isTarget: expected 2 x 3, got 0"),
    ErrorRow("rank", nn.MultiLabelMarginCriterion,
             lambda m: m.forward(np.zeros((1, 2, 3), "f"), np.zeros((1, 2, 3), int)), ShapeError,
             r"input: expected \(N x\) C, got 3-D"),
]  # fmt: skip
