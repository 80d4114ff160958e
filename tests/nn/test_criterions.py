"""Properties of single criterions beyond tests/cases: empty inputs, old files, fields that Torch7 has."""

import numpy as np
import pytest

from pytorch_legacy import nn, t7
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.nn.toys import batch, fails
from tests.trees import assert_same

NONE = np.zeros((0, 4), np.float32)
NO_LABELS = np.zeros(0, np.int64)


@pytest.mark.parametrize(
    "criterion, input, target",
    [
        (nn.AbsCriterion(), NONE, NONE),
        (nn.BCECriterion(np.ones(4)), NONE, NONE),
        (nn.ClassNLLCriterion(), NONE, NO_LABELS),
        (nn.ClassSimplexCriterion(4), NONE, NO_LABELS),
        (nn.CosineEmbeddingCriterion(), [NONE, NONE], NO_LABELS),
        (nn.DistKLDivCriterion(), NONE, NONE),
        (nn.DistanceRatioCriterion(), [NONE, NONE], None),
        (nn.HingeEmbeddingCriterion(), NONE, NONE),
        (nn.L1Cost(), NONE, None),
        (nn.L1HingeEmbeddingCriterion(), [NONE, NONE], 1),
        (nn.MarginCriterion(), NONE, NONE),
        (nn.MarginRankingCriterion(), [NONE, NONE], NONE),
        (nn.MSECriterion(), NONE, NONE),
        (nn.MultiCriterion().add(nn.MSECriterion()), NONE, NONE),
        (nn.MultiLabelMarginCriterion(), NONE, np.zeros((0, 4), np.int64)),
        (nn.MultiLabelSoftMarginCriterion(np.ones(4)), NONE, NONE),
        (nn.MultiMarginCriterion(), NONE, NO_LABELS),
        (nn.ParallelCriterion().add(nn.MSECriterion()), [NONE], [NONE]),
        (nn.SmoothL1Criterion(), NONE, NONE),
        (nn.SoftMarginCriterion(), NONE, NONE),
        (nn.SpatialAutoCropMSECriterion(), NONE[None], NONE[None]),
        (nn.SpatialClassNLLCriterion(), np.zeros((0, 3, 2, 2), np.float32), np.zeros((0, 2, 2), np.int64)),
        (nn.WeightedMSECriterion(np.ones(4)), NONE, NONE),
    ],
    ids=lambda value: value._typename if isinstance(value, nn.Criterion) else "",
)
def test_an_empty_input_costs_nothing(criterion, input, target):
    loss = criterion.forward(input, target)
    assert type(loss) is float and loss == 0
    gradInput = criterion.backward(input, target)
    tables = (gradInput, input) if isinstance(input, list) else ([gradInput], [input])
    assert [gradient.shape for gradient in tables[0]] == [array.shape for array in tables[1]]


def read(name: str, **fields: object) -> nn.Criterion:
    """A criterion of a .t7 file with these fields."""
    cls = getattr(nn, name)
    criterion = cls.__new__(cls)
    criterion._fromTorch7(fields, 1)
    return criterion


X = np.array([[0.5, -1.0, 2.0], [0.0, 1.0, 3.0]])


class TestOldFiles:
    """Fields that came later stand at their defaults."""

    def test_MultiMarginCriterion_without_margin(self):
        old = read("MultiMarginCriterion", p=2, sizeAverage=True, gradInput=np.zeros(0))
        assert old.forward(X, np.array([0, 2])) == nn.MultiMarginCriterion(2).double().forward(X, np.array([0, 2]))

    def test_HingeEmbeddingCriterion_without_sizeAverage(self):
        old = read("HingeEmbeddingCriterion", margin=1, gradInput=np.zeros(0))
        assert old.forward(X, 1) == pytest.approx(X.mean())

    def test_CosineEmbeddingCriterion_without_buffers(self):
        old = read("CosineEmbeddingCriterion", margin=0, sizeAverage=True)
        assert old.forward([X, X], np.array([1, 1])) == pytest.approx(0)
        assert [gradient.shape for gradient in old.backward([X, X], np.array([1, 1]))] == [X.shape, X.shape]

    def test_a_type_that_only_a_table_tells(self):
        """Criterions never say which type they have."""
        table = [np.zeros(0, np.float32), np.zeros(0, np.float32)]
        assert read("L1HingeEmbeddingCriterion", margin=1, gradInput=table).type() == "torch.FloatTensor"

    def test_a_type_that_only_a_child_tells(self):
        inner = nn.ModuleCriterion(nn.MSECriterion())
        assert read("ParallelCriterion", criterions=[inner], weights=[1]).type() == "torch.FloatTensor"


