"""Everything that is a class label, and what a .t7 file makes of it."""

import numpy as np
import pytest

from pytorch_legacy import nn

X = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], np.float32))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64"])
def test_dtypes(dtype):
    criterion = nn.ClassNLLCriterion(sizeAverage=False)
    labels = np.array([2, 0], dtype)
    assert criterion.forward(X, labels) == pytest.approx(-np.log(0.35))
    np.testing.assert_array_equal(criterion.backward(X, labels), [[0, 0, -1], [-1, 0, 0]])


@pytest.mark.parametrize("label", [2, 2.0, np.int32(2), np.float64(2), np.array(2), np.array([2])])
def test_single_labels(label):
    for x in (X[0], X[:1]):
        loss = nn.ClassNLLCriterion().forward(x, label)
        assert type(loss) is float and loss == pytest.approx(-np.log(0.7))


def test_total_weight():
    criterion = nn.ClassNLLCriterion([0.5, 1.0, 2.0])
    criterion.forward(X, np.array([2, 0]))
    assert criterion.total_weight == 2.5
    criterion.forward(X, np.array([-100, 1]))
    assert criterion.total_weight == 1.0


@pytest.mark.parametrize("label", [1, 255])  # a class, and a label that is none
def test_everything_ignored(label):
    criterion = nn.ClassNLLCriterion(ignoreIndex=label)
    assert str(criterion.forward(X, np.array([label, label]))) == "0.0" and criterion.total_weight == 0
    assert not criterion.backward(X, np.array([label, label])).any()


@pytest.mark.parametrize("torch7, here", [(2, 1), (1, 0), (0, -1), (-1, -2), (-100, -100), (None, -100)])
def test_ignoreIndex_of_a_file(torch7, here):
    criterion = nn.ClassNLLCriterion.__new__(nn.ClassNLLCriterion)
    criterion._fromTorch7({"_type": "torch.FloatTensor"} | ({} if torch7 is None else {"ignoreIndex": torch7}), 1)
    assert criterion.ignoreIndex == here
    assert criterion._toTorch7()["ignoreIndex"] == (-100 if torch7 is None else torch7)
