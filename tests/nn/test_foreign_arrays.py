"""Arrays of other libraries are taken without a copy; other objects raise an error with a remedy."""

import re

import numpy as np
import pytest

from pytorch_legacy import nn, rnn
from pytorch_legacy.errors import DtypeError, NullError, ShapeError
from tests.nn.toys import batch, fails


class Foreign:
    """An array of another library: it can be handed over by DLPack, and nothing else."""

    def __init__(self, array, place=(1, 0), **attributes):
        self.array, self.place = array, place
        vars(self).update(attributes)

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.place


X, G = batch(4, 3), batch(4, 2, seed=5)


def results(net, wrap):
    pairs = net.forward(wrap(X)), net.backward(wrap(X), wrap(G)), net.parameters()[1][0]
    return [np.copy(array) for array in pairs]


@pytest.mark.parametrize(
    "make",
    [
        lambda linear: linear,
        lambda linear: nn.Sequential(linear, nn.BatchNormalization(2, affine=False)),
        lambda linear: nn.Concat(1, linear),
        lambda linear: nn.Sequential(nn.ConcatTable(linear), nn.SelectTable(0)),
        lambda linear: nn.Bottle(linear),
        lambda linear: rnn.Recursor(linear),
    ],
)
def test_arrays_of_other_libraries(make):
    linear = nn.Linear(3, 2)
    theirs = results(make(linear.clone()).training(), Foreign)
    for ours, other in zip(results(make(linear.clone()).training(), lambda array: array), theirs, strict=True):
        np.testing.assert_array_equal(ours, other)


def test_nothing_is_copied():
    x = batch(3)
    assert np.shares_memory(nn.Identity().forward(Foreign(x)), x)
    nn.ReLU(True).forward(Foreign(x))
    assert (x >= 0).all()


def test_tables_of_them():
    x, y = batch(3), batch(3, seed=7)
    table = [x, [y]]
    assert nn.Identity().forward(table) is table, "what needs nothing is passed on"
    passed = nn.Identity().forward((Foreign(x), {"y": Foreign(y)}, 3))
    np.testing.assert_array_equal(passed[0], x)
    np.testing.assert_array_equal(passed[1]["y"], y)
    np.testing.assert_array_equal(nn.CAddTable().forward((Foreign(x), y)), x + y)
    np.testing.assert_array_equal(nn.CMulTable().backward((x, Foreign(y)), Foreign(np.ones(3, np.float32)))[0], y)
    np.testing.assert_array_equal(nn.ParallelTable(nn.Abs(), nn.Abs()).backward((x, y), (Foreign(x), y))[0], x * np.sign(x))


def test_criterions():
    rows, labels = nn.LogSoftMax().forward(batch(2, 3)), np.array([1, 2])
    for criterion in nn.ClassNLLCriterion(), nn.MultiMarginCriterion(), nn.CrossEntropyCriterion():
        loss, gradient = criterion.forward(rows, labels), criterion.backward(rows, labels).copy()
        for target in [1, 2], (1, 2), Foreign(labels), [np.int64(1), np.array(2)], [1.0, 2.0]:
            assert criterion.forward(Foreign(rows), target) == loss
            np.testing.assert_array_equal(criterion.backward(rows, target), gradient)
            assert criterion(rows, target)[0] == loss
    planes = nn.LogSoftMax().forward(batch(1, 3, 2, 2))
    assert nn.SpatialClassNLLCriterion().forward(planes, [[[0, 1], [2, 0]]]) == nn.SpatialClassNLLCriterion().forward(
        planes, np.array([[[0, 1], [2, 0]]])
    )
    hinge = nn.HingeEmbeddingCriterion()
    assert hinge.forward(batch(2), (1, -1)) == hinge.forward(batch(2), np.array([1, -1]))
    np.testing.assert_array_equal(nn.LookupTable(3, 1).forward([2, 0]).shape, (2, 1))
    with fails(ShapeError, "nn.ClassNLLCriterion: target: expected a label or an array of labels, got rows of unlike lengths"):
        nn.ClassNLLCriterion().forward(rows, [[1, 2], [1]])
    with fails(DtypeError, "nn.ClassNLLCriterion: target: expected a label or an array of labels, got a table of 2"):
        nn.ClassNLLCriterion().forward(rows, ["cat", "dog"])


def test_training_with_them():
    trainer = nn.StochasticGradient(nn.Linear(3, 2), nn.MSECriterion())
    trainer.maxIteration, trainer.verbose = 1, False
    before = trainer.module.weight.copy()
    trainer.train([(Foreign(X[0]), Foreign(G[0]))])
    assert (trainer.module.weight != before).any()


