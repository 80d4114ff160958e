"""The family of Linear: what the table of cases does not say of it."""

from io import BytesIO

import numpy as np
import pytest

from pytorch_legacy import manualSeed, nn, random, t7
from pytorch_legacy.errors import ShapeError
from tests.nn.test_arithmetic import restored
from tests.nn.toys import batch, fails


class TestLinearWeightNorm:
    def test_from_Linear_and_back(self):
        x = batch(3, 5)
        for bias in (True, False):
            linear = nn.Linear(5, 4, bias)
            layer = nn.LinearWeightNorm.fromLinear(linear)
            np.testing.assert_allclose(layer.forward(x), linear.forward(x), rtol=1e-5, atol=1e-6)
            again = layer.toLinear()
            assert type(again) is nn.Linear and not np.shares_memory(again.weight, layer.weight)
            np.testing.assert_allclose(again.forward(x), linear.forward(x), rtol=1e-5, atol=1e-6)
        assert nn.LinearWeightNorm.fromLinear(nn.Linear(2, 2).double()).toLinear().type() == "torch.DoubleTensor"

    def test_parameters(self):
        layer = nn.LinearWeightNorm(5, 4)
        assert [p.shape for p in layer.parameters()[0]] == [(4, 5), (4, 1), (4,)]
        assert [p.shape for p in layer.noBias().parameters()[1]] == [(4, 5), (4, 1)]
        assert repr(layer) == repr(layer.clearState()) == "nn.LinearWeightNorm(5 -> 4) without bias"
        flat, _ = layer.getParameters()
        x = batch(2, 5)
        before = layer.forward(x).copy()
        flat *= 2  # direction and length
        np.testing.assert_allclose(layer.forward(x), 2 * before, rtol=1e-5)

    def test_new_values_come_into_the_same_arrays(self):
        layer, x = nn.LinearWeightNorm(5, 4), batch(2, 5)
        flat, _ = layer.getParameters()
        layer.reset()
        assert np.shares_memory(layer.v, flat) and np.shares_memory(layer.g, flat)
        layer.v *= 3
        before, lengths = layer.forward(x).copy(), layer.g.copy()
        layer.initFromWeight()
        np.testing.assert_allclose(layer.forward(x), before, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(layer.g, lengths, rtol=1e-5)
        np.testing.assert_allclose(layer.v, layer.weight, rtol=1e-5)

    def test_a_row_of_zeros_stays_zero(self):
        layer = nn.LinearWeightNorm(3, 2)
        layer.initFromWeight(np.zeros((2, 3), "f"))
        layer.bias.fill(0)
        x = batch(4, 3)
        assert not layer.forward(x).any()
        layer.backward(x, batch(4, 2))
        assert np.isfinite(layer.gradV).all()

    def test_shared_parameters_move_after_all_gradients_are_known(self):
        x, g = batch(3, 4), batch(3, 4, seed=1)
        results = []
        for shared in (False, True):
            random.manualSeed(3)
            layer = nn.LinearWeightNorm(4, 4)
            layer.shared = shared
            layer.forward(x)
            layer.accUpdateGradParameters(x, g, 0.1)
            results.append([p.copy() for p in layer.parameters()[0]])
        for one, other in zip(*results, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)

    def test_files(self):
        fields = {"v": batch(2, 3), "g": batch(2, 1), "inputSize": 3, "outputSize": 2, "weight": np.empty(0, "f")}
        layer = restored(nn.LinearWeightNorm, fields)
        assert layer.forward(batch(4, 3)).shape == (4, 2)
        assert layer.gradV.shape == (2, 3) and layer.gradG.shape == (2, 1) and layer.eps == 1e-16
        assert {"inputSize": 3, "outputSize": 2}.items() <= layer._toRecord().fields.items()


class TestPartialLinear:
    def test_starts_as_the_layers_that_Torch7_makes_it_of(self):
        manualSeed(3)
        layer = nn.PartialLinear(4, 6)
        after = random.random()
        manualSeed(3)
        np.testing.assert_array_equal(layer.weight, nn.LookupTable(6, 4).weight)
        assert random.random() == after and not layer.bias.any()
        weight = layer.weight.copy()
        layer.reset(0.1)
        np.testing.assert_array_equal(layer.weight, weight)

    @pytest.mark.parametrize("indices", [[4.0, 1.0], np.array([4, 1], "f"), np.array([4, 1], np.uint8)])
    def test_indices_of_all_types(self, indices):
        layer = nn.PartialLinear(4, 6)
        layer.setPartition(indices)
        assert layer.partition.tolist() == [4, 1] and layer.forward(batch(3, 4)).shape == (3, 2)

    def test_a_part_is_a_part_of_the_whole(self):
        layer, x = nn.PartialLinear(4, 6), batch(3, 4)
        whole = layer.forward(x).copy()
        layer.setPartition([4, 1])
        np.testing.assert_allclose(layer.forward(x), whole[:, [4, 1]], rtol=1e-5)
        layer.backward(x, np.ones((3, 2), "f"))
        assert layer.gradBias.tolist() == [[0, 3, 0, 0, 3, 0]]
        assert np.flatnonzero(layer.gradWeight.any(1)).tolist() == [1, 4]
        layer.resetPartition()
        np.testing.assert_array_equal(layer.forward(x), whole)

    def test_without_bias(self):
        layer, x = nn.PartialLinear(4, 6, False), batch(3, 4)
        layer.forward(x)
        layer.zeroGradParameters()
        layer.backward(x, batch(3, 6))
        layer.updateParameters(0.1)
        assert repr(layer) == "nn.PartialLinear(4 -> 6) without bias"

    def test_to_Torch7_and_back(self):
        layer, x = nn.PartialLinear(4, 6), batch(3, 4)
        layer.setPartition([4, 1])

        class Factory:
            """The parts of the layer, as plain objects with its fields."""

            def create(self, typename, version):
                return nn.Unknown(typename)

            def fill(self, instance, record, path):
                instance._fromTorch7(record.fields, record.version)

        fields = layer._toRecord().fields
        file = BytesIO()
        t7.write(file, fields)
        again = restored(nn.PartialLinear, t7.read(file.getvalue(), objectFactory=Factory()))
        np.testing.assert_array_equal(again.forward(x), layer.forward(x))
        assert again.partition.tolist() == [4, 1] and fields["partition"].tolist() == [5, 2]
        assert (fields["inputsize"], fields["outputsize"]) == (4, 6)
        assert fields["allcolumns"].tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("make", [lambda: nn.Euclidean(4, 3), lambda: nn.WeightedEuclidean(4, 3), lambda: nn.Cosine(4, 3)])
def test_equal_and_zero_vectors_have_finite_gradients(make):
    layer = make()
    x = np.zeros((2, 4), "f")
    if layer.weight.shape == (4, 3):
        x[0] = layer.weight[:, 0]
    layer.forward(x)
    assert np.isfinite(layer.backward(x, np.ones((2, 3), "f"))).all()
    assert all(np.isfinite(gradient).all() for gradient in layer.parameters()[1])


@pytest.mark.parametrize(
    "make, x",
    [
        (lambda: nn.Euclidean(4, 3), batch(2, 4)),
        (lambda: nn.WeightedEuclidean(4, 3), batch(2, 4)),
        (lambda: nn.Cosine(4, 3), batch(2, 4)),
        (lambda: nn.PartialLinear(4, 3), batch(2, 4)),
        (lambda: nn.Bilinear(4, 4, 3), [batch(2, 4), batch(2, 4)]),
    ],
)
def test_no_gradInput_once_it_is_None(make, x):
    layer = make()
    layer.gradInput = None
    layer.forward(x)
    assert layer.backward(x, batch(2, 3)) is None
    assert all(gradient.any() for gradient in layer.parameters()[1])


@pytest.mark.parametrize("make", [lambda: nn.Euclidean(40, 50), lambda: nn.WeightedEuclidean(40, 50), lambda: nn.Cosine(40, 50)])
def test_stdv(make):
    layer = make()
    layer.reset(3)
    assert abs(layer.weight.std() - 3) < 0.1


def test_WeightedEuclidean_moves_both_parameters_at_once():
    x, g = batch(3, 4), batch(3, 2, seed=1)
    layer = nn.WeightedEuclidean(4, 2)
    layer.forward(x)
    layer.backward(x, g)
    expected = [p - 0.1 * d for p, d in zip(*layer.parameters(), strict=True)]
    kept = [gradient.copy() for gradient in layer.parameters()[1]]
    layer.accUpdateGradParameters(x, g, 0.1)
    for parameter, wanted in zip(layer.parameters()[0], expected, strict=True):
        np.testing.assert_allclose(parameter, wanted, rtol=1e-5, atol=1e-6)
    for gradient, before in zip(layer.parameters()[1], kept, strict=True):
        np.testing.assert_array_equal(gradient, before)


def test_old_files_of_WeightedEuclidean():
    layer = restored(nn.WeightedEuclidean, {"weight": batch(2, 3), "diagCov": batch(2, 3)})
    x = batch(4, 2)
    layer.backward(x, layer.forward(x))
    assert layer.gradDiagCov.any() and layer.gradWeight.any()


class TestKmeans:
    CORNERS = np.array([[0, 0], [10, 0], [0, 10]], "f")

    def points(self):
        rng = np.random.default_rng(1)
        return (np.repeat(self.CORNERS, 20, 0) + rng.normal(0, 0.5, (60, 2))).astype("f")

    def test_a_step_takes_centres_to_the_means(self):
        layer, x = nn.Kmeans(3, 2), self.points()
        layer.weight[...] = self.CORNERS
        output = layer.forward(x)
        assert output.tolist() == np.repeat([0, 1, 2], 20).tolist()
        assert layer.loss == pytest.approx(((x - np.repeat(self.CORNERS, 20, 0)) ** 2).sum(), rel=1e-5)
        layer.zeroGradParameters()
        assert not layer.backward(x, None).any()
        assert layer.clusterSampleCount.tolist() == [20, 20, 20]
        layer.updateParameters(1)
        np.testing.assert_allclose(layer.weight, x.reshape(3, 20, 2).mean(1), atol=1e-5)

    def test_scale(self):
        x = self.points()
        steps = []
        for scale in (None, 0.25):
            layer = nn.Kmeans(3, 2, scale)
            layer.weight[...] = self.CORNERS
            layer.forward(x)
            layer.backward(x, None, 0.5)
            steps.append(layer.gradWeight.copy())
        np.testing.assert_allclose(steps[0], 2 * steps[1], rtol=1e-5)

    def test_a_centre_without_samples_stays(self):
        layer, x = nn.Kmeans(2, 2), np.zeros((3, 2), "f")
        layer.weight[...] = [[0, 1], [9, 9]]
        layer.forward(x)
        layer.backward(x, None)
        assert layer.gradWeight[1].tolist() == [0, 0] and layer.clusterSampleCount.tolist() == [3, 0]

    def test_initial_centres(self):
        random.manualSeed(2)
        layer, x = nn.Kmeans(3, 2), self.points()
        rows = {tuple(row) for row in x.tolist()}
        layer.initRandom(x)
        assert all(tuple(row) in rows for row in layer.weight.tolist())
        for _ in range(5):
            layer.initKmeansPlus(x)
            assert all(tuple(row) in rows for row in layer.weight.tolist())
            assert sorted(np.argmin(((layer.weight[:, None] - self.CORNERS) ** 2).sum(2), 1)) == [0, 1, 2]

    def test_errors(self):
        with fails(ShapeError, "nn.Kmeans: gradOutput: expected 5, got 4"):
            nn.Kmeans(3, 2).backward(batch(5, 2), batch(4))


def test_Bilinear_prints_as_Torch7_did():
    assert repr(nn.Bilinear(2, 3, 4)) == "nn.Bilinear(2x3 -> 4) "
    assert repr(nn.Bilinear(2, 3, 4, False)) == "nn.Bilinear(2x3 -> 4)  without bias"


class TestNoise:
    def test_planes_and_volumes(self):
        random.manualSeed(1)
        for layer, x in (
            (nn.SpatialDropout(0.4), np.ones((50, 40, 2, 3), "f")),
            (nn.VolumetricDropout(0.4), np.ones((50, 40, 1, 2, 3), "f")),
        ):
            output = layer.forward(x)
            planes = output.reshape(2000, 6)
            assert (planes == planes[:, :1]).all() and abs(planes.mean() - 0.6) < 0.05
            np.testing.assert_array_equal(layer.backward(x, x), output)
            layer.evaluate()
            np.testing.assert_allclose(layer.forward(x), 0.6 * x, rtol=1e-6)
            np.testing.assert_allclose(layer.backward(x, x), 0.6 * x, rtol=1e-6)
        assert repr(nn.SpatialDropout()) == "nn.SpatialDropout(0.500000)"

    def test_backward_before_forward(self):
        x = batch(2, 3, 4, 5)
        with fails(ShapeError, "nn.SpatialDropout: noise of the last forward: expected 2 x 3 x 1 x 1, got 0"):
            nn.SpatialDropout().backward(x, x)
        with fails(ShapeError, "nn.Dropout: noise of the last forward: expected 2 x 3 x 4 x 5, got 0"):
            nn.Dropout().backward(x, x)

    def test_white_noise(self):
        random.manualSeed(1)
        layer, x = nn.WhiteNoise(2, 0.5), np.zeros((50, 50), "f")
        noise = layer.forward(x)
        assert abs(noise.mean() - 2) < 0.05 and abs(noise.std() - 0.5) < 0.05
        layer.evaluate()
        assert (layer.forward(x) == 2).all()
        np.testing.assert_array_equal(layer.backward(x, x + 3), x + 3)
        assert layer.clearState().noise.size == 0
        assert repr(layer) == "nn.WhiteNoise mean: 2.000000, std: 0.500000"
