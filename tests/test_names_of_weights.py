"""A network has the same named weights, whatever passes went through it before."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from pytorch_legacy import THNNError, interop, nn, rnn
from tests.case import Case
from tests.table import CASES
from tests.trees import cast, copied, mapped


def learn(net: nn.Module, input: object) -> None:
    net.training()
    output = net.forward(copied(input))
    net.backward(copied(input), mapped(np.ones_like, output))


@pytest.mark.parametrize("part", range(4))
def test_a_pass_adds_no_name(part: int) -> None:
    def changed(case: Case) -> set[str]:
        net = case.make()
        before = {*interop.tensors(net)}
        with contextlib.suppress(THNNError, TypeError):  # some have no way back
            learn(net, cast(case.input(np.random.default_rng(0)), np.float32))
        return before ^ {*interop.tensors(net)}

    layers = [(name, case) for name, case in CASES if case.target is None and not name.startswith("tests.")]
    wrong = {f"{name}-{case.name}": names for name, case in layers[part::4] if (names := changed(case))}
    assert not wrong


def test_tables_and_steps() -> None:
    """Clones for the entries of a table have no names of their own, and what an attention did is no part of it."""
    table = nn.MapTable(nn.Linear(3, 2))
    learn(table, [np.ones((2, 3), np.float32)] * 3)
    assert [*interop.tensors(table)] == ["0.weight", "0.bias"]
    glimpses = nn.Sequential().add(nn.SelectTable(0)).add(nn.Linear(4, 3))
    net = rnn.RecurrentAttention(rnn.Recurrent(3, glimpses, nn.Linear(3, 3)), nn.Linear(3, 2), 2, [3])
    before = [*interop.tensors(net)]
    net.forward(np.ones((2, 4), np.float32))
    assert [*interop.tensors(net)] == before


def test_weights_that_are_computed_stay_behind() -> None:
    net = nn.Sequential().add(nn.WeightNorm(nn.Linear(3, 2)))
    names = interop.tensors(net)
    assert sorted(names) == ["0.0.bias", "0.g", "0.v"]
    other = nn.Sequential().add(nn.WeightNorm(nn.Linear(3, 2)))
    interop.assign(other, names)
    x = np.ones((1, 3), np.float32)
    np.testing.assert_array_equal(other.forward(x), net.forward(x))
    assert "0.0.weight" in interop.tensors(net, everything=True)
