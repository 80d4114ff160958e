"""Networks in the styles of published ones, whole: equal in evaluation, and in training with all gradients and statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import dpnn, nn, nnx, rnn
from tests.realfiles import realfile

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


def chain(*modules: nn.Module) -> nn.Sequential:
    net = nn.Sequential()
    for module in modules:
        net.add(module)
    return net


def conv(inputs: int, outputs: int, k: int = 3, d: int = 1, pad: int = 1) -> nn.Module:
    return nn.SpatialConvolution(inputs, outputs, k, k, d, d, pad, pad)


def resnet() -> nn.Module:
    def block() -> nn.Module:
        one = chain(conv(8, 8), nn.SpatialBatchNormalization(8), nn.ReLU(True), conv(8, 8), nn.SpatialBatchNormalization(8))
        return chain(nn.ConcatTable().add(one).add(nn.Identity()), nn.CAddTable(True), nn.ReLU(True))

    stem = chain(conv(3, 8), nn.SpatialBatchNormalization(8), nn.ReLU(True), nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1))
    return chain(stem, block(), block(), nn.SpatialAveragePooling(8, 8, 1, 1), nn.View(8).setNumInputDims(3), nn.Linear(8, 5))


def inception() -> nn.Module:
    parts = nn.DepthConcat(1).add(chain(conv(8, 4, 1, 1, 0), nn.ReLU())).add(chain(conv(8, 4, 3, 2, 1), nn.ReLU()))
    parts.add(conv(8, 4, 5, 1, 2)).add(chain(nn.SpatialMaxPooling(3, 3, 2, 2), conv(8, 2, 1, 1, 0)))
    end = nn.SpatialAdaptiveAveragePooling(2, 2), nn.View(-1).setNumInputDims(3), nn.Linear(56, 4), nn.LogSoftMax()
    return chain(conv(3, 8, 3, 2, 1), nn.SpatialCrossMapLRN(4, 0.1), parts, *end)


def unpooling() -> nn.Module:
    pool = nn.SpatialMaxPooling(2, 2, 2, 2)
    branch = chain(pool, conv(3, 3), nn.PReLU(3), nn.SpatialMaxUnpooling(pool))
    both = nn.ConcatTable().add(branch).add(nn.SpatialDilatedConvolution(3, 3, 3, 3, 1, 1, 2, 2, 2, 2))
    return chain(both, nn.CAddTable(), nn.LogSoftMax())


def unet() -> nn.Module:
    down = chain(nn.SpatialMaxPooling(2, 2), conv(4, 8), nn.LeakyReLU(0.1), nn.SpatialUpSamplingNearest(2))
    both = nn.ConcatTable().add(nn.Identity()).add(down)
    return chain(conv(3, 4), both, nn.JoinTable(0, 3), conv(12, 2), nn.SpatialUpSamplingBilinear(2), nn.Sigmoid())


def siamese() -> nn.Module:
    one = chain(nn.Linear(4, 3), nn.Tanh())
    return chain(nn.ParallelTable().add(one).add(one.clone("weight", "bias")), nn.CosineDistance())


def attention() -> nn.Module:
    x = nn.Identity()()
    weights = nn.SoftMax()(nn.View(5).setNumInputDims(2)(nn.Bottle(nn.Linear(6, 1))(x)))
    return nn.gModule([x], [nn.Linear(6, 2)(nn.MV(True)([x, weights]))])


def steps() -> nn.Module:
    inner = chain(rnn.LSTM(4, 5), nn.Linear(5, 3))
    return chain(nn.SplitTable(0, 2), rnn.Sequencer(inner), nn.SelectTable(-1), nn.LogSoftMax())


def both_ways() -> nn.Module:
    return chain(nn.SplitTable(0, 2), rnn.BiSequencer(rnn.GRU(4, 3)), nn.JoinTable(0, 1))


def our_pooling() -> nn.Module:
    pools = nn.SpatialSoftPool(3, 3, 2, 2, 1, 1), nn.SpatialGaussianPooling(2, 2, 2), nn.SpatialMixedPooling(2, 2)
    return chain(*pools, nn.SpatialSimplifiedLIP(2, 2, 2))


NETWORKS: list[tuple[Callable[[], nn.Module], Any]] = [
    (resnet, (None, 3, 16, 16)),
    (inception, (None, 3, 33, 33)),
    (unpooling, (None, 3, 16, 16)),
    (unet, (None, 3, 16, 16)),
    (siamese, ((None, 4), (None, 4))),
    (attention, (None, 5, 6)),
    (steps, (None, 6, 4)),
    (both_ways, (None, 6, 4)),
    (our_pooling, (None, 2, 16, 16)),
]


def draw(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(-1, 1, shape)


def tree() -> nn.Module:
    return nnx.SoftMaxTree(4, {1: np.array([2, 3, 4]), 2: np.array([5, 6]), 4: np.array([7, 8, 9, 10]), 9: np.array([12])})


def resampled() -> nn.Module:
    kinds = [
        ("average", {"owidth": 3, "rheight": 0.4}),
        ("simple", {"rwidth": 2.5, "oheight": 9}),
        ("bilinear", {"rwidth": 2, "rheight": 3}),
    ]
    return chain(*[nnx.SpatialReSamplingEx(mode=mode, yDim=2, xDim=3, **size) for mode, size in kinds])


NETWORKS += [
    (tree, [[draw(n, 4), np.array([12, 3, 5, 8, 4][:n])] for n in (4, 5)]),
    (resampled, (None, 2, 7, 8)),
    (lambda: dpnn.SpatialGlimpse((2, 3), 3, 2), [[draw(n, 2, 14, 15), draw(n, 2)] for n in (2, 3)]),
    (lambda: dpnn.SpatialGlimpse(2, 2, 3), [[draw(n, 2, 8, 9), draw(n, 2)] for n in (2, 3)]),
]


@pytest.mark.parametrize("make, example", [pytest.param(*row, id=row[0].__name__) for row in NETWORKS])
def test_network(make: Callable[[], nn.Module], example: Any) -> None:
    from pytorch_legacy.bridge.labels import training_differences

    net = make()
    assert pl.to_torch(net, example).proof.whole < 1e-6
    assert max(training_differences(net, example).values()) < 1e-10


def test_char_rnn() -> None:
    """A graph of others with states for inputs; in double precision."""
    checkpoint = pl.load(realfile("char-rnn__lstm_epoch2.36_1.7753.t7"))
    size, layers = checkpoint["opt"]["rnn_size"], checkpoint["opt"]["num_layers"]
    examples = [[np.arange(n), *(np.zeros((n, size)) for _ in range(2 * layers))] for n in (2, 3)]
    module = pl.to_torch(checkpoint["protos"]["rnn"], examples)
    assert module.proof.whole < 1e-14
    assert "# i2h_1" in module.source


def test_torch_rnn() -> None:
    """A layer that remembers its state takes and returns the state: a sequence in two parts equals the whole sequence."""
    net = pl.load(realfile("torch-rnn__wired-titles.t7"))["model"]
    module = pl.to_torch(net, [np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)])
    tokens = torch.arange(8)[None]
    whole, _ = module(tokens)
    first, state = module(tokens[:, :5])
    second, _ = module(tokens[:, 5:], state)
    torch.testing.assert_close(torch.cat([first, second], 1), whole)


def test_criterion() -> None:
    """Most criterions need no example."""
    module = pl.to_torch(nn.CrossEntropyCriterion(np.array([1.0, 2.0, 3.0], np.float32)))
    x = torch.randn(7, 3, requires_grad=True)
    module(x, torch.arange(7) % 3).backward()
    assert x.grad is not None and module.proof.whole < 1e-6
    for criterion in (
        nn.MSECriterion(),
        nn.MarginRankingCriterion(),
        nn.CosineEmbeddingCriterion(),
        nn.L1Cost(),
        nn.BCECriterion(),
    ):
        assert pl.to_torch(criterion).proof.whole < 1e-6


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mean", [True, False])
def test_divergence_without_a_warning(mean: bool) -> None:
    criterion = nn.DistKLDivCriterion()
    criterion.sizeAverage = mean
    assert pl.to_torch(criterion).proof.whole < 1e-6
