"""Sums of criterions of the entries of a table."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal


def make():
    return nn.ParallelCriterion().add(nn.MSECriterion()).add(nn.AbsCriterion(), 0.5)


def mean(x, target):
    return ((x - target) ** 2).mean()


def reference(module, x, target):
    return mean(x[0], target[0]) + 0.5 * np.abs(x[1] - target[1]).mean()


def repeating():
    return nn.ParallelCriterion(True).add(nn.MSECriterion()).add(nn.MSECriterion(), 0.5)


def repeating_reference(module, x, target):
    return mean(x[0], target) + 0.5 * mean(x[1], target)


def nested():
    return nn.ParallelCriterion().add(make(), 2).add(nn.MSECriterion())


def nested_reference(module, x, target):
    return 2 * reference(module, x[0], target[0]) + mean(x[1], target[1])


def table(*shapes):
    """Random arrays of these shapes, tables of them for lists of shapes."""

    def draw(rng, shapes=shapes):
        return [draw(rng, shape) if isinstance(shape, list) else rng.standard_normal(shape) for shape in shapes]

    return draw


CASES = [
    Case("two", make, table((3, 2), (3, 4)), reference, target=table((3, 2), (3, 4))),
    Case("different_lengths", make, table(2, (3, 4)), reference, target=table(2, (3, 4)), batched=False),
    Case("repeat", repeating, table((3, 2), (3, 2)), repeating_reference, target=normal(3, 2)),
    Case("nested", nested, table([2, 3], 4), nested_reference, target=table([2, 3], 4), batched=False),
    Case("more_entries", make, table(2, 3, 4), reference, target=table(2, 3), batched=False),
]

ERRORS = [
    ErrorRow("entries", make, lambda m: m.forward([np.zeros(2, "f")], [np.zeros(2, "f")]), ShapeError,
             r"input: expected 2 entries or more, got a table of 1"),
    ErrorRow("targets", make, lambda m: m.backward([np.zeros(2, "f")] * 2, [np.zeros(2, "f")]), ShapeError,
             r"target: expected 2 entries or more, got a table of 1"),
    ErrorRow("array", make, lambda m: m.forward([np.zeros(2, "f")] * 2, np.zeros(2, "f")), DtypeError,
             r"target: expected a table, got a float32 array of 2"),
    ErrorRow("inside", nested, lambda m: m.forward([[np.zeros(2, "f")] * 2] * 2, [[np.zeros(2, "f"), None]] * 2),
             ValueError, r"in criterion 1 of nn.ParallelCriterion, in criterion 2 of nn.ParallelCriterion, nn.Abs"),
]  # fmt: skip
