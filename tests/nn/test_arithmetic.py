"""Layers that compute with NumPy: what the table of cases does not say of them."""

import numpy as np
import pytest

from pytorch_legacy import nn, t7
from pytorch_legacy.errors import ShapeError
from tests.nn.toys import batch, fails


def restored(cls, fields, version=1):
    layer = cls.__new__(cls)
    layer._fromTorch7(fields, version)
    return layer


class TestConstants:
    def test_in_place_layers_give_the_input_back(self):
        """The layer before may need its output for its own backward pass."""
        x, g = batch(3, 4), batch(3, 4, seed=1)
        for layer, factor in ((nn.AddConstant(2.5, True), 1), (nn.MulConstant(-4, True), -4)):
            input, gradOutput = x.copy(), g.copy()
            layer.forward(input)
            assert not np.allclose(input, x)
            gradInput = layer.backward(input, gradOutput)
            np.testing.assert_allclose(input, x, atol=1e-6)
            np.testing.assert_array_equal(gradInput, factor * g)

    def test_in_place_after_a_layer_that_needs_its_output(self):
        x, g = batch(3, 4), batch(3, 4, seed=1)
        results = []
        for inplace in (False, True):
            net = nn.Sequential().add(nn.Tanh()).add(nn.MulConstant(2, inplace)).add(nn.AddConstant(1, inplace))
            net.forward(x)
            results.append(net.backward(x, g.copy()).copy())
        np.testing.assert_allclose(results[0], results[1], rtol=1e-5)

    def test_a_vector_is_converted_with_its_layer(self):
        layer = nn.AddConstant([1, 2]).double()
        assert layer.constant_scalar.dtype == layer.forward(np.zeros((3, 2))).dtype == np.float64

    def test_a_number_keeps_its_double_precision(self):
        assert nn.AddConstant(0.1).double().forward(np.zeros(1))[0] == 0.1

    def test_constant(self):
        layer = nn.Constant(3, 1)
        assert layer.forward(batch(4, 2)).tolist() == [[3]] * 4
        assert layer.forward(batch(2)).tolist() == [3]
        assert layer.forward(np.arange(2)).dtype == np.float32
        assert not layer.backward(batch(4, 2), batch(4, 1)).any()


class TestParametersThatAreRepeated:
    @pytest.mark.parametrize("cls", [nn.CAdd, nn.CMul])
    def test_sizes_may_come_as_a_tuple_a_list_or_an_array(self, cls):
        for sizes in ((2, 3), ([2, 3],), ((2, 3),), (np.array([2, 3]),)):
            assert cls(*sizes).size == (2, 3)

    @pytest.mark.parametrize("cls, name", [(nn.CAdd, "bias"), (nn.CMul, "weight")])
    def test_from_a_file_and_back(self, cls, name):
        size = np.array([2, 3]).view(t7.Storage)
        layer = restored(cls, {"size": size, name: batch(2, 3)})
        assert layer.size == (2, 3)
        fields = layer._toTorch7()
        assert isinstance(fields["size"], t7.Storage) and fields["size"].tolist() == [2, 3]

    @pytest.mark.parametrize("make", [lambda: nn.CAdd(4), lambda: nn.CMul(4), lambda: nn.Add(4)])
    def test_no_gradInput_once_it_is_None(self, make):
        layer, x = make(), batch(3, 4)
        layer.gradInput = None
        layer.forward(x)
        assert layer.backward(x, x) is None
        assert layer.parameters()[1][0].any()

    def test_stdv(self):
        for layer, parameter in ((nn.CMul(50, 50), "weight"), (nn.CAdd(50, 50), "bias"), (nn.Add(2500), "bias")):
            layer.reset(3)
            assert abs(getattr(layer, parameter).std() - 3) < 0.1


class TestExtrema:
    @pytest.mark.parametrize("cls, winner", [(nn.Max, 9), (nn.Min, -9)])
    def test_ties_and_nan(self, cls, winner):
        layer = cls(1)
        x = np.array([[0, winner, winner], [winner, np.nan, 0]], np.float32)
        np.testing.assert_array_equal(layer.forward(x), [winner, np.nan])
        assert layer._indices.tolist() == [[1], [1]]
        assert layer.backward(x, np.array([2, 3], "f")).tolist() == [[0, 2, 0], [0, 3, 0]]
        assert layer.clearState()._indices.size == 0

    def test_old_indices_stay_behind(self):
        layer = restored(nn.Max, {"dimension": 2, "_indices": np.array([[1.0]])})
        assert layer.dimension == 1 and layer.nInputDims is None and layer._indices.size == 0

    @pytest.mark.parametrize("cls, winner", [(nn.CMaxTable, 9), (nn.CMinTable, -9)])
    def test_ties_and_nan_in_tables(self, cls, winner):
        layer = cls()
        x = [np.array(row, "f") for row in ([0, winner, np.nan, 0], [winner, winner, 1, np.nan], [0, 0, 1, winner])]
        np.testing.assert_array_equal(layer.forward(x), [winner, winner, np.nan, np.nan])
        gradients = layer.backward(x, np.array([1, 2, 3, 4], "f"))
        assert [gradient.tolist() for gradient in gradients] == [[0, 2, 3, 0], [1, 0, 0, 4], [0, 0, 0, 0]]


