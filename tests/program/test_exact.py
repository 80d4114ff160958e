"""The proof of a network of the package's layers is exact, whether these are layers of C or of array operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, nn, nnx, rnn
from pytorch_legacy.arrays import tree
from pytorch_legacy.backend import arrays, compute
from pytorch_legacy.errors import CompileError, ValueRangeError
from pytorch_legacy.nn.Module import Module
from tests.case import Case
from tests.table import CASES

# Networks, their inputs, and an array function that computes in them.
NETS: dict[str, tuple[Callable[[], Module], tuple[int, ...], str]] = {
    "PELU": (lambda: nn.Sequential(nn.Linear(4, 3), authors.PELU()), (2, 4), "arrayMap"),
    "SeqLSTMP": (lambda: rnn.SeqLSTMP(3, 4, 2), (5, 2, 3), "arrayMap"),
    "Cosine": (lambda: nn.Sequential(nn.Linear(4, 3), nn.Cosine(3, 5)), (2, 4), "arrayProduct"),
    "DownSampling": (lambda: nn.Sequential(nn.Tanh(), nnx.SpatialDownSampling(2, 2)), (2, 3, 4, 4), "arrayReduce"),
    "Max": (lambda: nn.Sequential(nn.Linear(4, 3), nn.Max(1)), (2, 4), "arrayReduce"),
    "Power": (lambda: nn.Sequential(nn.Sigmoid(), nn.Power(2.5)), (2, 4), "arrayApply"),
    "DivisiveNormalization": (lambda: cudnn.SpatialDivisiveNormalization(3), (2, 3, 5, 5), "arrayApply"),
}


def eager_fault(monkeypatch: pytest.MonkeyPatch, name: str) -> list[int]:
    """Puts one ulp into one element of each result of an array function that an eager pass calls. Returns a list of them."""
    real, made = arrays.call, []

    def call(function: str, *arguments: Any) -> None:
        real(function, *arguments)
        result = [one for one in arguments if isinstance(one, np.ndarray)][-1]
        if function == name and result.size and result.dtype.kind == "f":
            first = (0,) * result.ndim
            result[first] = np.nextafter(result[first], np.inf, dtype=result.dtype)
            made.append(result.size)

    monkeypatch.setattr(compute, "call", call)
    return made


@pytest.mark.parametrize("dtype", ["float", "double"])
@pytest.mark.parametrize("name", NETS)
def test_one_ulp_is_found(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, shape, function = NETS[name]
    pl.manualSeed(3)
    net = getattr(make(), dtype)()
    x = np.random.default_rng(0).uniform(0.5, 1, shape).astype(net._dtype)
    program = pl.compile(net, x)
    np.testing.assert_array_equal(program(x), net.evaluate().forward(x))
    with monkeypatch.context() as patch:
        made = eager_fault(patch, function)
        with pytest.raises(CompileError, match="differs from the network's"):
            pl.compile(net, x)
    assert made
    pl.compile(net, x)


def test_functions_of_numpy_in_a_layer_of_ones_own_may_round() -> None:
    class Own(nn.Module):
        def __init__(self, by: float) -> None:
            super().__init__()
            self.by = by

        def updateOutput(self, input: Any) -> Any:
            self.output = np.tanh(input).sum(1)
            if type(input) is np.ndarray:
                self.output *= self._dtype.type(1 + self.by)
            return self.output

    for by in (0, 2e-7):
        pl.compile(nn.Sequential(nn.Linear(3, 4), Own(by)), (None, 3))
    with pytest.raises(CompileError, match="differs from the network's"):
        pl.compile(nn.Sequential(nn.Linear(3, 4), Own(1e-3)), (None, 3))


class Loss(nn.Module):
    """A criterion in a network: its loss for a target that is fixed."""

    def __init__(self, criterion: Any, target: Any) -> None:
        super().__init__()
        self.criterion = criterion
        self.target = target

    def updateOutput(self, input: Any) -> Any:
        self.output = self.criterion.updateOutput(input, self.target)
        return self.output


# The first two cases of each criterion. A MultiCriterion without criterions has a loss that no input changes.
CRITERIONS: dict[str, Case] = {}
for _name, _case in CASES:
    if _case.target is not None and _case.name != "none" and f"{_name}, again" not in CRITERIONS:
        CRITERIONS[f"{_name}, again" if _name in CRITERIONS else _name] = _case


@pytest.mark.parametrize("name", CRITERIONS)
def test_criterions_within_networks(name: str) -> None:
    case = CRITERIONS[name]
    assert case.target is not None
    single = lambda array: array.astype("f") if array.dtype.kind == "f" else array  # noqa: E731
    input = tree.map_arrays(single, case.input(np.random.default_rng(0)))
    target = case.target(np.random.default_rng(1))
    target = target if np.isscalar(target) else tree.map_arrays(single, target)
    nets: list[tuple[Any, Any]] = [(Loss(case.make().float(), target), input)]
    if all(isinstance(leaf, np.ndarray) for leaf in tree.leaves(target)):
        nets.append((nn.CriterionTable(case.make().float()), [input, target]))
    for net, example in nets:
        expected = net.forward(example)
        assert type(expected) is float
        assert pl.compile(net, example)(example) == expected


def test_a_sum_of_losses_within_a_network() -> None:
    """Losses are doubles in a program, too: so are their sums and products."""
    both = nn.ParallelCriterion().add(nn.MSECriterion(), 0.3).add(nn.HingeEmbeddingCriterion(), 0.7)
    rng = np.random.default_rng(0)
    example = [[rng.random((4, 3), "f"), rng.random(4, "f")], [rng.random((4, 3), "f"), np.float32([1, -1, -1, 1])]]
    net = nn.CriterionTable(both)
    assert pl.compile(net, example)(example) == net.forward(example)
    with pytest.raises(ValueRangeError, match=r"target \(its absolute value\): expected a whole number from 1 to 1, got 2"):
        pl.compile(net, example)([example[0], [example[1][0], np.float32([1, 2, -1, 1])]])
