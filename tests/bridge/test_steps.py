"""Modules within sequencers: recurrent layers within others, tables, statistics of a step, steps without a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


def residual(layer: nn.Module) -> nn.Sequential:
    return nn.Sequential(nn.ConcatTable().add(layer).add(nn.Identity()), nn.CAddTable())


def graph() -> nn.Module:
    x = nn.Identity()()
    gated = nn.CMulTable()([rnn.LSTM(4, 5)(x), nn.Sigmoid()(nn.Linear(4, 5)(x))])
    return nn.gModule([x], [nn.JoinTable(1)([rnn.FastLSTM(5, 3)(gated), gated])])


def cell() -> nn.Module:
    x, h = nn.Identity()(), nn.Identity()()
    return nn.gModule([x, h], [nn.Tanh()(nn.CAddTable()([nn.Linear(4, 3)(x), nn.Linear(3, 3)(h)]))])


def tables() -> nn.Module:
    both = nn.ConcatTable().add(rnn.FastLSTM(4, 3)).add(nn.Linear(4, 2))
    return nn.Sequential(nn.SplitTable(0), rnn.Sequencer(both), rnn.Sequencer(nn.JoinTable(1)))


def several() -> nn.Module:
    return nn.Sequential(
        nn.ConcatTable().add(rnn.Recurrence(cell(), 3, 1)).add(rnn.GRU(4, 2)), nn.JoinTable(1), rnn.FastLSTM(5, 5)
    )


def words(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    return [np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32) for shape in shapes]


FREE = words((4, 2, 4), (6, 3, 4))  # steps and batch
NETWORKS: dict[str, tuple[Callable[[], nn.Module], Any]] = {
    "residual": (
        lambda: rnn.Sequencer(nn.Sequential(residual(rnn.FastLSTM(4, 4)), residual(rnn.GRU(4, 4)), nn.Linear(4, 3))),
        FREE,
    ),
    "graph": (lambda: rnn.Sequencer(graph()), FREE),
    "masked outside": (lambda: rnn.Sequencer(rnn.MaskZero(rnn.GRU(4, 3), 1)), FREE),
    "several kinds": (lambda: rnn.Sequencer(several()), (5, None, 4)),
    "tables of steps": (tables, (5, None, 4)),
    "a table for each step of an array": (
        lambda: rnn.Sequencer(nn.ConcatTable().add(rnn.GRU(4, 3)).add(nn.Tanh())),
        (5, None, 4),
    ),
    "no batch": (lambda: rnn.Sequencer(nn.Sequential(residual(rnn.FastLSTM(4, 4)), nn.Linear(4, 2))), (5, 4)),
    "pictures without a batch": (lambda: rnn.Sequencer(nn.SpatialConvolution(3, 2, 3, 3)), words((4, 3, 5, 6), (2, 3, 5, 6))),
    "statistics of a step": (
        lambda: rnn.Sequencer(nn.Sequential(nn.Linear(4, 4), nn.BatchNormalization(4), nn.ReLU(True))),
        FREE,
    ),
    "statistics within": (lambda: rnn.Sequencer(residual(nn.Sequential(nn.BatchNormalization(4), rnn.GRU(4, 4)))), FREE),
    "rows of a step": (lambda: rnn.Sequencer(residual(nn.Sequential(nn.LayerNormalization(4), rnn.FastLSTM(4, 4)))), FREE),
    "in place": (lambda: nn.Sequential(nn.Linear(4, 4), residual(rnn.Sequencer(nn.AddConstant(2, True)))), words((5, 4), (5, 4))),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str) -> None:
    from pytorch_legacy.bridge.labels import training_differences

    make, example = NETWORKS[name]
    net = make()
    module = pl.to_torch(net, example)
    assert module.proof.whole < 1e-6
    if name != "in place":  # in place, the gradient belongs to the overwritten values
        assert max(training_differences(net, example).values()) < 1e-10
    assert pl.from_torch(module, like=make()) is not net


KEPT: dict[str, Callable[[], nn.Module]] = {
    "within": lambda: rnn.Sequencer(nn.Sequential(residual(rnn.FastLSTM(4, 4)), nn.Linear(4, 4))).remember("both"),
    "Recurrent": lambda: rnn.Sequencer(rnn.Recurrent(3, nn.Linear(4, 3), nn.Linear(3, 3), nn.Tanh(), 9)).remember("both"),
    "Recurrence": lambda: rnn.Sequencer(rnn.Recurrence(cell(), 3, 1)).remember("both"),
    "tables of steps": lambda: nn.Sequential(nn.SplitTable(0), rnn.Sequencer(rnn.GRU(4, 3)).remember("eval"), nn.JoinTable(1)),
}


@pytest.mark.parametrize("name", KEPT)
def test_state(name: str) -> None:
    """A sequence in two parts, each of which gives the state to the next, is what the network makes of it in two calls."""
    net = KEPT[name]().evaluate()
    module = pl.to_torch(net, (3, None, 4))
    net.forget()
    state = None
    for x in words((3, 2, 4), (3, 2, 4)):
        y, state = module(torch.from_numpy(x), state)
        np.testing.assert_allclose(y.detach().numpy(), net.forward(x), rtol=0, atol=1e-6)


@pytest.mark.parametrize("layer", [rnn.FastLSTM(4, 3), rnn.GRU(4, 3), rnn.Recurrence(cell(), 3, 1)], ids=repr)
def test_a_step_alone(layer: nn.Module) -> None:
    """A recurrent layer outside of a sequencer goes on with a step in each call; so does the module, by its state."""
    net = nn.Sequential(nn.Linear(4, 4), layer, nn.Linear(3, 2)).evaluate()
    module, state = pl.to_torch(net, (None, 4)), None
    net.forget()
    for x in words((2, 4), (2, 4), (2, 4)):
        y, state = module(torch.from_numpy(x), state)
        np.testing.assert_allclose(y.detach().numpy(), net.forward(x), rtol=0, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float", "double"])
@pytest.mark.parametrize("isMasked", [False, True])
def test_steps_of_indices(isMasked: bool, dtype: str) -> None:
    """The state before the first step has the type of the network, not that of the indices."""
    words = nn.Sequential(nn.ParallelTable(nn.LookupTable(5, 3), nn.Linear(3, 3)), nn.CAddTable(), nn.Tanh())
    step = rnn.Recurrence(words, 3, 0)
    net = getattr(rnn.Sequencer(rnn.MaskZero(step, 0) if isMasked else step), dtype)().evaluate()
    x = np.array([[1, 0], [2, 3], [4, 4]])
    made = pl.to_torch(net, [x, x])(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(made, net.forget().forward(x), rtol=0, atol=1e-6)
    assert made.dtype == net.dtype


def test_steps_are_folded_once() -> None:
    module = pl.to_torch(KEPT["within"](), FREE)
    assert module.source.count("flatten(0, 1)") == 2 and module.source.count(".unflatten(0, (x.size(0), -1))") == 1


def test_steps_of_several_sizes() -> None:
    steps = [words((n, 4), (n + 1, 4)) for n in (2, 3)]
    assert pl.to_torch(rnn.Sequencer(nn.Linear(4, 3)), steps).proof.whole < 1e-6


def test_any_number_of_tables_is_refused() -> None:
    net = rnn.Sequencer(nn.ConcatTable().add(nn.Tanh()).add(nn.Identity()))
    with pytest.raises(pl.bridge.NoRule, match="give examples with as many steps"):
        pl.to_torch(net, FREE)
