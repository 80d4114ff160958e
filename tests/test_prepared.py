"""Prepared calls: a pass that repeats gives what the first pass of a new module gives."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import backend, nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.backend import SIGNATURES
from pytorch_legacy.backend.binding import TensorDescriptor
from pytorch_legacy.backend.prepared import Bindings, PreparedCall
from pytorch_legacy.errors import BusyError, DtypeError, ShapeError
from tests.case import Case
from tests.nn.test_inplace import LAYERS as IN_PLACE
from tests.table import CASES
from tests.trees import Array

# The first case of each class that makes an array of an array, and all cases of those that take a table.
MAKES_TABLES = {"ConcatTable", "FlattenTable", "SplitTable"}
FIRST: dict[str, Case] = {}
TABLES: dict[str, Case] = {}
for _name, _case in CASES:
    _x = _case.input(np.random.default_rng(0))
    if isinstance(_x, np.ndarray) and not _case.inplace and _name not in MAKES_TABLES:
        FIRST.setdefault(_name, _case)
    elif isinstance(_x, list) and _case.target is None and any(isinstance(_entry, np.ndarray) for _entry in _x):
        TABLES[f"{_name}, {_case.name}"] = _case


def read_only(array: Array) -> Array:
    array = array.copy()
    array.flags.writeable = False
    return array


# Inputs after passes with x: from the module and x.
INPUTS: dict[str, Callable[[Any, Array], Any]] = {
    "the same": lambda module, x: x,
    "another array": lambda module, x: x.copy(),
    "as many elements": lambda module, x: x.reshape(x.shape[::-1]),
    "a vector": lambda module, x: x.reshape(-1),
    "other strides": lambda module, x: np.repeat(x, 2, -1)[..., ::2],
    "read-only": lambda module, x: read_only(x),
    "half the batch": lambda module, x: x[: len(x) // 2],
    "nothing": lambda module, x: x[:0],
    "another dtype": lambda module, x: x.astype(np.float64) if x.dtype == np.float32 else x.astype(np.int32),
    "None": lambda module, x: None,
    "a list": lambda module, x: x.tolist(),
    "the output": lambda module, x: module.output,
    "part of the output": lambda module, x: module.output[::-1],
    "the gradient": lambda module, x: module.gradInput,
    "part of the gradient": lambda module, x: None if module.gradInput is None else module.gradInput[::-1],
}


def single(value: Any) -> Any:
    return value.astype("f") if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value


def outcome(run: Callable[[], Any]) -> Any:
    pl.manualSeed(3)
    try:
        return copy.deepcopy(run())
    except Exception as error:
        return type(error), str(error)


def passes(case: Case) -> Iterator[tuple[str, Callable[[Any, Any], Any]]]:
    """The passes of a module for an input: those that repeat."""
    if case.target is not None:
        target = single(case.target(np.random.default_rng(1)))
        yield "forward", lambda module, input: module.forward(input, target)
        yield "backward", lambda module, input: module.backward(input, target)
        return
    yield "forward", lambda module, input: module.forward(input)

    def backward(module: Any, input: Any) -> Any:
        return module.updateGradInput(input, np.linspace(-1, 1, module.output.size, dtype="f").reshape(module.output.shape))

    yield "backward", backward


@pytest.mark.parametrize("name", FIRST)
def test_a_pass_that_repeats_is_as_the_first_one(name: str) -> None:
    case = FIRST[name]
    x = single(case.input(np.random.default_rng(0)))
    made = case.make()
    for _, run in passes(case):
        for kind, other in INPUTS.items():
            module = made.clone()
            for _ in range(2):
                for _, each in passes(case):
                    each(module, x)
            if not isinstance(module.output, np.ndarray) and "output" in kind:
                continue
            input = other(module, x)
            fresh = module.clone()  # without what was prepared, but with what backward reads
            assert "_bindings" not in fresh.__dict__
            given = copy.deepcopy(input)
            if isinstance(input, np.ndarray):
                given.flags.writeable = input.flags.writeable
            np.testing.assert_equal(outcome(lambda: run(module, input)), outcome(lambda: run(fresh, given)), f"{kind}")  # noqa: B023


WHOLLY_PREPARED = {"ReLU", "ReLU6", "HardTanh", "Threshold", "LeakyReLU", "ELU", "cudnn.Tanh", "cudnn.ReLU"}


@pytest.mark.parametrize("name", [name for name in IN_PLACE if name != "inn.ConstAffine"])
@pytest.mark.parametrize("passed", ["forward", "backward"])
def test_a_pass_in_place_that_repeats_is_as_the_first_one(name: str, passed: str) -> None:
    """It gives the same numbers, or the same exception, and writes to the same arrays."""
    x = np.random.default_rng(0).standard_normal((4, 3)).astype("f")
    others = INPUTS | {
        "an expanded view": lambda module, x: np.lib.stride_tricks.as_strided(x, x.shape, (0, 4)),
        "numbers that the layer reads": lambda module, x: getattr(module, "noise", None),
    }
    made = IN_PLACE[name](True)

    def run(module: Any, array: Any) -> Any:
        return (
            module.forward(array)
            if passed == "forward"
            else module.updateGradInput(np.linspace(-1, 1, 12, dtype="f").reshape(4, 3), array)
        )

    for kind, other in others.items():
        module = made.clone()
        for _ in range(2):
            module.forward(x.copy())
            module.updateGradInput(x.copy(), x.copy())
        fresh = module.clone()
        input, given = other(module, x.copy()), other(fresh, x.copy())
        if kind in ("the output", "the gradient"):
            assert input is not None
        np.testing.assert_equal(outcome(lambda: run(module, input)), outcome(lambda: run(fresh, given)), kind)  # noqa: B023
        np.testing.assert_equal(input, given, kind)
        np.testing.assert_equal(module.noise if name == "RReLU" else None, fresh.noise if name == "RReLU" else None)
        results = [(module.output, module.gradInput, input), (fresh.output, fresh.gradInput, given)]
        assert [output is array for output, _, array in results] == [results[1][0] is given] * 2, kind
        assert [gradInput is array for _, gradInput, array in results] == [results[1][1] is given] * 2, kind


@pytest.mark.parametrize("name", sorted(WHOLLY_PREPARED))
def test_passes_in_place_are_prepared(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layer = IN_PLACE[name](True)
    made: list[str] = []
    for method in ("_makeOutput", "_makeGradInput"):
        real = getattr(type(layer), method)
        monkeypatch.setattr(type(layer), method, lambda *given, real=real, method=method: (made.append(method), real(*given)))
    for _ in range(3):
        x, gradOutput = np.ones((2, 3), "f"), np.ones((2, 3), "f")
        assert layer.forward(x) is x and layer.updateGradInput(x, gradOutput) is gradOutput
    assert made == ["_makeOutput", "_makeGradInput"]
    layer.inplace = False
    x = np.full((2, 3), 0.5, "f")
    output = layer.forward(x)
    assert output is not x and (x == 0.5).all()
    layer.inplace = True
    assert layer.forward(x) is x and layer.forward(x) is x
    layer.inplace = False
    assert layer.forward(x) is not x and layer.output is not output


def swapped(table: list[Any], place: int, array: Array) -> list[Any]:
    return [*table[:place], array, *table[place + 1 :]]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_may_hold_the_own_output(name: str) -> None:
    """... or a part of it, and gradOutput may be an own gradient: the result is that for copies of these arrays."""
    case = TABLES[name]
    x = tree.map_arrays(single, case.input(np.random.default_rng(0)))
    made = case.make()
    made.forward(x)
    for part in (slice(None), slice(None, None, -1)):
        for place, entry in enumerate(x):
            module = made.clone()
            output = module.forward(x)
            if isinstance(output, np.ndarray) and isinstance(entry, np.ndarray) and output.shape == entry.shape:
                given, fresh = swapped(x, place, output[part]), module.clone()
                expected = outcome(lambda: fresh.forward(copy.deepcopy(given)))  # noqa: B023
                np.testing.assert_equal(outcome(lambda: module.forward(given)), expected)  # noqa: B023
            module = made.clone()
            output = module.forward(x)
            if not isinstance(output, np.ndarray):
                continue
            gradients = module.updateGradInput(x, np.linspace(-1, 1, output.size, dtype="f").reshape(output.shape))
            gradient = gradients[place] if isinstance(gradients, list) and place < len(gradients) else None
            if isinstance(gradient, np.ndarray) and gradient.shape == output.shape:
                gradOutput, fresh = gradient[part], module.clone()
                expected = outcome(lambda: fresh.updateGradInput(x, gradOutput.copy()))  # noqa: B023
                np.testing.assert_equal(outcome(lambda: module.updateGradInput(x, gradOutput)), expected)  # noqa: B023


def test_what_a_pass_does_not_read_is_still_an_input() -> None:
    """The derivative of Tanh needs the output alone; a wrong input is an error in every pass."""
    layer, x = nn.Tanh(), np.ones((2, 3), "f")
    layer.forward(x)
    for _ in range(2):
        layer.backward(x, x)
    for _ in range(2):
        with pytest.raises(DtypeError, match="input: expected a float32 array, got None"):
            layer.backward(None, x)
        with pytest.raises(ShapeError, match="gradInput: expected 2 x 3, got 3 x 2"):
            layer.backward(x.T.copy(), x)
    assert layer.backward(x, x) is layer.gradInput


READ, WRITTEN = "const THFloatTensor *", "THFloatTensor *"


def prepared(function: Callable[..., Any]) -> PreparedCall:
    """A call of a function of Python, which gets the state, two arrays and a number."""
    slots = lambda: tuple(enumerate((TensorDescriptor("f", "input", READ), TensorDescriptor("f", "output", WRITTEN)), 1))  # noqa: E731

    def refuse(status: int, where: str) -> None:
        raise ShapeError(f"{where}: {status}")

    return PreparedCall(function, slots, refuse, "f")


class Thing:
    """An object with the fields of a pass."""

    def __init__(self, *fields: Any) -> None:
        self.fields = fields


def test_sizes_of_a_call() -> None:
    """A pass that repeats is one with arrays of the same sizes; another call of the function in between counts."""
    calls: list[Any] = []
    call = prepared(lambda state, x, y, number: calls.append((tuple(x.size[0 : x.nDimension]), number)))
    x, y = np.ones((2, 3), "f"), np.ones((2, 3), "f")
    thing = Thing(y, 5)
    call.run([None, x, y, 4])
    call.asPass(lambda thing: thing.fields, y)
    assert call.repeat(thing, (x,)) is y
    assert call.repeat(thing, (x.copy(),)) is y
    thing.fields = y, 6
    assert call.repeat(thing, (x,)) is y
    assert calls == [((2, 3), 4), ((2, 3), 5), ((2, 3), 5), ((2, 3), 6)]
    for input, fields in [(y, (y, 5)), (x, (y.copy(), 5)), (x, (None, 5)), (x[:1], (y, 5)), (x[:1], (y, 5)), (x, (y, 5))]:
        thing.fields = fields
        assert call.repeat(thing, (input,)) is None
    assert len(calls) == 4
    call.run([None, x[:1], y, 7])
    call.run([None, x, y, 7])
    call.asPass(lambda thing: thing.fields, y)
    assert call.repeat(thing, (x,)) is y
    call.run([None, x[:1], y, 7])
    assert call.repeat(thing, (x[:1],)) is None


def test_an_array_that_is_absent() -> None:
    seen: list[bool] = []
    call = prepared(lambda state, x, y: seen.append(bool(x)))
    x, y = np.ones(3, "f"), np.ones(3, "f")
    for input in (None, None, x, x, None, x):
        call.run([None, input, y])
    assert seen == [False, False, True, True, False, True]


def test_a_call_within_a_call() -> None:
    """A call within a call, as by a signal's handler, has its own descriptors."""
    x, y = np.arange(3, dtype="f"), np.zeros(3, "f")
    sizes: list[int] = []

    def function(state: Any, input: Any, output: Any, depth: int) -> None:
        if depth:
            call.run([None, np.ones(3 + depth, "f"), y, depth - 1])
        sizes.append(input.size[0])

    call = prepared(function)
    for _ in range(2):
        call.run([None, x, y, 2])
    assert sizes == [4, 5, 3] * 2


