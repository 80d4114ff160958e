"""Passes of an nn.Sequential whose layers run in a chain: what has changed meanwhile counts, as if each had run by itself."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.errors import BusyError, ShapeError, THNNError
from pytorch_legacy.nn import chain
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
    run = net._bindings["chain"].run
    return run(net.modules, x)[0] if run else 0


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


def weights_that_are_turned(net: Any) -> None:
    weight = net.modules[0].weight
    np.ndarray.strides.__set__(weight, weight.strides[::-1])  # type: ignore[attr-defined]


def other_weights(net: Any) -> None:
    net.modules[0].weight = net.modules[0].weight * 3


def no_bias(net: Any) -> None:
    net.modules[0].bias = None


def another_buffer(net: Any) -> None:
    net.modules[1].output = net.modules[1].output.copy()


def a_smaller_buffer(net: Any) -> None:
    net.modules[3].output.resize((1, 2), refcheck=False)


def another_module(net: Any) -> None:
    net.modules[1] = nn.Tanh().float()


def one_module_less(net: Any) -> None:
    net.remove(2)


def one_module_more(net: Any) -> None:
    net.add(nn.MulConstant(3).float())


def a_method(net: Any) -> None:
    net.modules[3].updateOutput = lambda input: input * 5


def out_of_place(net: Any) -> None:
    net.modules[2].inplace = False


def a_part(net: Any) -> None:
    net.modules[1] = nn.Sequential(nn.Tanh(), nn.ReLU()).float()


CHANGES: list[Callable[[Any], None]] = [
    *(
        a_number,
        a_number_behind_work_in_place,
        weights_in_place,
        other_weights,
        no_bias,
        weights_that_are_turned,
        another_buffer,
        a_smaller_buffer,
    ),
    *(another_module, one_module_less, one_module_more, a_method, out_of_place, a_part),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changes(change: Callable[[Any], None]) -> None:
    net, x = several(), inputs()
    for _ in range(4):
        net.forward(x)
    assert done(net, x) == 4
    change(net)
    done(net, x)
    assert not any(module._inPass for module in net.modules)
    truth = x
    for module in net.modules:
        copy = module.clone().clearState()
        copy.__dict__.update({name: vars(module)[name] for name in ("updateOutput",) if name in vars(module)})
        truth = copy.updateOutput(truth.copy())
    for _ in range(12):
        np.testing.assert_array_equal(net.forward(x), truth)


def test_arrays_of_one_element() -> None:
    """They can be equal, and others all the same."""
    net, x = nn.Sequential(nn.Linear(1, 1), nn.Tanh()).float(), np.ones((1, 1), "f")
    for _ in range(4):
        net.forward(x)
    first, second = net.modules
    before = second.output
    second.output = second.output.copy()
    for _ in range(5):
        assert net.forward(x) is second.output is not before
    assert done(net, x) == 2
    first.weight = first.weight.copy()
    net.forward(x)
    first.weight += 1
    np.testing.assert_array_equal(net.forward(x), expected(net, x))


def test_an_input_that_is_the_first_buffer() -> None:
    net, x = nn.Sequential(nn.ReLU(), nn.Tanh()).float(), inputs()
    for _ in range(4):
        net.forward(x)
    shown = net.modules[0].output
    shown[:] = x
    net.forward(shown)
    np.testing.assert_array_equal(shown, x)
    assert net.modules[0].output is not shown


def test_a_call_that_ends_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module is run as usual, which says what is wrong, or mends it."""
    net, x = nn.Sequential(nn.Tanh(), nn.ReLU(), nn.SoftPlus()).float(), inputs()
    net.forward(x)

    def notes(modules: list[Any], input: Any, made: Any = chain._notes) -> Any:
        for number, note in enumerate(made(modules, input)):
            if number == 1:
                note.function = lambda *arguments: 1
            yield note

    monkeypatch.setattr(chain, "_notes", notes)
    net.forward(x)
    assert done(net, x) == 1
    np.testing.assert_array_equal(net.forward(-x), expected(net, -x))


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
    run = None
    for number in range(300):
        x = np.full((2 + number % 2, 4), number, "f")
        np.testing.assert_allclose(net.forward(x), np.tanh(x))
        if net._bindings["chain"].run not in (None, run):
            run = net._bindings["chain"].run
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


def test_buffers_before_are_let_go() -> None:
    net, x = nn.Sequential(nn.Tanh(), nn.ReLU()).float(), np.ones((50, 4), "f")
    for _ in range(4):
        net.forward(x)
    assert done(net, x) == 2
    buffers = [weakref.ref(module.output) for module in net.modules]
    net.forward(x[:3].copy())
    assert not any(one() is not None for one in buffers)


def test_another_thread_meets_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module that runs is marked, and nobody else may run it meanwhile."""
    net, x = nn.Sequential(nn.Tanh(), nn.ReLU()).float(), inputs()
    other = nn.Sequential(*net.modules).float()
    for _ in range(4):
        other.forward(x)
    net.forward(x)
    found: list[Any] = []

    def meet(module: Any) -> None:
        """Runs it by itself, or in another chain that it is the first one of."""
        for who in (module, other):
            try:
                found.append(who.forward(x))
            except BusyError:
                found.append("busy")

    def notes(modules: list[Any], input: Any, made: Any = chain._notes) -> Any:
        for module, note in zip(modules, made(modules, input), strict=False):

            def function(*arguments: Any, module: Any = module, function: Any = note.function) -> Any:
                thread = threading.Thread(target=meet, args=(module,))
                thread.start()
                thread.join()
                return function(*arguments)

            note.function = function
            yield note

    monkeypatch.setattr(chain, "_notes", notes)
    net.forward(x)
    np.testing.assert_array_equal(net.forward(x), expected(net, x))
    assert found == ["busy"] * 4
    assert not any(module._inPass for module in net.modules)
