"""What sequencers run: recurrent layers within others, tables for each step, statistics of a step, steps without a batch."""

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
    if name != "in place":  # whose gradient is that of what is computed
        assert max(training_differences(net, example).values()) < 1e-10
    assert pl.from_torch(module, like=make()) is not net


def test_state_of_a_layer_within() -> None:
    """A sequence in two parts is the sequence, for a recurrent layer with something beside it too; the text folds steps once."""
    net = rnn.Sequencer(nn.Sequential(residual(rnn.FastLSTM(4, 4)), nn.Linear(4, 4))).remember("both")
    module = pl.to_torch(net, FREE)
    x = torch.randn(7, 2, 4)
    whole, _ = module(x)
    first, state = module(x[:3])
    second, _ = module(x[3:], state)
    torch.testing.assert_close(torch.cat([first, second]), whole)
    assert module.source.count("flatten(0, 1)") == 2 and module.source.count("unflatten(") == 1


def test_any_number_of_tables_is_refused() -> None:
    net = rnn.Sequencer(nn.ConcatTable().add(nn.Tanh()).add(nn.Identity()))
    with pytest.raises(pl.bridge.NoRule, match="give examples with as many steps"):
        pl.to_torch(net, FREE)