class TestMultiCriterion:
    def test_weights_are_a_storage_in_files(self):
        criterion = read("MultiCriterion", criterions=[nn.MSECriterion()], weights=np.array([0.5]).view(t7.Storage))
        assert criterion.weights == [0.5]
        criterion.add(nn.AbsCriterion(), 2)
        weights = criterion._toTorch7()["weights"]
        assert isinstance(weights, t7.Storage) and weights.dtype == np.float64 and list(weights) == [0.5, 2]

    def test_nothing_added(self):
        for name in ("MultiCriterion", "ParallelCriterion"):
            criterion = read(name, criterions={}, weights={})  # Lua's empty tables
            assert criterion.add(nn.MSECriterion()) is criterion
            assert len(criterion.criterions) == len(criterion.weights) == 1

    def test_one_criterion_twice(self):
        one, linear, x, target = nn.MSECriterion(), nn.Linear(3, 3), batch(2, 3), batch(2, 3, seed=4)
        results = []
        for other in (one, one.clone()):
            criterion = nn.MultiCriterion().add(one, 0.5).add(nn.ModuleCriterion(other, linear))
            criterion.forward(x, target)
            results.append(criterion.backward(x, target))
        assert_same(*results)

    def test_an_input_that_has_no_gradient(self):
        for criterion, input, name in ((nn.MultiCriterion(), "x", "input"), (nn.ParallelCriterion(), ["x"], "input[0]")):
            with fails(DtypeError, f"{criterion._typename}: {name}: expected arrays or tables of arrays, got str 'x'"):
                criterion.add(nn.MSECriterion()).backward(input, [batch(2)])

    def test_other_exceptions_say_where(self):
        class Broken(nn.Criterion):
            def updateOutput(self, input, target):
                raise RuntimeError("broken")

        with pytest.raises(RuntimeError) as error:
            nn.MultiCriterion().add(nn.MSECriterion()).add(Broken()).forward(batch(2), batch(2))
        assert error.value.__notes__ == ["in criterion 2 of nn.MultiCriterion"]

    def test_weights_stay_when_converted(self):
        criterion = nn.MultiCriterion().add(nn.MSECriterion(), 0.1).double()
        assert criterion.weights == [0.1] and criterion.criterions[0].type() == "torch.DoubleTensor"


class TestParallelCriterion:
    def test_entries_without_a_criterion_get_zeros(self):
        criterion = nn.ParallelCriterion().add(nn.MSECriterion())
        criterion.forward([batch(3), batch(2)], [np.zeros(3, np.float32)])
        gradInput = criterion.backward([batch(3), batch(2)], [np.zeros(3, np.float32)])
        assert gradInput[0].any() and not gradInput[1].any() and gradInput[1].shape == (2,)

    def test_one_criterion_twice(self):
        one, x, target = nn.MSECriterion(), [batch(3), batch(3, seed=4)], [batch(3, seed=5), batch(3, seed=6)]
        criterion = nn.ParallelCriterion().add(one).add(one, 0.5)
        criterion.forward(x, target)
        gradInput = criterion.backward(x, target)
        assert_same(gradInput, [one.backward(x[0], target[0]).copy(), 0.5 * one.backward(x[1], target[1])])


class TestModuleCriterion:
    def test_castTarget(self):
        for castTarget, expected in ((True, "torch.DoubleTensor"), (False, "torch.FloatTensor")):
            criterion = nn.ModuleCriterion(nn.MSECriterion(), nn.Linear(3, 2), nn.Linear(3, 2), castTarget).double()
            assert criterion.inputModule.type() == criterion.criterion.type() == "torch.DoubleTensor"
            assert criterion.targetModule.type() == expected
            assert criterion.type() == "torch.DoubleTensor"

    def test_parameters_learn(self):
        criterion = nn.ModuleCriterion(nn.MSECriterion(), nn.Linear(3, 2))
        criterion.inputModule.zeroGradParameters()
        x, target = batch(4, 3), batch(4, 2)
        loss = criterion.forward(x, target)
        criterion.backward(x, target)
        criterion.inputModule.updateParameters(0.1)
        assert criterion.forward(x, target) < loss

    def test_labels(self):
        """The target module makes of labels what the criterion takes."""

        class Rows(nn.Module):
            def updateOutput(self, input):
                return np.eye(3, dtype=np.float32)[input]

        rows = Rows()
        rows.output = np.eye(3, dtype=np.float32)[[2, 0]]
        criterion = nn.ModuleCriterion(nn.MSECriterion(), None, rows)
        assert criterion.forward(rows.output, np.array([2, 0])) == 0
        assert not criterion.backward(rows.output, np.array([2, 0])).any()


