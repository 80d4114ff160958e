"""Gradients of recurrent layers are the derivatives of their outputs."""

from collections.abc import Callable

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn
from pytorch_legacy.nn import Jacobian


def steps(module: nn.Module) -> nn.Sequential:
    """A module for lists of steps as one for arrays."""
    return nn.Sequential().add(nn.SplitTable(0)).add(module).add(nn.MapTable(nn.Unsqueeze(0))).add(nn.JoinTable(0))


def repeated() -> nn.Module:
    joined = nn.Sequential().add(rnn.Repeater(rnn.GRU(3, 2), 3))
    return joined.add(nn.MapTable(nn.Unsqueeze(0))).add(nn.JoinTable(0))


def adding(inputs: int, outputs: int) -> nn.Module:
    both = nn.ParallelTable().add(nn.Linear(inputs, outputs)).add(nn.Linear(outputs, outputs))
    return nn.Sequential().add(both).add(nn.CAddTable()).add(nn.Tanh())


def masked(module: rnn.SequenceModule.SequenceModule) -> nn.Module:
    return nn.Sequential().add(nn.Padding(0, -1)).add(module.maskZero())  # the first step is a masked one


def batch_first(module: rnn.SequenceModule.SequenceModule) -> nn.Module:
    module.batchfirst = True
    return module


def with_graph(flag: str) -> nn.Module:
    setattr(rnn.FastLSTM, flag, True)
    try:
        return rnn.Sequencer(rnn.FastLSTM(3, 2))
    finally:
        setattr(rnn.FastLSTM, flag, False)


MODULES: dict[str, Callable[[], nn.Module]] = {
    "LSTM": lambda: rnn.Sequencer(rnn.LSTM(3, 2)),
    "LSTM without peepholes": lambda: rnn.Sequencer(rnn.LSTM(3, 2, cell2gate=False)),
    "LSTM masked": lambda: rnn.Sequencer(rnn.LSTM(3, 2).maskZero(1)),
    "FastLSTM": lambda: rnn.Sequencer(rnn.FastLSTM(3, 2)),
    "FastLSTM trimmed": lambda: rnn.Sequencer(rnn.FastLSTM(3, 2).trimZero(1)),
    "FastLSTM graph": lambda: with_graph("usenngraph"),
    "FastLSTM normalized": lambda: with_graph("bn"),
    "GRU": lambda: rnn.Sequencer(rnn.GRU(3, 2)),
    "MuFuRu": lambda: rnn.Sequencer(rnn.MuFuRu(3, 2, ["keep", "replace", "mul", "diff", "forget", "max", "min"])),
    "Recurrent": lambda: rnn.Sequencer(rnn.Recurrent(2, nn.Linear(3, 2), nn.Linear(2, 2))),
    "Recurrence": lambda: rnn.Sequencer(rnn.Recurrence(adding(3, 2), 2, 1)),
    "Recursor": lambda: rnn.Sequencer(rnn.Recursor(nn.Sequential().add(rnn.LSTM(3, 2)).add(nn.Tanh()).add(rnn.GRU(2, 2)))),
    "two sequencers": lambda: nn.Sequential().add(rnn.Sequencer(rnn.GRU(3, 2))).add(rnn.Sequencer(nn.Linear(2, 2))),
    "Repeater": repeated,
    "BiSequencer": lambda: steps(rnn.BiSequencer(rnn.GRU(3, 2))),
    "BiSequencerLM": lambda: steps(rnn.BiSequencerLM(rnn.GRU(3, 2), rnn.LSTM(3, 1))),
    "SeqLSTM": lambda: rnn.SeqLSTM(3, 2),
    "SeqLSTM masked": lambda: masked(rnn.SeqLSTM(3, 2)),
    "SeqLSTM batch first": lambda: batch_first(rnn.SeqLSTM(3, 2)),
    "SeqLSTMP": lambda: rnn.SeqLSTMP(3, 4, 2),
    "SeqLSTMP masked": lambda: masked(rnn.SeqLSTMP(3, 4, 2)),
    "SeqGRU": lambda: rnn.SeqGRU(3, 2),
    "SeqGRU masked": lambda: masked(rnn.SeqGRU(3, 2)),
    "SeqGRU batch first": lambda: batch_first(rnn.SeqGRU(3, 2)),
    "SeqBRNN": lambda: rnn.SeqBRNN(3, 2),
    "SeqReverseSequence": lambda: rnn.SeqReverseSequence(1),
    "SAdd": lambda: rnn.SAdd(2, True),
    "LinearNoBias": lambda: rnn.Sequencer(rnn.LinearNoBias(3, 2)),
}


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> nn.Module:
    pl.manualSeed(1)
    return MODULES[request.param]().double()


