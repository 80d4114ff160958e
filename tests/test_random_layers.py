"""Layers draw what Torch7's drew: initial parameters under seed 7, random layers under seed 11, a training under seed 5."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import manualSeed, nn, random, setdefaulttensortype
from pytorch_legacy.files.classes import find_class
from tests.test_random import PARITY
from tests.trees import assert_close, assert_same

CHAIN = "nn.Sequential():add(nn.SpatialConvolution(1, 4, 3, 3)):add(nn.ReLU()):add(nn.View(-1)):add(nn.Linear(16, 3))"


def chain() -> nn.Sequential:
    first, last = nn.SpatialConvolution(1, 4, 3, 3), nn.Linear(16, 3)
    return nn.Sequential().add(first).add(nn.ReLU()).add(nn.View(-1)).add(last)


INITIAL: dict[str, Callable[[], nn.Module]] = {
    "nn.Linear(5, 4)": lambda: nn.Linear(5, 4),
    "nn.Linear(5, 4, false)": lambda: nn.Linear(5, 4, False),
    "nn.LinearWeightNorm(5, 4)": lambda: nn.LinearWeightNorm(5, 4),
    "nn.SparseLinear(6, 4)": lambda: nn.SparseLinear(6, 4),
    "nn.Bilinear(3, 4, 5)": lambda: nn.Bilinear(3, 4, 5),
    "nn.Euclidean(4, 3)": lambda: nn.Euclidean(4, 3),
    "nn.WeightedEuclidean(4, 3)": lambda: nn.WeightedEuclidean(4, 3),
    "nn.Cosine(4, 3)": lambda: nn.Cosine(4, 3),
    "nn.Add(4)": lambda: nn.Add(4),
    "nn.CAdd(4)": lambda: nn.CAdd(4),
    "nn.CMul(4)": lambda: nn.CMul(4),
    "nn.Mul()": lambda: nn.Mul(),
    "nn.LookupTable(6, 4)": lambda: nn.LookupTable(6, 4),
    "nn.PReLU(3)": lambda: nn.PReLU(3),
    "nn.SpatialConvolution(3, 4, 3, 2)": lambda: nn.SpatialConvolution(3, 4, 3, 2),
    "nn.SpatialConvolutionMM(3, 4, 3, 2)": lambda: nn.SpatialConvolutionMM(3, 4, 3, 2),
    "nn.SpatialFullConvolution(3, 4, 3, 2)": lambda: nn.SpatialFullConvolution(3, 4, 3, 2),
    "nn.SpatialDilatedConvolution(3, 4, 3, 3, 1, 1, 0, 0, 2, 2)": lambda: nn.SpatialDilatedConvolution(
        3, 4, 3, 3, 1, 1, 0, 0, 2, 2
    ),
    "nn.SpatialConvolutionLocal(2, 3, 6, 5, 3, 3)": lambda: nn.SpatialConvolutionLocal(2, 3, 6, 5, 3, 3),
    "nn.SpatialConvolutionMap(nn.tables.full(3, 4), 3, 3)": lambda: nn.SpatialConvolutionMap(nn.tables.full(3, 4), 3, 3),
    "nn.SpatialDepthWiseConvolution(3, 2, 3, 3)": lambda: nn.SpatialDepthWiseConvolution(3, 2, 3, 3),
    "nn.SpatialSubSampling(3, 2, 2, 2, 2)": lambda: nn.SpatialSubSampling(3, 2, 2, 2, 2),
    "nn.TemporalConvolution(5, 4, 3)": lambda: nn.TemporalConvolution(5, 4, 3),
    "nn.TemporalRowConvolution(4, 3)": lambda: nn.TemporalRowConvolution(4, 3),
    "nn.TemporalSubSampling(3, 2, 2)": lambda: nn.TemporalSubSampling(3, 2, 2),
    "nn.VolumetricConvolution(2, 3, 2, 3, 2)": lambda: nn.VolumetricConvolution(2, 3, 2, 3, 2),
    "nn.VolumetricFullConvolution(2, 3, 2, 3, 2)": lambda: nn.VolumetricFullConvolution(2, 3, 2, 3, 2),
    "nn.BatchNormalization(5)": lambda: nn.BatchNormalization(5),
    "nn.SpatialBatchNormalization(5)": lambda: nn.SpatialBatchNormalization(5),
    CHAIN: chain,
}


def existing(calls: dict[str, Any]) -> pytest.MarkDecorator:
    """The calls of which all classes have been written."""
    return pytest.mark.parametrize("lua", [lua for lua in calls if all(map(find_class, re.findall(r"nn\.[A-Z]\w+", lua)))])


def test_every_layer_is_checked() -> None:
    assert set(INITIAL) == set(PARITY["init"])


@existing(INITIAL)
def test_initial_parameters(lua: str) -> None:
    """Same seed, same weights; theirs are double, ours single precision, from the same draws between rounded bounds."""
    manualSeed(7)
    assert_close(INITIAL[lua]().parameters()[0], PARITY["init"][lua], 1e-7)


@existing(INITIAL)
def test_initial_parameters_in_double(lua: str) -> None:
    """With Torch7's own default type they are the same to the last bit, but for sums in another order."""
    setdefaulttensortype("torch.DoubleTensor")
    try:
        manualSeed(7)
        module = INITIAL[lua]()
    finally:
        setdefaulttensortype("torch.FloatTensor")
    assert_close(module.parameters()[0], PARITY["init"][lua], 1e-15)


