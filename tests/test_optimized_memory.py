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
from pytorch_legacy.optimizing.Fused import Fused
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


# ---- sums that are written over what is added


def one() -> Module:
    return nn.SpatialConvolution(3, 3, 1, 1)


def residual(*behind: Module, isFirst: bool = True, inplace: bool = False, last: Module | None = None) -> list[Module]:
    """A sum of a branch, which ends with a kernel of one cell, and what comes in."""
    branch = nn.Sequential(planes(), nn.ReLU(), last or one())
    table = nn.ConcatTable(branch, nn.Identity()) if isFirst else nn.ConcatTable(nn.Identity(), branch)
    return [table, nn.CAddTable(inplace), *behind]


def node_graph(isReadLater: bool) -> Module:
    start = planes()()
    middle = planes()(start)
    added = nn.ReLU()(nn.CAddTable()([one()(nn.Tanh()(middle)), middle]))
    return nn.gModule([start], [nn.JoinTable(1)([planes()(added), middle if isReadLater else planes()(added)])])


SUMS: dict[str, tuple[Callable[[], Module], int]] = {
    "a chain of blocks": (lambda: nn.Sequential(planes(), nn.Tanh(), *residual(nn.ReLU()), *residual(nn.ReLU()), planes()), 2),
    "the summand comes first": (lambda: nn.Sequential(planes(), nn.Tanh(), *residual(isFirst=False), planes(), nn.Tanh()), 1),
    "in place": (lambda: nn.Sequential(planes(), nn.Tanh(), *residual(nn.ReLU(True), inplace=True), planes(), nn.Tanh()), 1),
    "both are convolutions": (
        lambda: nn.Sequential(planes(), nn.ConcatTable(one(), nn.Sequential(planes(), one())), nn.CAddTable(), planes()), 1,
    ),
    "the network's own output": (lambda: nn.Sequential(planes(), nn.Tanh(), *residual()), 0),
    "its last two sums": (lambda: nn.Sequential(planes(), nn.Tanh(), *residual(), *residual()), 0),
    "but its last two sums": (lambda: nn.Sequential(planes(), *residual(), nn.Tanh(), nn.Abs(), *residual(), *residual()), 1),
    "the network's own input": (lambda: nn.Sequential(*residual(nn.ReLU()), planes(), nn.Tanh()), 0),
    "a transposed layer": (
        lambda: nn.Sequential(planes(), *residual(last=nn.SpatialFullConvolution(3, 3, 1, 1)), planes()), 0,
    ),
    "a larger kernel": (lambda: nn.Sequential(planes(), *residual(last=planes()), planes()), 0),
    "read once more": (lambda: nn.Sequential(planes(), nn.Tanh(), branches_of_sums(), nn.CAddTable(), planes()), 0),
    "of itself": (lambda: nn.Sequential(planes(), nn.ConcatTable(one(), nn.Identity()), nn.CAddTable(), planes()), 0),
    "a graph": (lambda: node_graph(False), 1),
    "a graph that reads it later": (lambda: node_graph(True), 0),
}  # fmt: skip


def branches_of_sums() -> Module:
    return nn.ConcatTable(nn.Sequential(*residual(nn.Abs())), nn.Identity())


@pytest.mark.parametrize("name", SUMS)
def test_sums(name: str) -> None:
    make, count = SUMS[name]
    lines = [line for line in steps(make().float(), X) if "written over" in line]
    assert lines == [f"{count} {'sum is' if count == 1 else 'sums are'} written over what is added"] * (count > 0)


def written_over(net: Any, x: Any) -> bool:
    """Is the output of the first sum where the summand was?"""
    net.forward(x)
    (fused,) = sums_of(net)
    return fused.output is fused.modules[0].output[1]


def block() -> Any:
    pl.manualSeed(3)
    return nn.Sequential(planes(), nn.Tanh(), *residual(nn.ReLU()), planes(), nn.Tanh()).float().evaluate()


def test_a_summand_of_another_kind_is_left_alone() -> None:
    """What a module that somebody has put there gives may be needed: only memory that layers share is written over."""
    net, kept = block(), np.full((2, 3, 7, 7), 0.5, np.float32)
    optimized = pl.optimize(net)
    assert written_over(optimized, X)
    for one in (net, optimized):
        one.modules[1] = nn.MulConstant(0.0).float()
        one.modules[1].updateOutput = lambda input: kept
    for _ in range(3):
        np.testing.assert_allclose(optimized.forward(X), net.forward(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(kept, 0.5)


@pytest.mark.parametrize("change", ["activation", "module", "weight", "double"])
def test_sums_whose_modules_run_one_by_one(change: str) -> None:
    net = block()
    optimized = pl.optimize(net)
    for _ in range(3):
        optimized.forward(X)
    fused = next(module for module, _ in every(optimized) if isinstance(module, Fused) and len(module.modules) == 3)
    if change == "activation":
        fused.modules[2] = nn.Abs().float()
        net.modules[4] = nn.Abs().float()
    elif change == "module":
        fused.modules[0].modules[1] = nn.MulConstant(1.0).float()
    elif change == "weight":
        fused.modules[0].modules[0].weight = fused.modules[0].modules[0].weight + 1
        net.modules[2].modules[0].modules[2].weight += 1
    else:
        net, optimized = net.double(), optimized.double()
    x = X.astype(np.float64) if change == "double" else X
    for _ in range(4):
        np.testing.assert_allclose(optimized.forward(x), net.forward(x), rtol=1e-5, atol=1e-6)


def sums_of(net: Any) -> list[Any]:
    return [module for module, _ in every(net) if isinstance(module, Fused) and isinstance(module.modules[0], nn.ParallelTable)]


def test_memory_that_has_grown() -> None:
    """An array that was made before is written over in each pass, too."""
    wide = [nn.SpatialConvolution(3, 40, 1, 1), *(nn.Tanh() for _ in range(6))]
    net = nn.Sequential(one(), nn.Tanh(), *residual(nn.ReLU()), *wide)
    optimized = pl.optimize(net.float().evaluate())
    first = sums_of(optimized)[0]
    for _ in range(5):
        np.testing.assert_allclose(optimized.forward(X), net.forward(X), rtol=1e-5, atol=1e-6)
        assert first.output is first.modules[0].output[1]


def test_views_of_memory_are_left_alone() -> None:
    """A view that is turned, or repeats what it shows, is no output; nor is what the caller has."""
    optimized = pl.optimize(block())
    optimized.forward(X)
    (fused,) = sums_of(optimized)
    x, lent = X.copy(), fused.modules[0].output[1]
    assert lent.base is not None
    arrays = (lent, X.copy(), lent.swapaxes(2, 3), np.broadcast_to(lent[:1], lent.shape))
    for summand in arrays:
        for _ in range(3):
            lent[...] = X
            value = summand.copy()
            expected = np.maximum(fused.modules[0].modules[0].forward(x) + value, 0)
            output = fused.updateOutput([x, summand])
            np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-6)
            assert (output is lent) == (summand is lent)
            assert summand is lent or np.array_equal(summand, value)