def sample(module: nn.Module) -> np.ndarray:
    return np.empty((2, 3) if isinstance(module.modules[0] if module.listModules()[1:] else None, rnn.Repeater) else (3, 2, 3))


def test_input(module: nn.Module) -> None:
    assert Jacobian.testJacobian(module, sample(module)) < 1e-7


def test_parameters(module: nn.Module) -> None:
    """All of them in one vector: a pass backward for an element of the output gives the derivatives by each."""
    if module.parameters():
        assert Jacobian.testJacobianParameters(module, sample(module), *module.getParameters(), -1, 1) < 1e-7


@pytest.mark.parametrize("layer, states", [(rnn.SeqLSTM(3, 2), 2), (rnn.SeqLSTMP(3, 2, 2), 2), (rnn.SeqGRU(3, 2), 1)])
def test_states_that_come_with_the_input(layer: nn.Module, states: int) -> None:
    rng = np.random.default_rng(2)
    layer.double()
    input = [*rng.standard_normal((states, 4, 2)), rng.standard_normal((5, 4, 3))]
    gradOutput = rng.standard_normal((5, 4, 2))
    layer.forward(input)
    gradients = [gradient.copy() for gradient in layer.backward(input, gradOutput)]
    for array, gradient in zip(input, gradients, strict=True):
        direction = rng.standard_normal(array.shape)
        array += 1e-6 * direction
        above = (layer.forward(input) * gradOutput).sum()
        array -= 2e-6 * direction
        below = (layer.forward(input) * gradOutput).sum()
        array += 1e-6 * direction
        np.testing.assert_allclose((above - below) / 2e-6, (gradient * direction).sum(), rtol=1e-7, atol=1e-8)


def test_norm_stabilizer_adds_the_gradient_of_its_loss() -> None:
    rng = np.random.default_rng(3)
    layer = rnn.NormStabilizer(0.5).double()
    module = rnn.Sequencer(layer).double()
    x = rng.standard_normal((4, 3, 2))

    def loss() -> float:
        module.forward(x)
        return layer.updateLoss()

    loss()
    gradInput = module.backward(x, np.zeros_like(x)).copy()
    for place in np.ndindex(x.shape):
        kept = x[place]
        x[place] = kept + 1e-6
        above = loss()
        x[place] = kept - 1e-6
        below = loss()
        x[place] = kept
        np.testing.assert_allclose((above - below) / 2e-6, gradInput[place], atol=1e-8)


def test_attention_learns_from_the_gradients_of_actions() -> None:
    """A network that does not use its actions learns, though it gives them no gradient."""
    rng = np.random.default_rng(4)
    pl.manualSeed(2)
    looking = nn.Sequential().add(nn.SelectTable(0)).add(rnn.GRU(3, 2))
    module = rnn.RecurrentAttention(looking, nn.Linear(2, 1), 3, [2]).double()
    module.forwardActions = True
    x = rng.standard_normal((4, 3))
    gradOutput = [[rng.standard_normal((4, 2)), rng.standard_normal((4, 1))] for _ in range(3)]

    def value() -> float:
        pairs = zip(module.forward(x), gradOutput, strict=True)
        return float(sum((a * b).sum() for output, gradient in pairs for a, b in zip(output, gradient, strict=True)))

    value()
    module.zeroGradParameters()
    gradInput = module.backward(x, gradOutput).copy()
    parameters, gradients = module.parameters()
    for array, gradient in zip([x, *parameters], [gradInput, *gradients], strict=True):
        direction = rng.standard_normal(array.shape)
        array += 1e-6 * direction
        above = value()
        array -= 2e-6 * direction
        below = value()
        array += 1e-6 * direction
        np.testing.assert_allclose((above - below) / 2e-6, (gradient * direction).sum(), rtol=1e-6, atol=1e-8)


def test_expand_as() -> None:
    layer = rnn.ExpandAs().double()
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 1, 4))
    first, second = layer.forward([a, b])
    assert first is a
    np.testing.assert_array_equal(second, np.repeat(b, 3, 1))
    gradients = [rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 3, 4))]
    ga, gb = layer.backward([a, b], gradients)
    assert ga is gradients[0]
    np.testing.assert_allclose(gb, gradients[1].sum(1, keepdims=True))