class TestClassSimplexCriterion:
    def test_predictions(self):
        criterion = nn.ClassSimplexCriterion(5)
        np.testing.assert_array_equal(criterion.getTopPrediction(criterion.simplex), np.arange(5))
        predictions = criterion.getPredictions(criterion.simplex[3])
        np.testing.assert_allclose(predictions, [[-0.25, -0.25, -0.25, 1, -0.25]], atol=1e-6)
        assert criterion.getTopPrediction(criterion.simplex[3]).tolist() == [3]

    def test_the_right_corner_costs_nothing(self):
        criterion = nn.ClassSimplexCriterion(3)
        assert criterion.forward(criterion.simplex[1], 1) == criterion.forward(criterion.simplex[1], np.array([1])) == 0
        assert criterion.transformTarget(1).shape == (3,)
        assert criterion.transformTarget(np.array([1, 2])).shape == (2, 3)


def test_ties_have_no_slope_in_L1HingeEmbeddingCriterion():
    criterion = nn.L1HingeEmbeddingCriterion()
    x, y = np.array([1, 2, 3], np.float32), np.array([1, 0, 4], np.float32)
    assert criterion.forward([x, y], 1) == 3
    np.testing.assert_array_equal(criterion.backward([x, y], 1), [[0, 1, -1], [0, -1, 1]])


def test_the_gradient_of_a_nan_is_a_nan():
    x, zeros = np.array([np.nan, 0, -2, 3], np.float32), np.zeros(4, np.float32)
    np.testing.assert_array_equal(nn.L1Cost().backward(x), [np.nan, 0, -1, 1])
    np.testing.assert_array_equal(nn.AbsCriterion(False).backward(x, zeros), [np.nan, 1, -1, 1])
    for criterion in (nn.MarginCriterion(), nn.SmoothL1Criterion(), nn.SoftMarginCriterion()):
        assert np.isnan(criterion.forward(x, zeros + 1))
    assert np.isnan(nn.MultiMarginCriterion().forward(x, 3))
    assert np.isnan(nn.MultiLabelMarginCriterion().forward(x, np.array([3, -1, 0, 0])))


def test_MultiLabelMarginCriterion_keeps_its_marks():
    criterion = nn.MultiLabelMarginCriterion()
    criterion.forward(batch(2, 4), np.array([[2, 0, -1, 3], [-1, 1, 2, 3]]))
    np.testing.assert_array_equal(criterion.isTarget, [[1, 0, 1, 0], [0, 0, 0, 0]])
    with fails(ShapeError, "nn.MultiLabelMarginCriterion: isTarget: expected 1 x 4, got 2 x 4"):
        criterion.backward(batch(1, 4), np.array([[2, 0, -1, 3]]))


PROBABILITIES = np.array([[0.25, 0.5, 0.75], [0.1, 0.9, 0.6]])
SIGNS = np.array([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]])


@pytest.mark.parametrize(
    "make, target",
    [
        (nn.AbsCriterion, X[::-1]),
        (nn.BCECriterion, PROBABILITIES[::-1]),
        (lambda: nn.BCECriterion([1.0, 2.0, 3.0]), PROBABILITIES[::-1]),
        (nn.DistKLDivCriterion, PROBABILITIES[::-1]),
        (nn.HingeEmbeddingCriterion, SIGNS),
        (nn.MarginCriterion, SIGNS),
        (nn.MSECriterion, X[::-1]),
        (nn.MultiLabelSoftMarginCriterion, SIGNS > 0),
        (lambda: nn.MultiLabelSoftMarginCriterion([1.0, 2.0, 3.0]), SIGNS > 0),
        (nn.SmoothL1Criterion, X[::-1]),
        (nn.SoftMarginCriterion, SIGNS),
        (lambda: nn.WeightedMSECriterion([1.0, 2.0, 3.0]), X[::-1]),
    ],
)
def test_a_target_may_have_another_shape(make, target):
    """As in Torch7, where only the number of elements and their order counted."""
    criterion, target, x = make().double(), target.astype(float), PROBABILITIES
    loss = criterion.forward(x, target)
    gradient = criterion.backward(x, target).copy()
    others = [target[:, :, None], target[None], np.asfortranarray(target)[:, None]]
    if getattr(criterion, "weights", getattr(criterion, "weight", None)) is None:
        others.append(target.reshape(-1))
        padded = np.zeros((3, 4))
        padded[:, ::2] = target.reshape(3, 2)
        others.append(padded[:, ::2])
    for other in others:
        assert criterion.forward(x, other) == loss
        np.testing.assert_array_equal(criterion.backward(x, other), gradient)
    turned = x.reshape(2, 3, 1, 1)[:, :, ::-1]  # the input's shape is the gradient's, whatever that of the target
    assert criterion.forward(turned, target) == loss
    np.testing.assert_array_equal(criterion.backward(turned, target), gradient.reshape(2, 3, 1, 1))
    for method in (criterion.forward, criterion.backward):
        with pytest.raises(ShapeError, match=r"target: expected 2 x 3, or 6 elements in another shape, got 2 x 2"):
            method(x, target[:, :2])


