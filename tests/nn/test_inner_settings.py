"""Settings of criterions and modules that are inside others: what was set last counts, however it was set."""

import copy
import pickle
import tempfile

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, nnx, rnn


def spatial():
    return pl.cudnn.SpatialCrossEntropyCriterion()


INNER = {
    "nn": (nn.CrossEntropyCriterion, lambda c: c, "nll", (2, 3), (2,)),
    "spatial": (spatial, lambda c: c, "nll", (2, 3, 2, 2), (2, 2, 2)),
    "volume": (pl.cudnn.VolumetricCrossEntropyCriterion, lambda c: c.scec, "nll", (2, 3, 2, 2, 2), (2, 2, 2, 2)),
    "masked": (lambda: rnn.MaskZeroCriterion(nn.CrossEntropyCriterion(), 1), lambda c: c.criterion, "nll", (2, 3), (2,)),
    "in a list": (
        lambda: nn.MultiCriterion().add(nn.CrossEntropyCriterion()), lambda c: c.criterions[0], "nll", (2, 3), (2,)
    ),
}  # fmt: skip


def as_it_is(criterion):
    return criterion


def through_a_file(criterion):
    with tempfile.TemporaryDirectory() as folder:
        pl.save(f"{folder}/c.t7", criterion)
        return pl.load(f"{folder}/c.t7")


WAYS = [as_it_is, lambda c: c.clone(), copy.copy, lambda c: pickle.loads(pickle.dumps(c)), through_a_file]


class TestSizeAverageInside:
    @pytest.mark.parametrize("way", WAYS, ids=["as it is", "clone", "copy", "pickle", "file"])
    @pytest.mark.parametrize("name", INNER)
    @pytest.mark.parametrize("isAfterAPass", [False, True])
    @pytest.mark.parametrize("where", ["inner", "outer"])
    def test_what_was_set_last_counts(self, name, way, isAfterAPass, where):
        make, outer, field, shape, targets = INNER[name]
        rng = np.random.default_rng(0)
        x, t = rng.standard_normal(shape), rng.integers(0, 3, targets)
        criterion = make().double()
        mean, gradient = criterion.forward(x, t), criterion.backward(x, t).copy()
        if not isAfterAPass:
            criterion = make().double()
        holder = outer(criterion)
        if where == "inner":
            getattr(holder, field).sizeAverage = False
        else:
            holder.sizeAverage = False
        criterion = way(criterion)
        holder, count = outer(criterion), t.size
        for _ in range(2):
            assert holder.sizeAverage is getattr(holder, field).sizeAverage is False
            assert criterion.forward(x, t) == pytest.approx(count * mean, rel=1e-12)
            np.testing.assert_allclose(criterion.backward(x, t), count * gradient, rtol=1e-12)
        holder.sizeAverage = True
        assert criterion.forward(x, t) == pytest.approx(mean, rel=1e-12)
        getattr(holder, field).sizeAverage = False
        assert criterion.forward(x, t) == pytest.approx(count * mean, rel=1e-12)

    def test_the_numbers(self):
        criterion = nn.CrossEntropyCriterion()
        criterion.nll.sizeAverage = False
        x = np.log(np.float32([[1, 3, 4], [2, 1, 1]]))
        expected = -np.log(0.5) - np.log(0.5)
        assert criterion.forward(x, np.array([2, 0])) == pytest.approx(expected)

    def test_the_whole_volume(self):
        criterion = pl.cudnn.VolumetricCrossEntropyCriterion().double()
        x, t = np.zeros((1, 2, 2, 1, 1)), np.zeros((1, 2, 1, 1), np.int64)
        criterion.sizeAverage = False
        assert criterion.forward(x, t) == pytest.approx(2 * np.log(2)) and criterion.scec.nll.sizeAverage is False
        pl.testing.survives(criterion, x, t)

    @pytest.mark.parametrize("outer, old, inner, expected", [
        (True, True, False, False),  # set in nll alone
        (False, True, True, False),  # set outside after the last pass
        (False, False, True, True),
        (True, None, False, True),  # before Torch7 remembered what it was
        (None, None, False, False),  # before there was one outside
        (None, None, True, True),
    ])  # fmt: skip
    def test_files(self, tmp_path, outer, old, inner, expected):
        criterion = nn.CrossEntropyCriterion()
        pl.save(tmp_path / "c.t7", criterion)
        record = pl.t7.read(tmp_path / "c.t7")
        for name, value in (("sizeAverage", outer), ("oldSizeAverage", old)):
            record.fields.pop(name)
            if value is not None:
                record.fields[name] = value
        record.fields["nll"].fields["sizeAverage"] = inner
        pl.t7.write(tmp_path / "c.t7", record)
        loaded = pl.load(tmp_path / "c.t7")
        x, t = np.zeros((2, 2), np.float32), np.array([0, 1])
        assert loaded.sizeAverage is expected
        assert loaded.forward(x, t) == pytest.approx(np.log(2) * (1 if expected else 2))

    def test_a_file_with_another_kind_of_value(self, tmp_path):
        pl.save(tmp_path / "c.t7", nn.CrossEntropyCriterion())
        record = pl.t7.read(tmp_path / "c.t7")
        record.fields["sizeAverage"] = "yes"
        pl.t7.write(tmp_path / "c.t7", record)
        with pytest.raises(pl.errors.T7Error, match="sizeAverage: expected true or false, got"):
            pl.load(tmp_path / "c.t7")

    @pytest.mark.parametrize("make", [nn.CrossEntropyCriterion, spatial])
    def test_pickles_of_before(self, make):
        """There the value outside counted, and was an attribute."""
        criterion = make()
        state = criterion.__getstate__() | {"sizeAverage": False}
        old = type(criterion).__new__(type(criterion))
        old.__setstate__(state)
        assert old.sizeAverage is old.nll.sizeAverage is False and "sizeAverage" not in vars(old)

    def test_old_files_of_cudnn_divide_the_gradient_alone(self):
        x, t = np.random.default_rng(0).standard_normal((2, 3, 2, 2)), np.zeros((2, 2, 2), np.int64)
        criterion = spatial().double()
        criterion.nll = nn.ClassNLLCriterion(sizeAverage=False).double()
        for other in (criterion, pickle.loads(pickle.dumps(criterion)), criterion.clone(), through_a_file(criterion)):
            assert other.sizeAverage is True and other.nll.sizeAverage is False
            loss, gradient = other.forward(x, t), other.backward(x, t).copy()
            other.sizeAverage = False
            assert other.forward(x, t) == loss and other.nll.sizeAverage is False
            np.testing.assert_allclose(other.backward(x, t), 2 * gradient, rtol=1e-12)
            for again in (pickle.loads(pickle.dumps(other)), other.clone(), through_a_file(other)):
                assert again.sizeAverage is False
                np.testing.assert_allclose((again.forward(x, t), again.backward(x, t))[1], 2 * gradient, rtol=1e-12)