def test_a_call_of_another_thread() -> None:
    isIn, mayGo = threading.Event(), threading.Event()

    def function(state: Any, x: Any, y: Any) -> None:
        isIn.set()
        assert mayGo.wait(20)

    call = prepared(function)
    x = np.ones(3, "f")
    other = threading.Thread(target=call.run, args=([None, x, x],))
    other.start()
    try:
        assert isIn.wait(20)
        with pytest.raises(BusyError, match="another thread"):
            call.run([None, x, x])
    finally:
        mayGo.set()
        other.join()
    call.run([None, x, x])


def test_a_call_that_fails() -> None:
    results = iter([3, 0])
    call = prepared(lambda state, x, y: next(results))
    x = np.ones(3, "f")
    with pytest.raises(ShapeError, match="f: 3"):
        call.run([None, x, x])
    with pytest.raises(DtypeError, match="f: output: expected a float32 array"):
        call.run([None, x, [1]])
    call.run([None, x, x])


def test_bindings_are_one_for_each_object() -> None:
    layer = nn.Linear(2, 2)
    assert "_bindings" not in layer.__dict__
    bindings = Bindings.of(layer)
    assert Bindings.of(layer) is layer._bindings is bindings and not bindings.calls
    layer.backward(np.ones((1, 2), "f"), layer.forward(np.ones((1, 2), "f")))
    assert set(bindings.passes) == {"updateOutput", "updateGradInput"}
    assert bindings.calls.keys() == {f"Linear_{name}" for name in ("updateOutput", "updateGradInput", "accGradParameters")}
    assert bindings.calls.keys() < SIGNATURES.keys()
    with pytest.raises(AttributeError):
        bindings.another = 1  # type: ignore[attr-defined]


