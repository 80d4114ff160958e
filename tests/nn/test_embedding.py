"""Lookup tables and layers of sparse vectors: what the cases of the layers leave open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import backend, nn
from pytorch_legacy.errors import IndexRangeError, NullError, ShapeError, UnsupportedError
from tests.trees import assert_same


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def restored(cls: type, fields: dict[str, Any]) -> Any:
    """The object that a .t7 file with these fields becomes."""
    module = cls.__new__(cls)
    module._fromTorch7(fields, 4)
    return module


class TestLookupTable:
    INDICES = np.array([[3, 0, 3, 1], [2, 3, 2, 0]])

    def gradient(self, layer: nn.LookupTable, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """Returns the gradient of a backward pass, and gradOutput."""
        gradOutput = normal(2, 4, 3, seed=1)
        layer.forward(self.INDICES)
        layer.accGradParameters(self.INDICES, gradOutput, scale)
        return layer.gradWeight, gradOutput

    def test_gradient(self) -> None:
        actual, gradOutput = self.gradient(nn.LookupTable(5, 3).double(), 0.5)
        expected = np.zeros((5, 3))
        np.add.at(expected, self.INDICES, 0.5 * gradOutput)
        np.testing.assert_allclose(actual, expected, atol=1e-15)

    def test_padding(self) -> None:
        actual, gradOutput = self.gradient(nn.LookupTable(5, 3, 3).double())
        expected = np.zeros((5, 3))
        np.add.at(expected, self.INDICES, gradOutput)
        expected[3] = 0
        np.testing.assert_allclose(actual, expected, atol=1e-15)

    def test_frequency(self) -> None:
        actual, gradOutput = self.gradient(nn.LookupTable(5, 3).scaleGradByFreq().double())
        expected = np.zeros((5, 3))
        for index in (0, 1, 2, 3):
            expected[index] = gradOutput[index == self.INDICES].mean(0)
        np.testing.assert_allclose(actual, expected, atol=1e-15)

    @pytest.mark.parametrize("p", [1, 2, 3, 0.5, np.inf])
    def test_renorm(self, p: float) -> None:
        """Rows that are looked up become as short as they must be, all others stay."""
        layer = nn.LookupTable(6, 3, -1, 1.5, p).double()
        layer.weight[...] = normal(6, 3) * np.array([[0.1], [1], [3], [5], [7], [9]])
        before = layer.weight.copy()
        layer.forward(np.array([0, 1, 3, 3, 3, 4]))
        length = np.abs(before).max(1) if p == np.inf else (np.abs(before) ** p).sum(1) ** (1 / p)
        factor = np.where(length > 1.5, 1.5 / (length + 1e-7), 1)
        factor[[2, 5]] = 1
        np.testing.assert_allclose(layer.weight, before * factor[:, None], rtol=1e-14)

    @pytest.mark.parametrize("p", [1, 2, 3.5, np.inf])
    @pytest.mark.parametrize(("dtype", "size"), [(np.float32, 1e30), (np.float64, 1e160), (np.float64, 1e300)])
    def test_renorm_of_powers_out_of_range(self, p: float, dtype: Any, size: float) -> None:
        layer = nn.LookupTable(2, 3, -1, 2.0, p).type(np.dtype(dtype).name)
        direction = np.array([1.0, -2.0, 0.5])
        layer.weight[0] = size * direction
        layer.weight[1] = 0
        layer.forward(np.array([0, 1]))
        length = np.linalg.norm(direction, p)
        expected = direction / length * layer.maxNorm * (size * length / (size * length + 1e-7))
        np.testing.assert_allclose(layer.weight, [expected, [0, 0, 0]], rtol=1e-6 if dtype == np.float32 else 1e-12)

    def test_renorm_of_one_row_in_many_places(self) -> None:
        """A row is shortened once, however often it is looked up: the same bits."""
        once, often = nn.LookupTable(2, 5, -1, 1.0), nn.LookupTable(2, 5, -1, 1.0)
        once.weight[...] = often.weight[...] = 1e3 * normal(2, 5)
        once.forward(np.array([1]))
        often.forward(np.ones((300, 100), int))
        assert_same(often.weight, once.weight)

    def test_threads(self) -> None:
        """The same bits for any number of threads, also where one row gets most of the gradient."""
        indices = np.minimum(np.random.default_rng(2).geometric(0.5, 40_000) - 1, 6)
        gradOutput = normal(40_000, 4).astype("f")
        before, results = backend.get_num_threads(), []
        try:
            for threads in (1, 2, 3):
                backend.set_num_threads(threads)
                layer = nn.LookupTable(7, 4)
                layer.accGradParameters(indices, gradOutput)
                results.append(layer.gradWeight)
        finally:
            backend.set_num_threads(before)
        assert_same(results[1], results[0])
        assert_same(results[2], results[0])

    def test_update_only(self) -> None:
        layer = nn.LookupTable(5, 3).double().accUpdateOnly()
        before, gradOutput = layer.weight.copy(), normal(2, 3)
        layer.forward(np.array([4, 4]))
        assert (layer.backwardUpdate(np.array([4, 4]), gradOutput, 0.5) == 0).all()
        before[4] -= 0.5 * gradOutput.sum(0)
        np.testing.assert_allclose(layer.weight, before, atol=1e-14)
        layer.backward(np.array([4, 4]), gradOutput)  # there is no array for the gradient
        assert layer.gradWeight is None
        with pytest.raises(NullError, match=r"nn\.LookupTable: updateParameters: expected a gradient of each parameter, got 0"):
            layer.updateParameters(0.1)

    def test_nothing_is_written_after_an_error(self) -> None:
        layer = nn.LookupTable(5, 3, -1, 0.1)
        weight, gradWeight = layer.weight.copy(), layer.gradWeight.copy()
        for hostile in (5, -1, 2**63 - 1, -(2**63)):
            with pytest.raises(IndexRangeError):
                layer.forward(np.array([0, hostile]))
            with pytest.raises(IndexRangeError):
                layer.accGradParameters(np.array([0, hostile]), np.ones((2, 3), "f"))
        assert_same([layer.weight, layer.gradWeight], [weight, gradWeight])

    def test_no_rows(self) -> None:
        layer = restored(nn.LookupTable, {"weight": np.zeros((0, 3))})
        assert layer.forward(np.zeros(0, int)).shape == (0, 3)
        for index in (0, -1):
            with pytest.raises(IndexRangeError, match=f"expected no index, since there are no rows, got {index}"):
                layer.forward(np.array([index]))

    @pytest.mark.parametrize("stored, here", [(0, -1), (None, -1), (1, 0), (6, 5)])
    def test_padding_in_files(self, stored: int | None, here: int) -> None:
        layer = restored(nn.LookupTable, nn.LookupTable(6, 2)._toTorch7() | {"paddingValue": stored})
        assert layer.paddingValue == here and layer._toTorch7()["paddingValue"] == (stored or 0)

    def test_old_file(self) -> None:
        """Rows could have several dimensions; fields of later versions are missing."""
        weight = normal(6, 2, 3)
        fields = {"weight": weight, "gradWeight": np.zeros((6, 2, 3)), "size": [6, 2, 3], "batchSize": [1, 6, 2, 3], "inputs": []}
        layer = restored(nn.LookupTable, fields)
        assert_same(layer.forward(np.array([[4], [0]])), weight[[[4], [0]]])
        layer.backward(np.array([[4], [4]]), np.ones((2, 1, 2, 3)))
        assert (layer.gradWeight[4] == 2).all() and layer.gradWeight.sum() == 12
        assert layer.maxNorm is None and layer.normType == 2 and not hasattr(layer, "size")

    def test_settings(self) -> None:
        layer = nn.LookupTable(6, 2).setPadding(2).setMaxNorm(3).setNormType(1)
        assert (layer.paddingValue, layer.maxNorm, layer.normType) == (2, 3, 1)
        assert layer.setNormType(None).normType == 2
        assert nn.LookupTable(6, 2, 1, 3, 1).normType == 1


def entries(*pairs: tuple[float, float]) -> np.ndarray:
    return np.array(pairs, np.float64).reshape(-1, 2)


class TestSparseLinear:
    X = entries((0, 0.5), (3, -1.2), (5, 2))

    def layer(self) -> nn.SparseLinear:
        layer = nn.SparseLinear(6, 3).double()
        layer.zeroGradParameters()
        return layer

    @pytest.mark.parametrize("x", [X, X[None]], ids=["vector", "array"])
    def test_sparse_update(self, x: np.ndarray) -> None:
        """After one input only its columns are looked at, each once; after several, all are."""
        layer, x = self.layer(), np.concatenate([x, x[..., :1, :]], -2)
        gradOutput = normal(*x.shape[:-2], 3)
        before, bias = layer.weight.copy(), layer.bias.copy()
        layer.forward(x)
        layer.backward(x, gradOutput)
        expected = before - 0.1 * layer.gradWeight
        layer.gradWeight[:, 1] = 7
        layer.updateParameters(0.1)
        np.testing.assert_allclose(layer.weight, expected, atol=1e-15)
        np.testing.assert_allclose(layer.bias, bias - 0.1 * layer.gradBias, atol=1e-15)
        layer.zeroGradParameters()
        assert (layer.gradWeight[:, 1] == 7).all() and layer.gradWeight.sum() == 21 and not layer.gradBias.any()
        layer.accGradParameters(x, gradOutput)
        layer.accGradParameters(x, gradOutput)
        before = layer.weight.copy()
        layer.updateParameters(0.1)
        np.testing.assert_allclose(layer.weight, before - 0.1 * layer.gradWeight, atol=1e-15)
        layer.zeroGradParameters()
        assert not layer.gradWeight.any()

    def test_first_update_is_whole(self) -> None:
        layer = nn.SparseLinear(6, 3).double()
        layer.gradWeight.fill(1)
        before = layer.weight.copy()
        layer.accGradParameters(self.X, np.zeros(3))
        layer.updateParameters(1)
        np.testing.assert_allclose(layer.weight, before - 1, atol=1e-15)
        layer.zeroGradParameters()
        assert not layer.gradWeight.any()

    @pytest.mark.parametrize("x", [X, X[None]], ids=["vector", "array"])
    def test_weight_decay(self, x: np.ndarray) -> None:
        plain = self.layer()
        decaying = plain.clone()
        decaying.weightDecay = 0.25
        gradOutput = normal(*x.shape[:-2], 3)
        for layer in (plain, decaying):
            layer.forward(x)
            layer.backward(x, gradOutput, 0.5)
        np.testing.assert_allclose(decaying.gradWeight, plain.gradWeight + 0.25 * plain.weight, atol=1e-15)
        at_once, in_two_steps = decaying.clone(), decaying.clone()
        at_once.backwardUpdate(x, gradOutput, 0.05)
        in_two_steps.zeroGradParameters()
        in_two_steps.backward(x, gradOutput)
        in_two_steps.updateParameters(0.05)
        np.testing.assert_allclose(at_once.weight, in_two_steps.weight, atol=1e-15)
        expected = decaying.weight - 0.1 * decaying.gradWeight
        decaying.updateParameters(0.1)
        np.testing.assert_allclose(decaying.weight, expected, atol=1e-15)

    @pytest.mark.parametrize("place", [-1, 99, np.nan])
    def test_padding(self, place: float) -> None:
        """Entries of value 0 do nothing, whatever their columns."""
        layer, padded = self.layer(), np.concatenate([entries((place, 0)), self.X, entries((place, 0))])
        expected = layer.forward(self.X).copy()
        assert_same(layer.forward(padded), expected)
        assert_same(layer.forward(np.stack([padded, padded]))[1], expected)
        layer.backward(padded, np.ones(3))
        layer.updateParameters(0.1)
        layer.zeroGradParameters()
        assert not layer.gradWeight.any()

    def test_samples_of_any_length(self) -> None:
        layer = self.layer()
        output = layer.forward([self.X, entries(), self.X[:1]])
        np.testing.assert_allclose(output[1], layer.bias)
        np.testing.assert_allclose(output[2], layer.bias + 0.5 * layer.weight[:, 0], atol=1e-15)
        assert layer.backward([self.X, entries(), self.X[:1]], np.zeros((3, 3))) == []

    def test_jacobian(self) -> None:
        layer, x = nn.SparseLinear(6, 3, True).double(), self.X.copy()
        assert nn.SparseJacobian.testJacobian(layer, x) < 1e-6
        assert nn.SparseJacobian.testJacobianParameters(layer, x, layer.weight, layer.gradWeight) < 1e-6
        assert nn.SparseJacobian.testJacobianUpdateParameters(layer, x, layer.weight) < 1e-6

    def test_samples_out_of_range(self) -> None:
        """The C function's own index, which the class always gives right."""
        from pytorch_legacy.backend import call

        layer, output = self.layer(), np.full((2, 3), 7.0)
        for sample in (-1, 2, 0.5, np.inf):
            with pytest.raises(IndexRangeError, match="expected sample 0 to 1 in entry 0"):
                call(layer, "SparseLinear_updateOutput", np.array([[sample, 0, 1.0]]), output, layer.weight, layer.bias)
        assert (output == 7).all()

    def test_files(self) -> None:
        layer = self.layer()
        layer.forward(self.X)
        layer.backward(self.X, np.ones(3))
        fields = layer._toTorch7()
        assert not {"lastInput", "cooInput"} & fields.keys()
        again = restored(nn.SparseLinear, fields)
        assert_same(again.forward(self.X), layer.output)
        again.zeroGradParameters()
        assert not again.gradWeight.any()

    def test_clear(self) -> None:
        layer = self.layer()
        layer.forward(self.X)
        layer.backward(self.X, np.ones(3))
        layer.clearState()
        layer.zeroGradParameters()
        assert not layer.gradWeight.any() and layer.lastInput is None