class TestCopiesForSteps:
    X = np.random.default_rng(0).standard_normal((3, 2, 4))
    T = np.array([[0, 1], [2, 3], [1, 1]])

    def change(self, setting, loss):
        if setting == "sizeAverage":
            loss.criterion.nll.sizeAverage = False
        elif setting == "weights":
            loss.criterion.nll.weights = np.array([1.0, 2, 3, 4])
        elif setting == "elements of weights":
            loss.criterion.nll.weights[1] = 5
        elif setting == "ignoreIndex":
            loss.criterion.nll.ignoreIndex = 1
        else:
            loss.criterion = nn.CrossEntropyCriterion(sizeAverage=False).double()

    @pytest.mark.parametrize("way", WAYS, ids=["as it is", "clone", "copy", "pickle", "file"])
    @pytest.mark.parametrize("setting", ["sizeAverage", "weights", "elements of weights", "ignoreIndex", "another"])
    @pytest.mark.parametrize("kind", [rnn.SequencerCriterion, rnn.RepeaterCriterion])
    def test_the_criterion_is_asked_each_time(self, kind, setting, way):
        """A change after the first pass counts in the next one."""
        target = self.T if kind is rnn.SequencerCriterion else self.T[0]

        def make():
            return kind(nn.CrossEntropyCriterion(np.ones(4)).double()).double()

        expected = make()
        self.change(setting, expected)
        loss = make()
        before = loss.forward(self.X, target)
        self.change(setting, loss)
        loss = way(loss)
        assert loss.forward(self.X, target) == expected.forward(self.X, target) != before
        np.testing.assert_array_equal(loss.backward(self.X, target), expected.backward(self.X, target))

    def test_copies_stay_while_nothing_changes(self):
        loss = rnn.SequencerCriterion(nn.CrossEntropyCriterion()).double()
        loss.forward(self.X, self.T)
        first = list(loss.clones)
        loss.backward(self.X, self.T)
        loss.forward(self.X, self.T)
        assert all(one is other for one, other in zip(first, loss.clones, strict=True))


def test_a_fixed_threshold_of_zero():
    """It is a threshold, not the mean deviation: so it is in Lua, where 0 is true."""
    x = np.random.default_rng(0).standard_normal((1, 6, 6))
    fixed, least = (nnx.SpatialNormalization(1, np.ones((3, 3)), threshold).double() for threshold in (0, 1e-300))
    np.testing.assert_array_equal(fixed.forward(x), least.forward(x))
    assert (nnx.SpatialNormalization(1, np.ones((3, 3))).double().forward(x) != fixed.output).any()
