"""SoftMaxTree and its loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.trees import assert_close, assert_same

HIERARCHY = {9: np.array([7, 8, 1]), 7: np.array([2, 3]), 8: np.array([4, 5, 6])}
LEAVES = [1, 2, 3, 4, 5, 6]


def made() -> Any:
    pl.manualSeed(1)
    return nn.SoftMaxTree(3, HIERARCHY, 9).double()


def rows(count: int) -> np.ndarray:
    return pl.random.uniform(-2, 2, (count, 3), np.float64)


def test_leaves_have_all_the_probability() -> None:
    module, row = made(), rows(1)
    logarithms = module.forward([row.repeat(6, 0), np.array(LEAVES)])
    assert_close(np.exp(logarithms).sum(), np.array(1.0), 1e-12)
    weight, bias = module.getNodeParameters(9)[0]
    scores = np.exp(weight @ row[0] + bias)
    assert_close(np.exp(logarithms[0]), scores[2] / scores.sum(), 1e-12)
    inner = module.forward([row, np.array([7])])
    assert_close(np.exp(inner[0]), scores[0] / scores.sum(), 1e-12)


def test_gradients() -> None:
    module, input = made(), rows(4)
    targets, gradOutput = np.array([2, 6, 1, 2]), pl.random.uniform(-1, 1, 4, np.float64)

    def total() -> float:
        return float(module.forward([input, targets]) @ gradOutput)

    module.zeroGradParameters()
    module.forward([input, targets])
    gradInput, gradTargets = module.backward([input, targets], gradOutput)
    assert_same(gradTargets, np.zeros(4, np.int64))
    for values, gradient in ((input, gradInput), (module.weight, module.gradWeight), (module.bias, module.gradBias)):
        expected = np.empty_like(values)
        for place in np.ndindex(values.shape):
            kept = values[place]
            values[place] = kept + 1e-6
            above = total()
            values[place] = kept - 1e-6
            expected[place] = (above - total()) / 2e-6
            values[place] = kept
        assert_close(gradient, expected, 1e-7)
    once = module.gradWeight.copy()
    module.accGradParameters([input, targets], gradOutput, 0.5)
    assert_close(module.gradWeight, 1.5 * once, 1e-12)


def test_step_without_gradients() -> None:
    one, other = made(), made()
    input = [rows(2), np.array([3, 1])]
    criterion = nn.TreeNLLCriterion().double()
    gradOutput = criterion.backward(one.forward(input))
    one.zeroGradParameters()
    one.backward(input, gradOutput)
    one.updateParameters(0.1)
    other.gradWeight = other.gradBias = None
    other.forward(input)
    other.backwardUpdate(input, gradOutput, 0.1)
    assert_close(other.weight, one.weight, 1e-12)
    with pytest.raises(ValueRangeError, match="gradWeight: expected one; with accUpdate call backwardUpdate"):
        other.accGradParameters(input, gradOutput)


def test_loss() -> None:
    criterion = nn.TreeNLLCriterion().double()
    assert criterion.forward(np.array([-1.0, -2])) == 1.5
    assert_same(criterion.backward(np.array([-1.0, -2])), np.array([-0.5, -0.5]))


def test_file() -> None:
    """Torch7 counts rows and places from 1, and has the row of node n at place n of its tables."""
    module = made()
    fields = module._toTorch7()
    assert fields["parentChildren"].shape == (9, 2) and fields["parentChildren"][8].tolist() == [1, 3]
    assert fields["childParent"][7].tolist() == [9, 2] and fields["childParent"][1].tolist() == [7, 1]
    assert (fields["maxFamily"], fields["maxDept"], fields["maxFamilyPath"]) == (3, 2, 6)
    again = nn.SoftMaxTree.__new__(nn.SoftMaxTree)
    again._fromTorch7(fields, 1)
    input = [rows(6), np.array(LEAVES)]
    assert_same(again.forward(input), module.forward(input))


@pytest.mark.parametrize(
    "hierarchy, error, text",
    [
        ({7: np.array([1])}, ValueRangeError, "expected children of the root, 9"),
        ({9: np.array([1.5])}, DtypeError, r"hierarchy\[9\]: expected a vector of integers"),
        ({9: np.array([1, 2]), 1: np.array([2])}, ValueRangeError, "expected a tree"),
        ({9: np.array([1, 2]), 4: np.array([5])}, ValueRangeError, "expected a way from node 4 to the root"),
        ({9: np.array([-1, 2])}, ValueRangeError, "expected numbers of nodes that are not negative"),
    ],
)
def test_no_tree(hierarchy: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        nn.SoftMaxTree(3, hierarchy, 9)


@pytest.mark.parametrize(
    "input, error, text",
    [
        ([np.ones((1, 3)), np.array([9])], IndexRangeError, r"input\[1\]: 9 is no node below the root"),
        ([np.ones((1, 3)), np.array([0])], IndexRangeError, r"input\[1\]: 0 is no node below the root"),
        ([np.ones((1, 2)), np.array([1])], ShapeError, r"input\[0\]: expected 3 columns, got 1 x 2"),
        ([np.ones((1, 3)), np.array([1, 2])], ShapeError, r"input\[1\]: expected 1, got 2"),
    ],
)
def test_errors(input: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        made().forward(input)