@pytest.mark.parametrize(
    "value, got",
    [
        (Foreign(X, requires_grad=True), "got a Foreign that requires a gradient; pass x.detach()"),
        (Foreign(X, place=(2, 0)), r"got a Foreign on a GPU; pass x.cpu\(\), or move the module with .cuda\(\)"),
        (Foreign(np.array(["a"])), r"got a Foreign of a kind that NumPy cannot read: .*; pass x.float\(\) of a dense tensor"),
        ([Foreign(X), Foreign(X, requires_grad=True)], "got a Foreign that requires a gradient"),
    ],
)
def test_arrays_that_cannot_be_handed_over(value, got):
    net = nn.Sequential(nn.Linear(3, 2))
    for call, name in ((lambda: net.forward(value), "input"), (lambda: net.backward(X, value), "gradOutput")):
        with pytest.raises(DtypeError, match=rf"^nn\.Sequential: {name}: {got}"):
            call()
    with pytest.raises(DtypeError, match=rf"^nn\.MSECriterion: target: {got}"):
        nn.MSECriterion().forward(X, value)


CURED = [
    [[1, 2, 3], [4, 5, 6]],
    (1.0, 2, 3),
    X.astype(np.float64),
    X.astype(np.int32),
    X.astype(np.uint8),
    X.astype(np.float16),
    X.astype(bool),
    X.astype(">f4"),
    X.astype(">f8"),
]


@pytest.mark.parametrize("layer", [nn.Linear(3, 3), nn.Add(3), nn.Identity().type("torch.FloatTensor"), nn.Sum(0), nn.Tanh()])
@pytest.mark.parametrize("x", CURED)
def test_the_cure_cures(layer, x):
    """The remedy in an error message works: it is run here."""
    try:
        layer.forward(x)
    except DtypeError as error:
        cure = re.search(r"; pass (x\.astype\(np\.float32\)|np\.array\(x, np\.float32\))", str(error))
        assert cure and layer.forward(eval(cure[1])).dtype == np.float32
        assert ("convert the module: .double()" in str(error)) == (isinstance(x, np.ndarray) and x.dtype == np.float64)
    else:
        assert isinstance(layer, (nn.Identity, nn.Sum)) or x.dtype == np.float32  # these layers take arrays of any dtype


def test_messages():
    layer, double = nn.Linear(3, 2), nn.Linear(3, 2).double()
    strange = "whose bytes stand in the order of other machines"
    for module, x, text in (
        (layer, [1, 2, 3], "expected a float32 array, got a list of 3 numbers; pass np.array(x, np.float32)"),
        (layer, [[1, 2, 3]], "expected a float32 array, got a list of 1 row of numbers; pass np.array(x, np.float32)"),
        (layer, 3.0, "expected a float32 array, got float 3.0; pass np.array(x, np.float32)"),
        (layer, X.astype("f8"), "expected float32, got float64; pass x.astype(np.float32), or convert the module: .double()"),
        (double, X, "expected float64, got float32; pass x.astype(np.float64), or convert the module: .float()"),
        (layer, X.astype(">f4"), f"expected float32, got >f4, {strange}; pass x.astype(np.float32)"),
        (layer, X + 0j, "expected float32, got complex64"),
        (layer, "text", "expected a float32 array, got str 'text'"),
        (layer, None, "expected a float32 array, got None"),
    ):
        with pytest.raises((DtypeError, NullError)) as caught:
            module.forward(x)
        assert str(caught.value) == f"nn.Linear: input: {text}"
    with pytest.raises(DtypeError, match=r"got Foreign .*; pass np.from_dlpack\(x\)"):
        layer.updateOutput(Foreign(X))


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    layer, x = nn.Linear(3, 2), torch.from_numpy(X.copy())
    np.testing.assert_array_equal(layer.forward(x), layer.clone().forward(X))
    np.testing.assert_array_equal(layer.backward(x, torch.from_numpy(G)), layer.clone().backward(X, G))
    for wrong, text in (
        (torch.ones(4, 3, requires_grad=True), r"got a Tensor that requires a gradient; pass x\.detach\(\)"),
        (torch.ones(4, 3, dtype=torch.bfloat16), r"got a Tensor of torch\.bfloat16 that NumPy cannot read.*; pass x\.float\(\)"),
        (torch.ones(4, 3).to_sparse(), r"got a Tensor of torch\.float32 that NumPy cannot read.*dense"),
        (torch.ones(4, 3, device="meta"), "got a Tensor of torch.float32 that NumPy cannot read.*in the memory of the host"),
    ):
        with pytest.raises(DtypeError, match=text):
            layer.forward(wrong)
