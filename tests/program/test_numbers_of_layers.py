"""Layers of a user that keep something from pass to pass: an array is a state of the program, a number is an error."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import CompileError

PASSES = 14
LATE = 10  # the proof makes fewer passes in a row


class Layer(nn.Module):
    """A layer whose pass is a function of itself and the input."""

    def __init__(self, function: Callable[[Any, Any], Any], **fields: Any) -> None:
        super().__init__()
        self.function = function
        self.__dict__.update(fields)

    def updateOutput(self, input: Any) -> Any:
        self.output = self.function(self, input)
        return self.output


def counting(self: Any, x: Any) -> Any:
    self.count += 1
    return x * np.where(self.count > LATE, np.float32(0), np.float32(1))


def replacing(self: Any, x: Any) -> Any:
    self.count = self.count + 1
    return x * np.where(self.count > LATE, np.float32(0), np.float32(1))


def fading(self: Any, x: Any) -> Any:
    made = x * np.where(self.count > 0.1, np.float32(1), np.float32(0))
    self.count *= np.float32(0.75)
    return made


ARRAYS: dict[str, Callable[[], Any]] = {
    "counted": lambda: Layer(counting, count=np.zeros(1, np.float32)),
    "counted in integers": lambda: Layer(counting, count=np.zeros(1, np.int64)),
    "replaced": lambda: Layer(replacing, count=np.zeros(1, np.float32)),
    "changed after it was read": lambda: Layer(fading, count=np.ones(3, np.float32)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_that_changes_something_late(name: str) -> None:
    layer = ARRAYS[name]()
    program, x = pl.compile(layer, (2, 3)), np.ones((2, 3), np.float32)
    layer.evaluate()
    found = [program(x) for _ in range(PASSES)]
    assert np.array_equal(found, [layer.forward(x).copy() for _ in range(PASSES)]) and not found[-1].any()
    assert program.forget()(x).all()


def normalizing(self: Any, x: Any) -> Any:
    self.weight[...] = np.sign(self.weight)
    return x * self.weight


def filling(self: Any, x: Any) -> Any:
    self.rows[0] = x[0]
    self.rows[1] = x[-1]
    return x + self.rows.sum(0)


def noting(self: Any, x: Any) -> Any:
    self.mean += x[0]
    return x * 2


STATELESS: dict[str, Callable[[], Any]] = {
    "the same after each pass": lambda: Layer(normalizing, weight=np.float32([1, -1, 1])),
    "written as a whole, in parts": lambda: Layer(filling, rows=np.zeros((2, 3), np.float32)),
    "read by no output": lambda: Layer(noting, mean=np.zeros(3, np.float32)),
}


@pytest.mark.parametrize("name", STATELESS)
def test_an_array_that_is_no_state(name: str) -> None:
    layer = STATELESS[name]()
    program = pl.compile(layer, (None, 3))
    layer.evaluate()
    for n in (2, 5, 1):  # a program with a state would keep the batch
        x = np.random.default_rng(n).standard_normal((n, 3)).astype(np.float32)
        np.testing.assert_allclose(program(x), layer.forward(x), rtol=1e-6)


def reading(self: Any, x: Any) -> Any:
    self.count += 1
    return x * (0 if self.count[0] > LATE else 1)


def test_a_number_of_an_array_that_passes_change_is_not_read() -> None:
    with pytest.raises(CompileError, match="on earlier passes"):
        pl.compile(Layer(reading, count=np.zeros(1, np.float32)), (None, 3))


class Count:
    value = 0

    def __call__(self) -> int:
        self.value += 1
        return self.value


def closure() -> Any:
    seen = [0]

    def function(self: Any, x: Any) -> Any:
        seen[0] += 1
        return x * (0 if seen[0] > LATE else 1)

    return Layer(function)


def late(count: Callable[[Any], int]) -> Callable[[Any, Any], Any]:
    """Returns a pass that counts, and that gives zeros after some counts."""
    return lambda self, x: x * (0 if count(self) > LATE else 1)


def grow(self: Any) -> int:
    self.seen.append(1)
    return len(self.seen)


def addToEntry(self: Any) -> int:
    self.seen["n"] += 1
    return int(self.seen["n"])


def addToNumber(self: Any) -> int:
    self.seen = self.seen + 1
    return int(self.seen)


NUMBERS: dict[str, tuple[Callable[[], Any], str]] = {
    "a list that grows": (lambda: Layer(late(grow), seen=[]), r"len\(seen\): .*1, then 2"),
    "a deque": (lambda: Layer(late(grow), seen=deque()), r"len\(seen\)"),
    "a dict": (lambda: Layer(late(addToEntry), seen={"n": 0}), r"seen\['n'\]"),
    "a number of NumPy": (lambda: Layer(late(addToNumber), seen=np.int64(0)), "seen: expected"),
    "an object": (lambda: Layer(late(lambda self: self.count()), count=Count()), r"count\.value"),
    "a variable of a function": (closure, r"function\.seen\[0\]: "),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_passes_change(name: str) -> None:
    make, words = NUMBERS[name]
    for example, criterion in (((None, 3), None), (((None, 3), (None, 3)), nn.MSECriterion())):
        with pytest.raises(CompileError, match=f"Layer: {words}"):
            pl.compile(nn.Sequential(nn.Linear(3, 3), make()), example, criterion=criterion)


def test_a_cache_of_the_first_pass_is_no_change() -> None:
    def cached(self: Any, x: Any) -> Any:
        self.known.setdefault(x.shape[1:], len(self.known) + 2)
        return x * self.known[x.shape[1:]]

    program = pl.compile(Layer(cached, known={}), (None, 3))
    assert (program(np.ones((4, 3), np.float32)) == 2).all()


def test_a_layer_that_no_field_holds() -> None:
    hidden = nn.Linear(3, 3)
    net = Layer(lambda self, x: hidden.forward(x) * 1)
    net.forward(np.ones((2, 3), np.float32))
    with pytest.raises(CompileError, match=r"Layer: runs nn\.Linear in another thread, or holds it in no field"):
        pl.compile(net, (None, 3))


def test_arrays_that_take_turns() -> None:
    def rotating(self: Any, x: Any) -> Any:
        self.masks.append(self.masks.pop(0))
        return x * self.masks[0]

    masks = [np.ones(3, np.float32) for _ in range(LATE)] + [np.zeros(3, np.float32)]
    with pytest.raises(CompileError, match=r"Layer: masks\[0\]: expected the same array after each pass"):
        pl.compile(Layer(rotating, masks=masks), (2, 3))