@existing(INITIAL)
def test_reset(lua: str) -> None:
    """`reset` draws once more what the constructor drew, in the precision that the module has by then."""
    module = INITIAL[lua]().double()
    manualSeed(7)
    module.reset()
    assert_close(module.parameters()[0], PARITY["init"][lua], 1e-15)


ONES = np.ones((5, 7))
CONSUMED: dict[str, tuple[Callable[[], Any], int]] = {
    # Draws of Torch7's constructors, also for modules inside whose parameters are set afterwards. Normal numbers come in pairs.
    "Subtractive": (lambda: nn.SpatialSubtractiveNormalization(3, ONES), 3 * 35 + 1),
    "Subtractive_1d": (lambda: nn.SpatialSubtractiveNormalization(3, np.ones(5)), 3 * 5 + 3 + 3 * 5 + 1),
    "Divisive": (lambda: nn.SpatialDivisiveNormalization(3, ONES), 2 * (3 * 35 + 1)),
    "Divisive_1d": (lambda: nn.SpatialDivisiveNormalization(3, np.ones(5)), 2 * (3 * 5 + 3 + 3 * 5 + 1)),
    "Contrastive": (lambda: nn.SpatialContrastiveNormalization(3, ONES), 3 * (3 * 35 + 1)),
    "Contrastive_default": (nn.SpatialContrastiveNormalization, 3 * (81 + 1)),
    "Maxout": (lambda: nn.Maxout(2, 3, 2), 2 * 6 + 6),
    "LayerNormalization": (lambda: nn.LayerNormalization(4), 4 + 4),
    "PartialLinear": (lambda: nn.PartialLinear(3, 4), 12),
    "WeightNorm": (lambda: nn.WeightNorm(nn.Linear(3, 4)), 16 + 12),
    "LinearWeightNorm": (lambda: nn.LinearWeightNorm(3, 4), 12 + 4),
    "SpatialFullConvolutionMap": (lambda: nn.SpatialFullConvolutionMap(nn.tables.full(2, 3), 2, 2), 6 * 4 + 3),
    "BatchNormalization": (lambda: nn.BatchNormalization(5), 5),
    "Kmeans": (lambda: nn.Kmeans(3, 4), 12),
    "IndexLinear": (lambda: nn.IndexLinear(3, 4), 0),
    "NCEModule": (lambda: nn.NCEModule(3, 5, 2, np.ones(5)), 15),
    "FireModule": (lambda: nn.FireModule(2, 3, 4, 5), 2 * 3 + 3 + 3 * 4 + 4 + 3 * 5 * 9 + 5),
    "SpatialBinaryConvolution": (lambda: nn.SpatialBinaryConvolution(2, 3, 2, 2), 24 + 3),
    "Inception": (
        lambda: nn.Inception(inputSize=2, outputSize=[3, 4], reduceSize=[2, 3, 4, 5], batchNorm=True),
        (2 * 2 + 2 + 2) + (2 * 3 * 25 + 3 + 3) + (2 * 3 + 3 + 3) + (3 * 4 * 9 + 4 + 4) + (2 * 4 + 4 + 4) + (2 * 5 + 5 + 5),
    ),
    "LSTM": (lambda: nn.LSTM(2, 3), 3 * (9 + 9 + 3) + 9 + 9),
    "FastLSTM": (lambda: nn.FastLSTM(2, 3), 2 * 12 + 12 + 3 * 12),
    "GRU": (lambda: nn.GRU(2, 3), 2 * 6 + 6 + 3 * 6 + 9 + 9),
    "GRU_dropout": (lambda: nn.GRU(2, 3, 9, 0.5), 9 + 9 + 9 + 9 + 9 + 9),
    "MuFuRu": (lambda: nn.MuFuRu(2, 3), 9 + 12 + 18 + 6 * 24),
    "Recurrent": (lambda: nn.Recurrent(4, nn.Linear(2, 4), nn.Linear(4, 4)), 12 + 20 + 4),
    "BiSequencer": (lambda: nn.BiSequencer(nn.Linear(2, 3)), 9 + 9),
    "SeqLSTM": (lambda: nn.SeqLSTM(2, 3), 5 * 12),
    "SeqLSTMP": (lambda: nn.SeqLSTMP(2, 3, 4), 6 * 12 + 12),
    "SeqGRU": (lambda: nn.SeqGRU(2, 3), 5 * 9 + 1),
}


