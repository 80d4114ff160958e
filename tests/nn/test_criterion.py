"""Criterions."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

from pytorch_legacy import t7
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.nn.Criterion import Criterion
from tests.nn.toys import Factory, MSECriterion, batch, fails

GOLDEN = Path(__file__).parent.parent / "golden"


def test_base_returns_what_it_holds():
    criterion = Criterion()
    assert criterion.forward(1, 2) == 0.0
    assert criterion.backward(1, 2).size == 0


def test_forward_backward_call():
    criterion, x, target = MSECriterion(), batch(2, 3), np.zeros((2, 3), np.float32)
    loss = criterion.forward(x, target)
    assert loss == criterion.output == pytest.approx((x**2).mean())
    gradInput = criterion.backward(x, target)
    np.testing.assert_allclose(gradInput, x / 3, rtol=1e-6)
    again = criterion(x, target)
    assert again[0] == loss and again[1] is gradInput is criterion.gradInput


def test_clone_convert_pickle():
    criterion = MSECriterion()
    criterion.weights = batch(3)
    criterion.alias = criterion.weights[1:]
    for other in (criterion.clone(), copy.copy(criterion), pickle.loads(pickle.dumps(criterion)), criterion.double()):
        assert np.shares_memory(other.alias, other.weights)
        np.testing.assert_allclose(other.weights, batch(3))
    assert criterion.type() == "torch.DoubleTensor"
    assert criterion.weights.dtype == criterion.gradInput.dtype == np.float64
    assert criterion.float().weights.dtype == np.float32


def test_from_a_file_without_results():
    criterion = Criterion.__new__(Criterion)
    criterion._fromTorch7({"weights": np.ones(2, np.float32)}, 1)
    assert criterion.output == 0.0 and criterion.type() == "torch.FloatTensor"


def test_from_a_real_file():
    trainer = t7.read(GOLDEN / "decorator" / "StochasticGradient.t7", objectFactory=Factory())["module"].fields
    assert trainer["criterion"].sizeAverage is True
    assert trainer["criterion"].type() == "torch.DoubleTensor"


class TestCrossEntropyCriterion:
    @pytest.fixture
    def make(self):
        return pytest.importorskip("pytorch_legacy.nn.criterion.CrossEntropyCriterion").CrossEntropyCriterion

    def reference(self, x, target):
        shifted = x - x.max(-1, keepdims=True)
        logp = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
        return -np.mean([row[label] for row, label in zip(np.atleast_2d(logp), np.atleast_1d(target), strict=True)])

    @pytest.mark.parametrize(
        "shape, target",
        [((4,), 2), ((4,), np.array([2])), ((1, 4), np.array([1])), ((3, 4), np.array([0, 3, 1])),
         ((3, 4), np.array([[0], [3], [1]])), ((3, 1), np.zeros(3, np.int64)), ((1, 4), np.array([[1]]))],
    )  # fmt: skip
    def test_loss_and_gradient(self, make, shape, target):
        criterion, x = make().double(), batch(*shape).astype(np.float64)
        assert criterion.forward(x, target) == pytest.approx(self.reference(x, np.ravel(target)), abs=1e-12)
        gradInput = criterion.backward(x, target).copy()
        assert gradInput.shape == shape
        for at in np.ndindex(shape):
            up, down = x.copy(), x.copy()
            up[at] += 1e-6
            down[at] -= 1e-6
            slope = (criterion.forward(up, target) - criterion.forward(down, target)) / 2e-6
            assert gradInput[at] == pytest.approx(slope, abs=1e-8)

    def test_sizes_of_one_are_dropped(self, make):
        criterion, x = make(), batch(3, 4, 1, 1)
        loss = criterion.forward(x, np.array([0, 3, 1]))
        assert loss == pytest.approx(self.reference(x[..., 0, 0], [0, 3, 1]), rel=1e-5)
        assert criterion.backward(x, np.array([0, 3, 1])).shape == x.shape
        assert make().forward(x[:1], np.array([2])) == pytest.approx(self.reference(x[0, :, 0, 0], 2), rel=1e-5)

    def test_sizeAverage_may_change(self, make):
        criterion, x, target = make(), batch(3, 4), np.array([0, 3, 1])
        mean = criterion.forward(x, target)
        gradient = criterion.backward(x, target).copy()
        criterion.sizeAverage = False
        assert criterion.forward(x, target) == pytest.approx(3 * mean, rel=1e-5)
        np.testing.assert_allclose(criterion.backward(x, target), 3 * gradient, rtol=1e-5)

    def test_errors(self, make):
        cure = "pass x.astype(np.float32), or convert the module: .double()"
        with fails(DtypeError, f"nn.CrossEntropyCriterion: input: expected float32, got float64; {cure}"):
            make().forward(np.zeros(3), 0)