def test_a_pair_may_have_two_shapes():
    one, other, signs = X, PROBABILITIES, SIGNS
    for criterion, target in ((nn.MarginRankingCriterion(3), signs), (nn.L1HingeEmbeddingCriterion(9), -1)):
        criterion.double()
        loss = criterion.forward([one, other], target)
        gradients = [gradient.copy() for gradient in criterion.backward([one, other], target)]
        turned = [one[:, :, None], other[None]]
        assert criterion.forward(turned, target) == loss
        for gradient, expected, x in zip(criterion.backward(turned, target), gradients, turned, strict=True):
            np.testing.assert_array_equal(gradient, expected.reshape(x.shape))
        with pytest.raises(ShapeError, match=r"input\[1\]: expected 2 x 3, got 2 x 2"):
            criterion.forward([one, other[:, :2]], target)


def test_MarginRankingCriterion_counts_the_pairs_of_its_target():
    criterion = nn.MarginRankingCriterion(1).double()
    column = [X.reshape(6, 1), PROBABILITIES.reshape(6, 1)]
    flat = [X.reshape(6), PROBABILITIES.reshape(6)]
    loss = criterion.forward(flat, SIGNS.reshape(6))
    assert criterion.forward(column, SIGNS.reshape(6)) == loss == criterion.forward(column, SIGNS.reshape(6, 1))
    row = [array.reshape(1, 6) for array in flat]
    assert criterion.forward(row, SIGNS.reshape(6)) == loss
    np.testing.assert_array_equal(criterion.backward(row, SIGNS.reshape(6))[0][0], criterion.backward(flat, SIGNS.reshape(6))[0])


def test_targets_of_MarginRankingCriterion_are_signs():
    criterion = nn.MarginRankingCriterion(1).double()
    pair = [X, PROBABILITIES]
    loss = criterion.forward(pair, SIGNS)
    assert criterion.forward(pair, SIGNS.astype(np.int64)) == loss
    assert criterion.forward(pair, 1) == criterion.forward(pair, np.ones((2, 3), np.int8))
    for wrong in (0, 2.0, SIGNS * 0.5, np.where(SIGNS > 0, 1, 0), np.full((2, 3), np.nan)):
        for method in (criterion.forward, criterion.backward):
            with pytest.raises(ValueRangeError, match=r"target: expected 1 or -1, got "):
                method(pair, wrong)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.int32])
@pytest.mark.parametrize("make", [nn.MarginCriterion, nn.SoftMarginCriterion, nn.HingeEmbeddingCriterion])
def test_signs_may_be_integers(make, dtype):
    criterion, x = make().double(), X
    loss, gradient = criterion.forward(x, SIGNS), criterion.backward(x, SIGNS).copy()
    assert criterion.forward(x, SIGNS.astype(dtype)) == loss
    np.testing.assert_array_equal(criterion.backward(x, SIGNS.astype(dtype)), gradient)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool])
@pytest.mark.parametrize("make", [nn.BCECriterion, nn.MultiLabelSoftMarginCriterion])
def test_labels_of_two_classes_may_be_integers(make, dtype):
    criterion, labels = make(), SIGNS > 0
    x = PROBABILITIES.astype(np.float32)
    loss, gradient = criterion.forward(x, labels.astype(np.float32)), criterion.backward(x, labels.astype(np.float32)).copy()
    assert criterion.forward(x, labels.astype(dtype)) == loss
    np.testing.assert_array_equal(criterion.backward(x, labels.astype(dtype)), gradient)


def test_inputs_of_BCECriterion_are_probabilities():
    """Targets need not be: labels are smoothed in many ways. A NaN gives NaN."""
    criterion = nn.BCECriterion().double()
    for wrong in (-1e-9, 1 + 1e-9, np.inf):
        x = PROBABILITIES.copy()
        x[1, 1] = wrong
        for method in (criterion.forward, criterion.backward):
            with pytest.raises(ValueRangeError, match=r"nn.BCECriterion: input: expected 0 to 1, got "):
                method(x, PROBABILITIES)
    assert np.isfinite(criterion.forward(PROBABILITIES, np.full((2, 3), 1.2)))
    x[1, 1] = np.nan
    assert np.isnan(criterion.forward(x, PROBABILITIES))
    np.testing.assert_array_equal(np.isnan(criterion.backward(x, PROBABILITIES)), np.isnan(x))