@pytest.mark.parametrize("name", CONSUMED)
def test_the_generator_stands_where_it_stood(name: str) -> None:
    make, count = CONSUMED[name]
    manualSeed(7)
    make()
    after = random.random()
    manualSeed(7)
    drawn = [random.random() for _ in range(count + 1)]
    assert after == drawn[-1], drawn.index(after) if after in drawn else "more"


def test_inception_draws_its_columns_in_order() -> None:
    """Each convolution before the one behind it, and the normalization after its convolution."""
    manualSeed(7)
    module = nn.Inception(inputSize=2, outputSize=[3, 4], reduceSize=[2, 3, 4, 5], batchNorm=True)
    manualSeed(7)
    for layer in module.listModules():
        if layer.weight is not None:
            expected = layer.clone()
            expected.reset()
            assert_same(layer.weight, expected.weight)


def test_maps_of_floats() -> None:
    """Biases, and all parameters of a SpatialFullConvolutionMap, were set number by number: their bounds are doubles."""
    for make, count in ((nn.SpatialConvolutionMap, 24), (nn.SpatialFullConvolutionMap, 0)):
        manualSeed(7)
        module = make(nn.tables.full(2, 3), 2, 2)
        manualSeed(7)
        limit = 1 / np.sqrt(8)
        weight = [*random.uniform(-limit, limit, count, np.float32), *(random.uniform(-limit, limit) for _ in range(24 - count))]
        assert_same(module.weight.ravel(), np.array(weight, np.float32))
        assert_same(module.bias, np.array([random.uniform(-limit, limit) for _ in range(3)], np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_old_seed(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of a Euclidean; rows of a SparseLinear, each with its bias. All else is as ever."""
    layers = [nn.Linear(3, 2), nn.WeightedEuclidean(3, 2), nn.Euclidean(3, 2), nn.SparseLinear(3, 2)]
    linear, weighted, euclidean, sparse = (layer.type(dtype) for layer in layers)
    for layer in (linear, weighted):
        manualSeed(7)
        layer.reset()
    expected = linear.weight.copy(), linear.bias.copy(), weighted.weight.copy()
    monkeypatch.setattr(nn, "oldSeed", True)
    for layer in (euclidean, sparse):
        manualSeed(7)
        layer.reset(1 / np.sqrt(3))  # from [-1, 1)
    manualSeed(7)
    drawn = random.uniform(-1, 1, 8, np.float64)
    assert_close(euclidean.weight, drawn[:6].reshape(2, 3).T.astype(dtype), 1e-15)
    assert_close(sparse.weight, drawn[[0, 1, 2, 4, 5, 6]].reshape(2, 3).astype(dtype), 1e-15)
    assert_close(sparse.bias, (drawn[[3, 7]] * 1e-6).astype(dtype), 1e-15)
    for layer in (linear, weighted):
        manualSeed(7)
        layer.reset()
    assert_same([linear.weight, linear.bias, weighted.weight], [*expected])


# A random layer, its input, and where the original's output (and what it kept) is found.
RANDOM: dict[str, tuple[Callable[[], nn.Module], np.ndarray, Any]] = {
    "nn.Dropout(0.3)": (lambda: nn.Dropout(0.3), np.ones(40), PARITY["dropout"]),
    "nn.SpatialDropout()": (lambda: nn.SpatialDropout(), np.ones((2, 6, 2, 2)), PARITY["spatial_dropout"]),
    "nn.WhiteNoise(0, 0.1)": (lambda: nn.WhiteNoise(0, 0.1), np.zeros(10), PARITY["whitenoise"]),
    "nn.RReLU()": (lambda: nn.RReLU(), np.arange(-10.0, 10.0), PARITY["rrelu"]),
    "nn.SpatialFractionalMaxPooling(2, 2, 3, 3)": (
        lambda: nn.SpatialFractionalMaxPooling(2, 2, 3, 3),
        np.arange(1.0, 99.0).reshape(2, 7, 7),
        PARITY["fractional"][0],
    ),
}
KEPT = {"nn.Dropout(0.3)": ("noise", PARITY["dropout_noise"])} | {
    "nn.SpatialFractionalMaxPooling(2, 2, 3, 3)": ("randomSamples", PARITY["fractional"][1])
}


@existing(RANDOM)
def test_random_layers(lua: str) -> None:
    make, input, expected = RANDOM[lua]
    module = make().double()
    manualSeed(11)
    assert_close(module.forward(input), expected, 1e-15)
    if lua in KEPT:
        field, value = KEPT[lua]
        assert_same(getattr(module, field), value)


@pytest.mark.parametrize("module, trailing", [(nn.SpatialDropout(0), 2), (nn.VolumetricDropout(0), 3), (nn.Dropout(0), 0)])
def test_dropouts_of_planes_draw_even_if_none_is_dropped(module: nn.Module, trailing: int) -> None:
    """As Torch7's; its Dropout draws nothing then."""
    manualSeed(3)
    x = np.ones((2, 6) + (1,) * trailing, np.float32)
    assert_same(module.forward(x), x)
    assert_same(module.backward(x, x), x)
    drawn = random.random()
    manualSeed(3)
    if trailing:
        random.bernoulli(1, 12)
    assert random.random() == drawn


def test_spatial_dropout() -> None:
    module = nn.SpatialDropout().double()
    manualSeed(11)
    assert_same(module.forward(np.ones((2, 6, 2, 2))), PARITY["spatial_dropout"])


def test_white_noise() -> None:
    module = nn.WhiteNoise().double()
    manualSeed(11)
    assert_same(module.forward(np.zeros(10)), PARITY["whitenoise"])


def test_training() -> None:
    """Five steps from the seed on: initial parameters, data, labels, masks and gradients, all as Torch7 had them."""
    expected = PARITY["training"]
    net = nn.Sequential().add(nn.Linear(4, 6)).add(nn.Tanh()).add(nn.Dropout(0.2))
    net.add(nn.Linear(6, 3)).add(nn.LogSoftMax()).double()
    criterion = nn.ClassNLLCriterion().double()
    manualSeed(5)
    net.reset()
    x = random.normal(0, 1, (10, 4), np.float64)
    y = np.array([random.random() % 3 for _ in range(10)])
    assert_same(x, expected["x"])
    assert_same(y + 1.0, expected["y"])

    losses = []
    for _ in range(5):
        net.zeroGradParameters()
        losses.append(criterion.forward(net.forward(x), y))
        net.backward(x, criterion.backward(net.output, y))
        net.updateParameters(0.1)
    assert_close(np.array(losses), np.array(expected["losses"]), 1e-12)
    assert_close(net.getParameters()[0], expected["w"], 1e-12)
