"""Noise contrastive estimation: NCEModule, NCECriterion, and the alias method behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.dpnn import alias
from pytorch_legacy.errors import IndexRangeError, ShapeError, UnsupportedError, ValueRangeError
from tests.trees import assert_close, assert_same, leaves

FREQUENCIES = [1, 2, 3, 1, 1, 2]
LABELS = np.array([0, 4, 4])


def made(batchnoise: bool = True, Z: float = 2) -> Any:
    """One that always draws the same classes."""
    pl.manualSeed(1)
    module = nn.NCEModule(3, 6, 4, FREQUENCIES, Z).double()
    module.batchnoise = batchnoise
    samples = module.noiseSample(None, 1 if batchnoise else 3, 4)
    module.noiseSample = lambda sampleidx, batchsize, k: samples
    return module


def rows() -> np.ndarray:
    return pl.random.uniform(-1, 1, (3, 3), np.float64)


@pytest.mark.parametrize("batchnoise", [True, False])
def test_output(batchnoise: bool) -> None:
    module, input = made(batchnoise), rows()
    target, samples, targetNoise, sampleNoise = module.forward([input, LABELS])
    scores = np.exp(input @ module.weight.T + module.bias) / 2
    assert_close(target, scores[np.arange(3), LABELS], 1e-12)
    drawn = np.broadcast_to(module.noiseSample(None, 3, 4), (3, 4))
    assert_close(samples, np.take_along_axis(scores, drawn, 1), 1e-12)
    noise = np.array(FREQUENCIES) / 10
    assert_close([targetNoise, sampleNoise], [noise[LABELS], noise[drawn]], 1e-12)


@pytest.mark.parametrize("batchnoise", [True, False])
def test_gradients(batchnoise: bool) -> None:
    """Against central differences of the loss that the criterion makes of the output."""
    module, input, criterion = made(batchnoise), rows(), nn.NCECriterion().double()

    def loss() -> float:
        return criterion.forward(module.forward([input, LABELS]))

    loss()
    module.zeroGradParameters()
    gradInput, gradLabels = module.backward([input, LABELS], criterion.backward(module.output))
    assert_same(gradLabels, np.zeros(3))
    for values, gradient in ((input, gradInput), (module.weight, module.gradWeight), (module.bias, module.gradBias)):
        expected = np.empty_like(values)
        for place in np.ndindex(values.shape):
            kept = values[place]
            values[place] = kept + 1e-6
            above = loss()
            values[place] = kept - 1e-6
            expected[place] = (above - loss()) / 2e-6
            values[place] = kept
        assert_close(gradient, expected, 1e-5)
    once = module.gradWeight.copy()
    module.accGradParameters([input, LABELS], criterion.backward(module.forward([input, LABELS])), 0.5)
    assert_close(module.gradWeight, 1.5 * once, 1e-10)


@pytest.mark.parametrize("batchnoise", [True, False])
def test_divisor_of_the_first_batch(batchnoise: bool) -> None:
    module, input = made(batchnoise, -1), rows()
    target, samples, *_ = module.forward([input, LABELS])
    first = float(module.Z[0])
    terms = samples if batchnoise else np.column_stack([target, samples])
    assert_close(terms.mean() * 6, np.array(1.0), 1e-10)
    module.forward([2 * input, LABELS])
    assert module.Z[0] == first > 0


def test_all_classes() -> None:
    module, input = made(), rows()
    module.evaluate()
    module.normalized = True
    scores = np.exp(input @ module.weight.T + module.bias)
    assert_close(module.forward([input, LABELS]), scores / scores.sum(1, keepdims=True), 1e-12)
    module.logsoftmax = True
    assert_close(module.forward([input, LABELS]), np.log(scores / scores.sum(1, keepdims=True)), 1e-12)
    with pytest.raises(UnsupportedError, match=r"no gradient; call training\(\) before forward"):
        module.backward([input, LABELS], [np.ones(3), np.ones((3, 4))])
    module.training()
    assert len(module.forward([input, LABELS])) == 4


def test_start() -> None:
    module = nn.NCEModule(4, 100, 5, np.ones(100))
    assert_close(module.bias, np.full(100, -np.log(100), np.float32), 1e-6)
    assert np.abs(module.weight).max() <= 0.5 and module.batchnoise and module.Z[0] == -1
    module.double()
    assert module.unigrams.dtype == np.float64 and module.weight.dtype == np.float64
    module.float()
    assert module.unigrams.dtype == np.float64 and module.weight.dtype == np.float32


def test_unigrams_are_those_of_the_caller() -> None:
    """An array of floating-point numbers is divided by its sum, as in Torch7; others are copied."""
    for dtype in (np.float32, np.float64):
        noise = np.array(FREQUENCIES, dtype)
        module = nn.NCEModule(3, 6, 4, noise)
        assert module.unigrams is noise and np.array_equal(noise, np.array(FREQUENCIES, dtype) / dtype(10))
    for other in (np.array(FREQUENCIES), FREQUENCIES):
        before = [*other]
        assert_close(nn.NCEModule(3, 6, 4, other).unigrams, noise, 1e-12)
        assert [*other] == before
    noise.flags.writeable = False
    assert nn.NCEModule(3, 6, 4, noise).unigrams is not noise


def test_samples_of_an_author() -> None:
    module = made(batchnoise=False)
    module.noiseSample = lambda sampleidx, batchsize, k: sampleidx.fill(2)  # fills the array and returns nothing
    module.forward([rows(), LABELS])
    assert module.sampleidx.tolist() == [[label, 2, 2, 2, 2] for label in LABELS]
    module.noiseSample = lambda sampleidx, batchsize, k: np.full((batchsize, k), 6)
    with pytest.raises(IndexRangeError, match="noiseSample: expected classes from 0 to 5, got 6"):
        module.forward([rows(), LABELS])


def test_seeds_repeat() -> None:
    module, input = nn.NCEModule(3, 6, 4, FREQUENCIES, 1).double(), rows()
    outputs = []
    for _ in range(2):
        pl.manualSeed(3)
        outputs.append([part.copy() for part in module.forward([input, LABELS])])
    assert_same(*outputs)
    assert all(part.size == 0 for part in leaves(module.clearState().output))
    pl.manualSeed(3)
    assert_same(module.clone().forward([input, LABELS]), outputs[0])


def test_older_files() -> None:
    """Before there was Z, the scores were not divided, and every row had samples of its own."""
    fields = made()._toTorch7()
    for name in ("Z", "batchnoise", "aliasmultinomial"):
        del fields[name]
    old = nn.NCEModule.__new__(nn.NCEModule)
    old._fromTorch7(fields, 1)
    assert [part.shape for part in old.forward([rows(), LABELS])] == [(3,), (3, 4), (3,), (3, 4)]
    assert old.Z[0] == 1 and old.sampleidx.shape == (3, 5)


@pytest.mark.parametrize("weights", [FREQUENCIES, [1.0], [0, 0, 1, 3], [1e-6, 1, 1e3]])
def test_alias_tables(weights: list[float]) -> None:
    """The columns of a table add up to the distribution."""
    probabilities = np.array(weights, np.float64) / np.sum(weights)
    table = alias.table(probabilities)
    others, heights = table.fields["J"], table.fields["q"]
    total = heights.copy()
    np.add.at(total, np.maximum(others - 1, 0), np.where(others > 0, 1 - heights, 0))
    assert_close(total / len(weights), probabilities, 1e-12)


def test_alias_draws() -> None:
    pl.manualSeed(4)
    probabilities = np.array(FREQUENCIES) / 10
    draws = alias.draw(alias.table(probabilities), (200, 100))
    assert draws.shape == (200, 100)
    assert np.abs(np.bincount(draws.ravel(), minlength=6) / draws.size - probabilities).max() < 0.015


def test_criterion_jacobian() -> None:
    pl.manualSeed(5)
    criterion = nn.NCECriterion().double()
    input = [pl.random.uniform(0.2, 2, shape, np.float64) for shape in ((2,), (2, 3), (2,), (2, 3))]
    for sizeAverage in (True, False):
        criterion.sizeAverage = sizeAverage
        criterion.forward(input)
        gradients = [part.copy() for part in criterion.backward(input)]
        for values, gradient in zip(input[:2], gradients[:2], strict=True):
            for place in np.ndindex(values.shape):
                kept = values[place]
                values[place] = kept + 1e-6
                above = criterion.forward(input)
                values[place] = kept - 1e-6
                assert abs((above - criterion.forward(input)) / 2e-6 - gradient[place]) < 1e-5
                values[place] = kept


@pytest.mark.parametrize(
    "input, error, text",
    [
        (
            [np.ones((3, 3)), np.array([0, 1, 6])],
            IndexRangeError,
            r"input\[1\]: expected labels from 0 to 5, got 6",
        ),
        ([np.ones((3, 3)), np.array([0, 1])], ShapeError, r"input\[1\]: expected 3, got 2"),
        ([np.ones((3, 2)), LABELS], ShapeError, r"input\[0\]: expected 3 columns, got 3 x 2"),
        ([np.ones((3, 3))], ShapeError, "input: expected a table of 2"),
    ],
)
def test_errors(input: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        made().forward(input)


def test_constructor_errors() -> None:
    with pytest.raises(ShapeError, match="unigrams: expected 6, got 2"):
        nn.NCEModule(3, 6, 4, [1, 2])
    with pytest.raises(ValueRangeError, match="unigrams: expected numbers of which none is negative"):
        nn.NCEModule(3, 2, 4, [1, -1])
    with pytest.raises(ShapeError, match=r"nn.NCECriterion: input\[3\]: expected 2 x 3, got 2 x 1"):
        nn.NCECriterion().double().forward([np.ones(2), np.ones((2, 3)), np.ones(2), np.ones((2, 1))])