class TestIndexLinear:
    KEYS, VALUES, SIZES = np.array([1, 5, 2, 5, 0]), np.array([0.5, -1.0, 2.0, 3.0, -0.25]), np.array([2, 0, 3])
    SAMPLE = np.array([0, 0, 2, 2, 2])

    def layer(self, outputSize: int = 2, normalize: bool = False) -> nn.IndexLinear:
        layer = nn.IndexLinear(6, outputSize, normalize=normalize).double()
        layer.weight[...], layer.bias[...] = normal(*layer.weight.shape, seed=3), normal(outputSize, seed=4)
        if normalize:
            layer.weight[:, :4] = np.arange(24).reshape(6, 4) / 12
        return layer

    @property
    def input(self) -> list[np.ndarray]:
        return [self.KEYS, self.VALUES, self.SIZES]

    def test_parameters_start_as_zero(self) -> None:
        layer = nn.IndexLinear(3, 2)
        assert not layer.weight.any() and not layer.bias.any()
        layer = nn.IndexLinear(3, 2, normalize=True)
        layer.reset(0.5)
        assert layer.weight.shape == (3, 6) and not layer.weight[:, :4].any() and layer.weight[:, 4:].all()

    def test_no_vector_of_parameters(self) -> None:
        with pytest.raises(UnsupportedError, match=r"nn\.Sequential: getParameters: not for sparse gradients"):
            nn.Sequential().add(self.layer()).getParameters()

    def test_given_parameters(self) -> None:
        weight, bias = np.ones((5, 3), "f"), np.ones(3, "f")
        layer = nn.IndexLinear(9, 9, weight=weight, bias=bias)
        assert layer.weight is weight and layer.bias is bias and (layer.inputSize, layer.outputSize) == (5, 3)

    def test_the_gradient_of_one_sample_with_a_size_may_be_a_vector(self) -> None:
        layer, other = self.layer(), self.layer()
        gradient = np.array([0.5, -2.0])
        for each, input, wanted in ((layer, [self.KEYS, self.VALUES, 5], gradient), (other, [self.KEYS, self.VALUES], gradient)):
            each.forward(input)
            each.backward(input, wanted)
        np.testing.assert_array_equal(layer.running["gradWeight"][0], other.running["gradWeight"][0])
        with pytest.raises(ShapeError, match="gradOutput: expected 3 x 2, got 2"):
            layer.backward(self.input, gradient)

    def test_normalization(self) -> None:
        """In training the largest values are learned, entry by entry; evaluation goes by them."""
        layer = self.layer(normalize=True)
        table, weight = layer.weight[:, :4].copy(), layer.weight[:, 4:].copy()
        for train in (True, False):
            layer.train = train
            output = layer.forward(self.input)
            values = []
            for key, value in zip(self.KEYS, self.VALUES, strict=True):
                row = table[key]
                if train:
                    if abs(value) > row[0]:
                        row[:2] = abs(value), 1 / abs(value)
                    row[2] = 1
                values.append((np.sign(value) if abs(value) > row[0] else value * row[1]) + row[3])
            np.testing.assert_allclose(layer.normalizedValues, values, rtol=1e-15)
            expected = np.tile(layer.bias, (3, 1))
            np.add.at(expected, self.SAMPLE, np.array(values)[:, None] * weight[self.KEYS])
            np.testing.assert_allclose(output, expected, atol=1e-14)
            np.testing.assert_array_equal(layer.weight, np.concatenate([table, weight], 1))

    def test_evaluation_needs_no_writable_weight(self) -> None:
        layer = self.layer(normalize=True)
        layer.evaluate()
        layer.weight.flags.writeable = False
        assert np.isfinite(layer.forward(self.input)).all()

    @pytest.mark.parametrize("outputSize", [1, 2])
    @pytest.mark.parametrize("normalize", [False, True])
    @pytest.mark.parametrize("weightDecay", [0, 0.125])
    def test_steps(self, outputSize: int, normalize: bool, weightDecay: float) -> None:
        """Several backward passes, then one update; and the update at once. By the formulas, entry by entry."""
        layer = self.layer(outputSize, normalize)
        layer.weightDecay = weightDecay
        layer.forward(self.input)
        v = layer.normalizedValues.copy() if normalize else self.VALUES
        first, second = normal(3, outputSize, seed=5), normal(3, outputSize, seed=6)
        at_once = layer.clone()
        expected = layer.weight.copy()

        def stepped(gradOutput: np.ndarray, rate: float) -> None:
            for key, value, sample in zip(self.KEYS, v, self.SAMPLE, strict=True):
                row, g = expected[key], gradOutput[sample]
                weights = row[4:] if normalize else row
                own = row[2] if normalize else 1
                if normalize:
                    row[3] -= rate * own * (g @ weights)
                weights -= rate * own * value * g + weightDecay * own * weights

        layer.backward(self.input, first, 0.5)
        layer.backward(self.input, second)
        layer.updateParameters(0.1)
        stepped(first, 0.05)
        stepped(second, 0.1)
        np.testing.assert_allclose(layer.weight, expected, atol=1e-14)
        np.testing.assert_allclose(layer.bias, at_once.bias - (0.05 * first + 0.1 * second).sum(0), atol=1e-14)

        expected = at_once.weight.copy()
        bias = at_once.bias - 0.1 * first.sum(0)
        at_once.accUpdateGradParameters(self.input, first, 0.1)
        stepped(first, 0.1)
        if normalize:
            expected[self.KEYS, 2] = 0
        np.testing.assert_allclose(at_once.weight, expected, atol=1e-14)
        np.testing.assert_allclose(at_once.bias, bias, atol=1e-14)

    def test_zero(self) -> None:
        layer = self.layer()
        layer.forward(self.input)
        layer.backward(self.input, np.ones((3, 2)))
        running, gradBias = layer.parameters()[1]
        assert_same(running["keys"], [self.KEYS])
        assert running["gradWeight"][0].shape == (5, 2) and (gradBias == 3).all()
        layer.zeroGradParameters()
        before = layer.weight.copy()
        layer.updateParameters(1)
        assert_same(layer.weight, before)
        assert not layer.gradBias.any()

    def test_nothing_is_written_after_an_error(self) -> None:
        layer = self.layer(normalize=True)
        before = layer.weight.copy()
        for hostile in (6, -1, 2**63 - 1, -(2**63)):
            with pytest.raises(IndexRangeError):
                layer.forward([np.array([0, hostile]), np.full(2, 9.0)])
            with pytest.raises(IndexRangeError):
                layer.accUpdateGradParameters([np.array([0, hostile]), np.full(2, 9.0)], np.ones(2), 1)
        assert_same(layer.weight, before)

    def test_files(self) -> None:
        layer = self.layer(normalize=True)
        layer.offset = 2
        layer.evaluate()
        fields = layer._toRecord().fields
        assert fields["offset"] == 1 and fields["running"]["counter"] == 1
        again = restored(nn.IndexLinear, fields)
        input = [self.KEYS - 2, self.VALUES, self.SIZES]
        assert again.offset == 2
        assert_same(again.forward(input), layer.forward(input))

    def test_gradients_in_files(self, tmp_path: Path) -> None:
        """The file has the gradients of all passes, and no dense one beside them."""
        layer = self.layer(normalize=True)
        layer.forward(self.input)
        layer.backward(self.input, normal(3, 2, seed=5))
        layer.backward(self.input, normal(3, 2, seed=6))
        running = layer._toRecord().fields["running"]
        assert_same(running["keys"], [self.KEYS + 1] * 2)
        assert running["counter"] == 3 and len(running["cumSumSizes"]) == 2
        pl.save(tmp_path / "layer.t7", layer)
        again = pl.load(tmp_path / "layer.t7")
        assert again.gradWeight is None
        for each in (layer, again):
            each.forward(self.input)
            each.backward(self.input, normal(3, 2, seed=7))
            each.updateParameters(0.1)
        assert_same([*again.parameters()], [*layer.parameters()])

    def test_buffers_of_passes_gone_by(self) -> None:
        """Torch7 keeps the arrays of a pass after zeroGradParameters, and has keys of a forward pass alone."""
        fields = self.layer()._toRecord().fields
        rows, keys = [np.ones((1, 2)), np.ones((5, 2))], [np.array([1]), self.KEYS + 1, np.array([2])]
        fields["running"] = {"keys": keys, "gradWeight": rows, "cumSumSizes": [], "counter": 2}
        again = restored(nn.IndexLinear, fields)
        assert_same(again.running, {"keys": [np.array([0])], "gradWeight": rows[:1]})
        fields["running"] = {"keys": {}, "gradWeight": {}, "cumSumSizes": [], "counter": 2}  # after clearState
        assert restored(nn.IndexLinear, fields).running == {"keys": [], "gradWeight": []}
