"""Arrays that layers change in training: a step keeps them, and writes them to a network, or is refused with their names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn
from pytorch_legacy.errors import CompileError
from pytorch_legacy.recording.network import array_at, array_places
from tests.program.test_steps import BATCHES, Eager, assert_same_steps, assert_same_updates, numbers

SIZE = 4


def zeros(*shape: int, dtype: Any = np.float32) -> Any:
    return np.zeros(shape, dtype)


class Layer(nn.Module):
    """Doubles its input, and changes the arrays in its fields."""

    def __init__(self, change: Callable[[Any, Any], None], **arrays: Any) -> None:
        super().__init__()
        self.change = [change]
        self.__dict__.update(arrays)

    def updateOutput(self, input: Any) -> Any:
        self.change[0](self, input)
        self.output = input * 2
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        self.gradInput = gradOutput * 2
        return self.gradInput


class Centered(Layer):
    """Adds to its input the array `mean` that it changes."""

    def updateOutput(self, input: Any) -> Any:
        self.change[0](self, input)
        self.output = input + self.mean
        return self.output


def in_place(self: Any, x: Any) -> None:
    self.mean *= self.mean.dtype.type(0.9)
    self.mean += x[0]


def replacing(self: Any, x: Any) -> None:
    self.mean = self.mean * self.mean.dtype.type(0.9) + x[0]


def overwriting(self: Any, x: Any) -> None:
    self.mean[...] = x[0]


def assigning(self: Any, x: Any) -> None:
    self.mean = x[0]


def counting(self: Any, x: Any) -> None:
    self.count += 1


def deciding(self: Any, x: Any) -> None:
    self.seen |= x[0] > 0


def in_list(self: Any, x: Any) -> None:
    self.means[0] = self.means[0] + x[0]
    self.means[1] += 1


def in_tuple(self: Any, x: Any) -> None:
    self.means = self.means[0] + x[0], self.means[1]


def handing_on(self: Any, x: Any) -> None:
    self.last, self.mean = self.mean, self.mean + x[0]


def swapping(self: Any, x: Any) -> None:
    self.mean, self.last = self.last, self.mean


def growing(self: Any, x: Any) -> None:
    self.mean = np.concatenate([self.mean, x[0]])


def with_view(change: Any) -> Any:
    every = zeros(3, SIZE)
    return Layer(change, all=every, mean=every[1])


def two(change: Any) -> Any:
    """Returns two layers with one array, which the first of them changes."""
    first = Layer(change, mean=zeros(SIZE))
    return nn.Sequential(first, Layer(lambda self, x: None, mean=first.mean))


MADE: dict[str, Callable[[], Any]] = {
    "in place": lambda: Layer(in_place, mean=zeros(SIZE)),
    "replaced": lambda: Layer(replacing, mean=zeros(SIZE)),
    "replaced and used": lambda: Centered(replacing, mean=zeros(SIZE)),
    "overwritten": lambda: Layer(overwriting, mean=zeros(SIZE)),
    "replaced without a use": lambda: Layer(assigning, mean=zeros(SIZE)),
    "a view": lambda: with_view(in_place),
    "a column": lambda: Layer(in_place, mean=zeros(SIZE, 3)[:, 1]),
    "a column that is replaced": lambda: Layer(replacing, mean=zeros(SIZE, 3)[:, 1]),
    "of two layers": lambda: two(in_place),
    "without dimensions": lambda: Layer(counting, count=zeros()),
    "integers": lambda: Layer(counting, count=zeros(1, dtype=np.int64)),
    "truth values": lambda: Layer(deciding, seen=zeros(SIZE, dtype=np.bool_)),
    "doubles": lambda: Layer(in_place, mean=zeros(SIZE, dtype=np.float64)),
    "in a list": lambda: Layer(in_list, means=[zeros(SIZE), zeros(1)]),
    "in a tuple": lambda: Layer(in_tuple, means=(zeros(SIZE), zeros(1))),
    "handed on": lambda: Layer(handing_on, mean=zeros(SIZE), last=zeros(SIZE)),
    "swapped": lambda: Centered(swapping, mean=zeros(SIZE), last=np.ones(SIZE, np.float32)),
}
EXAMPLE = (None, 3), (None, SIZE)


def network(layer: Any) -> Any:
    pl.manualSeed(1)
    return nn.Sequential(nn.Linear(3, SIZE), layer)


@pytest.mark.parametrize("name", MADE)
def test_a_step_writes_the_arrays_that_layers_change(name: str) -> None:
    net, criterion = network(MADE[name]()), nn.MSECriterion()
    step, eager = pl.compile(net, EXAMPLE, criterion=criterion), Eager(net, criterion)
    assert_same_steps(eager, step, [(numbers(n, 3, seed=n), numbers(n, SIZE, seed=n)) for n in BATCHES[:-1]])
    other = net.clone()
    layer, expected = other.modules[1], eager.net.clearState().modules[1]
    before = [array.copy() for array in array_places(layer).values()]
    step.writeTo(other)
    places = array_places(layer.clearState())
    assert not all(map(np.array_equal, before, places.values()))
    for place, array in places.items():
        assert np.array_equal(array, array_at(expected, place)), place


SHARED = (
    "expected passes that write into this array, because {} shares its memory, got one that replaces it; write mean[...] = value"
)
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "another size": (
        lambda: Layer(growing, mean=zeros(SIZE)),
        "net.modules[1].mean: expected an array that passes write into, or replace by one of the same sizes and dtype, "
        "got 4 numbers of float32, and 8 numbers of float32 after a pass",
    ),
    "a view that is replaced": (lambda: with_view(replacing), f"net.modules[1].mean: {SHARED.format('net.modules[1].all')}"),
    "one of two": (
        lambda: two(replacing),
        f"net.modules[1].modules[0].mean: {SHARED.format('net.modules[1].modules[1].mean')}",
    ),
    "32 bits": (lambda: Layer(counting, count=zeros(1, dtype=np.int32)), "in module 2 of nn.Sequential, Layer: arrays of int32"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arrays_that_are_refused(name: str) -> None:
    make, text = REFUSED[name]
    with pytest.raises(CompileError, match=re.escape(text)):
        pl.compile(network(make()), EXAMPLE, criterion=nn.MSECriterion())


class Halving(nn.Linear):
    """Replaces its weight."""

    def updateOutput(self, input: Any) -> Any:
        self.weight = self.weight * self.weight.dtype.type(0.5)
        return super().updateOutput(input)


def test_a_parameter_that_is_replaced() -> None:
    text = r"net\.modules\[1\]\.weight: .* because the vector of all parameters shares its memory"
    with pytest.raises(CompileError, match=text):
        pl.compile(network(Halving(SIZE, SIZE)), EXAMPLE, criterion=nn.MSECriterion())


LAYERS = {
    "BatchNormalization": lambda: nn.BatchNormalization(SIZE),
    "RReLU": nn.RReLU,
    "Dropout": lambda: nn.Dropout(0.3),
    "both": lambda: nn.Sequential(nn.BatchNormalization(SIZE), nn.RReLU()),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_a_remembered_sequence(name: str) -> None:
    pl.manualSeed(4)
    net = nn.Sequential(rnn.Sequencer(nn.Sequential(rnn.FastLSTM(3, SIZE), LAYERS[name]())).remember("both"))
    criterion, config = nn.MSECriterion(), {"learningRate": 0.1, "momentum": 0.9}
    step = pl.compile(net, ((3, 2, 3), (3, 2, SIZE)), criterion=criterion, optimizer="sgd", config={**config})
    batches = [(numbers(3, 2, 3, seed=seed), numbers(3, 2, SIZE, seed=seed)) for seed in range(9)]
    eager = Eager(net, criterion)
    assert_same_updates(eager, step, batches, config)
    step.writeTo(net)
    for own, other in zip(
        net.findModules(nn.BatchNormalization)[0], eager.net.findModules(nn.BatchNormalization)[0], strict=True
    ):
        assert np.array_equal(own.running_mean, other.running_mean) and own.running_mean.any()