def test_scratch_of_a_file_stays_behind():
    layer = restored(nn.Add, {"bias": batch(3), "_ones": batch(1), "_type": "torch.FloatTensor"})
    assert "_ones" not in layer._ownFields() and layer.type() == "torch.FloatTensor"


def test_long_sums_keep_their_digits():
    x = np.random.default_rng(1).random((2, 1_000_000)).astype("f")
    np.testing.assert_allclose(nn.Sum(1).forward(x), x.sum(1, dtype=np.float64), rtol=5e-7)


def test_sums_from_old_files():
    layer = restored(nn.Sum, {"dimension": 1, "_type": "torch.FloatTensor"})
    assert layer.forward(np.ones((2, 3), "f")).tolist() == [2, 2, 2]


def test_division_by_zero_is_silent():
    x = [np.array([1, 0], "f"), np.zeros(2, "f")]
    layer = nn.CDivTable()
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(layer.forward(x), [np.inf, np.nan])
        layer.backward(x, np.ones(2, "f"))


@pytest.mark.parametrize(
    "layer, x, expected",
    [
        (nn.Power(-1), [0, 2], [np.inf, 0.5]),
        (nn.Power(0.5), [-1, 4], [np.nan, 2]),
        (nn.Power(99), [1e30, 1], [np.inf, 1]),
        (nn.SoftSign(), [np.inf, 1e30], [1, 1]),
        (nn.Mean(0), np.zeros((0, 2)), [np.nan, np.nan]),
        (nn.Sum(1, None, True), np.zeros((3, 0)), [np.nan] * 3),
    ],
)
def test_no_warnings_of_what_is_defined(layer, x, expected):
    x = np.array(x, "f")
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(layer.forward(x), np.array(expected, "f"))
        assert layer.backward(x, np.ones(len(expected), "f")).shape == x.shape


class TestDistances:
    def test_equal_vectors_have_finite_gradients(self):
        x = [batch(2, 3), batch(2, 3)]
        for p in (1, 1.5, 2, 3):
            layer = nn.PairwiseDistance(p)
            assert not layer.forward(x).any()
            assert not np.any(layer.backward(x, np.ones(2, "f")))
        zeros = [np.zeros((2, 3), "f")] * 2
        layer = nn.CosineDistance()
        assert not layer.forward(zeros).any()
        assert not np.any(layer.backward(zeros, np.ones(2, "f")))

    def test_shapes_of_single_vectors(self):
        x = [batch(3), batch(3, seed=1)]
        for layer in (nn.PairwiseDistance(), nn.CosineDistance(), nn.DotProduct()):
            assert layer.forward(x).shape == (1,)
            assert [gradient.shape for gradient in layer.backward(x, np.ones(1, "f"))] == [(3,), (3,)]
        with fails(ShapeError, "nn.DotProduct: gradOutput: expected 1, got 3"):
            nn.DotProduct().backward(x, batch(3))


class TestMixtureTable:
    def test_one_layer_takes_batches_samples_lists_and_arrays_in_any_order(self):
        layer = nn.MixtureTable()
        gates, experts = batch(2, 3), batch(2, 3, 4)
        expected = np.einsum("ni,nij->nj", gates, experts)
        for x, y, slopes in (
            ([gates, experts], expected, experts.sum(2)),
            ([gates[0], experts[0]], expected[0], experts[0].sum(1)),
            ([gates, list(experts.swapaxes(0, 1))], expected, experts.sum(2)),
            ([gates[0], list(experts[0])], expected[0], experts[0].sum(1)),
            ([gates, experts], expected, experts.sum(2)),
        ):
            np.testing.assert_allclose(layer.forward(x), y, rtol=1e-5)
            np.testing.assert_allclose(layer.backward(x, np.ones_like(y))[0], slopes, rtol=1e-4)


def test_MV_runs_backward_after_clearState():
    layer, x = nn.MV(), [batch(2, 3), batch(3)]
    layer.forward(x)
    expected = layer.backward(x, batch(2))[1].copy()
    np.testing.assert_array_equal(layer.clearState().backward(x, batch(2))[1], expected)