def test_a_module_whose_buffer_was_taken_away() -> None:
    layer, x = nn.SpatialMaxPooling(2, 2), np.random.default_rng(0).standard_normal((1, 4, 4)).astype("f")
    for _ in range(2):
        expected = layer.backward(x, layer.forward(x)).copy()
    for other in (None, np.empty(0, "f"), layer.gradInput.copy(), np.empty((1, 4, 5), "f")):
        layer.gradInput = other
        np.testing.assert_array_equal(layer.backward(x, layer.output), expected)
    layer.indices = np.empty(0, np.int64)
    np.testing.assert_array_equal(layer.forward(x), nn.SpatialMaxPooling(2, 2).forward(x))
    assert layer.indices.shape == layer.output.shape


@pytest.mark.parametrize("isFailing", [False, True])
def test_callers_keep_no_array(isFailing: bool) -> None:
    """A call for arrays that are no module's prepares the next one, and keeps neither its arrays nor their memory."""
    callers = backend.Callers("test")
    caller = callers.get(np.dtype(np.float32))
    for size in (3, 3, 4):
        input, target = np.arange(size, dtype="f"), np.ones(size - isFailing, "f")
        arrays = [weakref.ref(input), weakref.ref(target)]
        if isFailing:
            with pytest.raises(ShapeError):
                caller.call("pointwise_add", input, target, 2.0)
        else:
            caller.call("pointwise_add", input, target, 2.0)
            np.testing.assert_array_equal(target, 1 + 2 * np.arange(size))
        del input, target
        gc.collect()
        assert [array() for array in arrays] == [None, None]
    assert callers.get(np.dtype(np.float32)) is caller and callers.get(np.dtype(np.int64)) is None
