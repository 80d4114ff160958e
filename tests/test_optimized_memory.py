"""Layers of an optimized network write their outputs into memory that they take in turn."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.walks import every
from tests.test_optimizing import planes, steps

X = np.random.default_rng(3).standard_normal((2, 3, 7, 7)).astype(np.float32)


def told(net: Module, input: Any = X) -> str:
    """What is said of a network's memory, after all that is asked of an optimized network."""
    return next((line for line in steps(net.float(), input) if "share" in line), "")


def branches(*nets: Module) -> nn.Sequential:
    return nn.Sequential(nn.Tanh(), nn.ConcatTable(*nets), nn.CAddTable())


def graph() -> Module:
    """The first node's output is read by the last one."""
    first = nn.Tanh()()
    second = nn.Sigmoid()(first)
    third = nn.Square()(second)
    fourth = nn.SoftPlus()(third)
    return nn.gModule([first], [nn.Abs()(nn.JoinTable(0)([fourth, first]))])


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: nn.Sequential(nn.Tanh()), ""),
        (lambda: nn.Sequential(nn.Tanh(), nn.Sigmoid(), nn.Square()), ""),  # one of each, and the last has its own
        (lambda: nn.Sequential(*(nn.Tanh() for _ in range(4))), "2 outputs share 1 memory"),
        (lambda: nn.Sequential(*(nn.Tanh() for _ in range(6))), "5 outputs share 2 memories"),
        (lambda: nn.Sequential(*(planes() for _ in range(6))), "5 outputs share 2 memories"),
        (lambda: branches(nn.Identity(), nn.Sequential(*(nn.Tanh() for _ in range(5)))), "5 outputs share 2 memories"),
        (lambda: nn.Sequential(*(nn.Concat(1, nn.Tanh(), nn.Sigmoid()) for _ in range(3))), "8 outputs share 3 memories"),
        (graph, "4 outputs share 2 memories"),
    ],
)  # fmt: skip
def test_which_share(make: Callable[[], Module], line: str) -> None:
    assert told(make()) == line


def test_what_is_still_read_is_not_written_over() -> None:
    """Branches of several lengths, nested, whose outputs and whose input are needed at the end."""
    long = nn.Sequential(*(nn.Tanh() for _ in range(5)))
    nested = branches(long.clone(), branches(nn.Sigmoid(), long.clone()), nn.Identity())
    assert told(nn.Sequential(nested, long.clone(), nested.clone()))


def test_modules_in_several_places_keep_their_memory() -> None:
    one = nn.Tanh().float()
    net = nn.Sequential(one, nn.Sigmoid(), nn.Square(), one, nn.Sigmoid(), nn.Square(), one, nn.Square()).float()
    assert told(net) == "4 outputs share 2 memories"
    lent = ["memory" in layer.__dict__.get("_bindings", {}) for layer in pl.optimize(net).modules]
    assert lent == [False, True, True, False, True, True, False, False]


def chain() -> Module:
    return nn.Sequential(*(nn.SpatialConvolution(3, 3, 3, 3, 1, 1, 1, 1) for _ in range(6))).float().evaluate()


def test_other_sizes() -> None:
    """Memory grows, and serves smaller arrays, too."""
    net = chain()
    optimized = pl.optimize(net)
    for batch, size in ((1, 5), (3, 9), (2, 6), (1, 40), (3, 9)):
        x = np.random.default_rng(size).standard_normal((batch, 3, size, size)).astype(np.float32)
        np.testing.assert_allclose(optimized.forward(x), net.forward(x), rtol=1e-5, atol=1e-6)


def test_the_output_may_be_the_next_input() -> None:
    net = chain()
    optimized, x, y = pl.optimize(net), X, X
    for _ in range(4):
        x, y = optimized.forward(x), net.clone().forward(y)
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("copy", ["clone", "pickle", "file", "type"])
def test_copies_have_memory_of_their_own(copy: str, tmp_path: Any) -> None:
    net = pl.optimize(chain())
    expected = net.forward(X).copy()
    other = net
    if copy == "clone":
        other = net.clone()
    elif copy == "pickle":
        other = pickle.loads(pickle.dumps(net))
    elif copy == "file":
        pl.save(tmp_path / "net.t7", net)
        other = pl.load(tmp_path / "net.t7")
    else:
        net.double().float()
    np.testing.assert_allclose(other.forward(X), expected, rtol=1e-5, atol=1e-6)
    outputs = [module.output for module, container in every(other) if container is not module]
    assert not any(np.shares_memory(one, later) for i, one in enumerate(outputs) for later in outputs[i + 1 :])
    if other is not net:
        other.forward(X + 1)
        np.testing.assert_array_equal(net.output, expected)


def test_they_take_less() -> None:
    """Thirty layers of one size have two memories, and the output its own."""
    x = np.ones((1, 8, 64, 64), np.float32)
    net = pl.optimize(nn.Sequential(*(nn.Tanh() for _ in range(30))).float())
    net.forward(x)
    assert len({layer.output.__array_interface__["data"][0] for layer in net.modules}) == 3
