"""Layers that draw and learn from rewards, and the losses that hand rewards out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.dpnn import gamma
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.trees import assert_close, assert_same

REWARD = np.array([1.0, -0.5, 2.0])


def derivative(logDensity: Callable[[np.ndarray], np.ndarray], at: np.ndarray) -> np.ndarray:
    step = 1e-6
    return (logDensity(at + step) - logDensity(at - step)) / (2 * step)


def run(module: Any, input: Any) -> tuple[np.ndarray, Any]:
    module.reinforce(REWARD)
    return module.forward(input), module.backward(input, None)


def positive(*shape: int) -> np.ndarray:
    return pl.random.uniform(0.2, 0.8, shape, np.float64)


def test_bernoulli() -> None:
    pl.manualSeed(1)
    p = positive(3, 4)
    y, gradient = run(nn.ReinforceBernoulli().double(), p)
    assert set(np.unique(y)) <= {0, 1}
    assert_close(gradient, -REWARD[:, None] * derivative(lambda p: y * np.log(p) + (1 - y) * np.log(1 - p), p), 1e-8)


def test_normal() -> None:
    pl.manualSeed(2)
    mean, stdev = positive(3, 2), positive(3, 2)

    def density(m: np.ndarray, s: np.ndarray, y: np.ndarray) -> np.ndarray:
        return -np.log(s) - (y - m) ** 2 / (2 * s**2)

    module = nn.ReinforceNormal().double()
    y, (gradMean, gradStdev) = run(module, [mean, stdev])
    assert_close(gradMean, -REWARD[:, None] * derivative(lambda m: density(m, stdev, y), mean), 1e-6)
    assert_close(gradStdev, -REWARD[:, None] * derivative(lambda s: density(mean, s, y), stdev), 1e-6)
    fixed = nn.ReinforceNormal(np.array([0.5, 2])).double()
    y, gradMean = run(fixed, mean)
    assert_close(gradMean, -REWARD[:, None] * (y - mean) / np.array([0.25, 4]), 1e-10)


def test_gamma() -> None:
    pl.manualSeed(3)
    shape, scale = 4 * positive(3, 2), positive(3, 2)
    module = nn.ReinforceGamma().double()
    y, (gradShape, gradScale) = run(module, [shape, scale])
    expected = gamma.digamma(shape) + np.log(scale) - np.log(y)
    assert_close(gradShape, REWARD[:, None] * expected, 1e-10)
    assert_close(gradScale, -REWARD[:, None] * derivative(lambda s: -shape * np.log(s) - y / s, scale), 1e-6)
    module.evaluate()
    assert_close(module.forward([shape, scale]), shape * scale, 1e-12)


def test_digamma() -> None:
    values = {1.0: -0.5772156649015329, 0.5: -1.9635100260214235, 10.0: 2.251752589066721, 1e-3: -1000.5755719318103}
    assert_close(gamma.digamma(np.array([*values])), np.array([*values.values()]), 1e-11)


@pytest.mark.parametrize("shape", [0.3, 1.0, 4.5])
def test_gamma_draws(shape: float) -> None:
    pl.manualSeed(4)
    draws = gamma.draw(np.full(40000, shape))
    assert (draws > 0).all()
    assert abs(draws.mean() / shape - 1) < 0.03 and abs(draws.var() / shape - 1) < 0.06


def test_categorical() -> None:
    pl.manualSeed(5)
    p = positive(3, 4)
    p[:, 1] = 0
    y, gradient = run(nn.ReinforceCategorical().double(), p)
    assert (y.sum(1) == 1).all() and not y[:, 1].any()
    assert_close(gradient, -REWARD[:, None] * y / (p + 1e-8), 1e-12)
    counts = nn.ReinforceCategorical().double().forward(np.tile([1.0, 0, 3], (4000, 1))).sum(0)
    assert counts[1] == 0 and abs(counts[2] / 4000 - 0.75) < 0.03


@pytest.mark.parametrize("name", ["Bernoulli", "Normal", "Gamma", "Categorical"])
def test_seeds_and_evaluation(name: str) -> None:
    arguments = {"Normal": (0.5,), "Gamma": (1.0,)}.get(name, ())
    module, input = getattr(nn, f"Reinforce{name}")(*arguments).double(), positive(3, 4)
    draws = []
    for _ in range(2):
        pl.manualSeed(6)
        draws.append(module.forward(input).copy())
    assert_same(*draws)
    module.evaluate()
    assert_close(module.forward(input), input, 1e-15)
    module.stochastic = True
    pl.manualSeed(6)
    assert_same(module.forward(input), draws[0])


def test_rewards_reach_every_layer() -> None:
    layers = [nn.ReinforceBernoulli().double(), nn.ReinforceCategorical().double()]
    net = nn.Sequential().add(nn.ConcatTable().add(layers[0]).add(nn.Sequential().add(layers[1]))).add(nn.JoinTable(1))
    net.reinforce(REWARD)
    assert all(layer.reward is REWARD for layer in layers)


def test_one_sample_that_is_no_batch() -> None:
    module = nn.ReinforceNormal(1.0).double()
    module.reinforce(np.array([3.0]))
    output = module.forward(np.zeros(4)).copy()
    assert_close(module.backward(np.zeros(4), None), -3 * output, 1e-12)


def test_base() -> None:
    module = nn.Reinforce().double()
    input = positive(3, 2)
    output, gradInput = run(module, input)
    assert output is input
    assert_same(gradInput, np.repeat(REWARD[:, None], 2, 1))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: nn.ReinforceBernoulli().double().backward(np.ones((2, 2)), None), ValueRangeError, "reward: expected a call"),
        (lambda: run(nn.Reinforce().double(), np.ones((2, 2))), ShapeError, "a number for each sample of 2 x 2, got 3"),
        (lambda: nn.ReinforceNormal().forward(np.ones(2, np.float32)), DtypeError, "a table of mean and standard deviation"),
        (lambda: nn.ReinforceGamma(1.0).forward(np.zeros(2, np.float32)), ValueRangeError, "shapes and scales above 0"),
        (lambda: nn.ReinforceCategorical().forward(np.zeros((1, 2), np.float32)), ValueRangeError, "at least one above 0"),
    ],
)
def test_errors(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


# ---------------------------------------------------------------------------------------------- losses


def test_class_reward() -> None:
    layer = nn.ReinforceNormal(1.0).double()
    criterion = nn.VRClassReward(layer, 2).double()
    prediction = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
    baseline = np.array([[0.5], [0.25], [1.0]])
    assert criterion.forward([prediction, baseline], np.array([1, 1, 1])) == -4 / 3
    gradPrediction, gradBaseline = criterion.backward([prediction, baseline], np.array([1, 1, 1]))
    assert_close(layer.reward, np.array([1.5, -0.25, 1.0]) / 3, 1e-15)
    assert_same(gradPrediction, np.zeros((3, 2)))
    assert_close(gradBaseline, 2 / 3 * (baseline - [[2], [0], [2]]), 1e-15)
    criterion.sizeAverage = False
    assert criterion.forward([prediction, baseline], np.array([1, 1, 1])) == -4


def test_binary_class_reward() -> None:
    layer = nn.ReinforceNormal(1.0).double()
    criterion = nn.BinaryClassReward(layer).double()
    prediction, baseline = np.array([0.1, 0.9, 0.6]), np.array([0.5, 0.5, 0.5])
    assert criterion.forward([prediction, baseline], np.array([0, 1, 0])) == -2 / 3
    criterion.backward([prediction, baseline], np.array([0, 1, 0]))
    assert_close(layer.reward, np.array([0.5, 0.5, -0.5]) / 3, 1e-15)


def test_the_network_keeps_its_type() -> None:
    layer = nn.ReinforceNormal(1.0)
    criterion = nn.VRClassReward(layer).double()
    assert layer._dtype == np.float32 and criterion.module is layer and criterion.criterion._dtype == np.float64


@pytest.mark.parametrize(
    "input, target, error, text",
    [
        ([np.ones((2, 3)), np.ones(3)], [0, 1], ShapeError, r"input\[1\]: expected a number for each of 2 samples, got 3"),
        ([np.ones((2, 3)), np.ones(2)], [0, 1, 2], ShapeError, "target: expected 2, got 3"),
        ([np.ones((2, 3))], [0, 1], ShapeError, "input: expected a table of 2"),
    ],
)
def test_reward_errors(input: Any, target: list[int], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        nn.VRClassReward(nn.Identity()).double().forward(input, np.array(target))


def test_learns_by_reward() -> None:
    """A choice that is rewarded becomes probable."""
    pl.manualSeed(7)
    net = nn.Sequential().add(nn.Linear(1, 3)).add(nn.SoftMax()).add(nn.ReinforceCategorical()).double()
    criterion = nn.VRClassReward(net).double()
    input, baseline, target = np.ones((50, 1)), np.full(50, 0.3), np.full(50, 2)
    for _ in range(60):
        net.zeroGradParameters()
        output = net.forward(input)
        criterion.forward([output, baseline], target)
        net.backward(input, criterion.backward([output, baseline], target)[0])
        net.updateParameters(0.5)
    assert net.get(1).output[0, 2] > 0.8
    with pytest.raises(IndexRangeError):
        net.get(7)
