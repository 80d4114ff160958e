"""Passes of an nn.Sequential whose layers run in a chain: what has changed meanwhile counts, as if each had run by itself."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import BusyError, ShapeError, THNNError
from tests.trees import Array


def several() -> Any:
    """Layers with parameters, with numbers, in place, and two that do more than a call."""
    layers = [nn.Linear(4, 4), nn.HardTanh(-0.5, 0.4), nn.LeakyReLU(0.3, True), nn.Threshold(-0.1, 0.2)]
    return nn.Sequential(*layers, nn.LogSoftMax(), nn.SoftSign()).float()


def inputs(size: int = 4) -> Array:
    return np.random.default_rng(size).standard_normal((3, size)).astype("f")


def expected(net: Any, x: Array) -> Array:
    """Of a copy that has made no pass before."""
    return net.clone().clearState().forward(x).copy()


def done(net: Any, x: Array) -> int:
    """How many modules the chain runs."""
    chain = net._bindings["chain"]
    return chain.run(net.modules, x)[0] if chain.run else 0


def test_every_module_runs() -> None:
    net, x = several(), inputs()
    truth = expected(net, x)
    for _ in range(3):
        np.testing.assert_array_equal(net.forward(x), truth)
    assert done(net, x) == len(net.modules) - 2  # the last two do more than a call
    for input in (x.copy(), -x, x + 1):
        np.testing.assert_array_equal(net.forward(input), expected(net, input))
        assert net.output is net.modules[-1].output
        assert net.modules[2].output is net.modules[1].output
        assert not any(module._inPass for module in net.modules)
    net.forward(x)
    gradient = net.backward(x, np.ones((3, 4), "f"))
    other = net.clone()
    other.forward(x)
    np.testing.assert_array_equal(gradient, other.backward(x, np.ones((3, 4), "f")))


def a_number(net: Any) -> None:
    net.modules[1].max_val = 0.1


def a_number_behind_work_in_place(net: Any) -> None:
    net.modules[3].val = 0.9


def weights_in_place(net: Any) -> None:
    net.modules[0].weight *= 2


def other_weights(net: Any) -> None:
    net.modules[0].weight = net.modules[0].weight * 3


def no_bias(net: Any) -> None:
    net.modules[0].bias = None


def another_buffer(net: Any) -> None:
    net.modules[1].output = net.modules[1].output.copy()


def a_smaller_buffer(net: Any) -> None:
    net.modules[4].output.resize((1, 2), refcheck=False)


def another_module(net: Any) -> None:
    net.modules[1] = nn.Tanh().float()


def one_module_less(net: Any) -> None:
    net.remove(2)


def one_module_more(net: Any) -> None:
    net.add(nn.MulConstant(3).float())


def a_method(net: Any) -> None:
    net.modules[4].updateOutput = lambda input: input * 5


def out_of_place(net: Any) -> None:
    net.modules[2].inplace = False


def a_part(net: Any) -> None:
    net.modules[1] = nn.Sequential(nn.Tanh(), nn.ReLU()).float()


CHANGES: list[Callable[[Any], None]] = [
    *(a_number, a_number_behind_work_in_place, weights_in_place, other_weights, no_bias, another_buffer, a_smaller_buffer),
    *(another_module, one_module_less, one_module_more, a_method, out_of_place, a_part),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changes(change: Callable[[Any], None]) -> None:
    net, x = several(), inputs()
    for _ in range(4):
        net.forward(x)
    change(net)
    fresh = several()
    fresh.modules = [*net.modules]
    truth = fresh.clone().forward(x).copy() if change is not a_method else None
    if truth is None:
        value = x
        for module in net.modules:
            value = module.updateOutput(value)
        truth = value.copy()
    for _ in range(12):
        np.testing.assert_array_equal(net.forward(x), truth)


def test_a_class_gets_another_method(monkeypatch: pytest.MonkeyPatch) -> None:
    net, x = nn.Sequential(nn.Tanh(), nn.ReLU(), nn.Tanh()).float(), inputs()
    for _ in range(3):
        net.forward(x)
    monkeypatch.setattr(nn.ReLU, "updateOutput", lambda self, input: input - 1)
    np.testing.assert_allclose(net.forward(x), np.tanh(np.tanh(x) - 1), 1e-6)


def test_types_and_shapes() -> None:
    net = several()
    for size, kind in ((3, "float"), (3, "double"), (5, "double"), (3, "float"), (1, "float")):
        x = np.ones((size, 4), net.type(kind).dtype)
        for _ in range(9):
            np.testing.assert_array_equal(net.forward(x), expected(net, x))


def test_shapes_that_take_turns() -> None:
    """A chain that is of no use is not made again and again."""
    net, made = nn.Sequential(nn.Tanh(), nn.ReLU()).float(), []
    chain = None
    for number in range(300):
        x = np.full((2 + number % 2, 4), number, "f")
        np.testing.assert_allclose(net.forward(x), np.tanh(x))
        if net._bindings["chain"].run is not chain:
            chain = net._bindings["chain"].run
            made.append(number)
    assert 1 <= len(made) < 12


def test_errors_say_where() -> None:
    net, x = several(), inputs()
    for _ in range(4):
        net.forward(x)
    with pytest.raises(ShapeError, match=r"in module 1 of nn.Sequential"):
        net.forward(inputs(5))
    net.forward(x)
    net.modules[3].val = "much"
    with pytest.raises(THNNError, match=r"in module 4 of nn.Sequential"):
        net.forward(x)
    assert not any(module._inPass for module in net.modules)


def test_inputs_before_are_let_go() -> None:
    net, seen = nn.Sequential(nn.Tanh(), nn.ReLU()).float(), []
    for _ in range(8):
        x = np.ones((2, 4), "f")
        net.forward(x)
        seen.append(weakref.ref(x))
    assert [one() is not None for one in seen] == [False] * 7 + [True]


def test_a_tape_notes_each_call() -> None:
    net, x = nn.Sequential(nn.Tanh(), nn.ReLU(), nn.Sigmoid()).float().evaluate(), inputs()
    for _ in range(4):
        net.forward(x)
    optimized = pl.optimize(net)
    for _ in range(5):
        np.testing.assert_array_equal(optimized.forward(x), net.forward(x))


def test_another_thread_meets_a_chain() -> None:
    """It runs a module of it, with another input: each gets a result of one of both, or is told that the module is busy."""
    shared = nn.Tanh().float()
    net = nn.Sequential(shared, nn.Sqrt()).float()
    small, large = (np.full(size, 0.5, "f") for size in (7, 100_000))
    seen: list[Any] = []

    def run(module: Any, x: Array) -> None:
        for _ in range(200):
            try:
                seen.append((module.forward(x).shape, x.shape))
            except BusyError:
                seen.append(None)

    threads = [threading.Thread(target=run, args=pair) for pair in ((net, large), (shared, small))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 400 and all(one is None or one[0] == one[1] for one in seen)
