"""Views of any strides, for outputs as for inputs: every function computes the same and writes nothing in between."""

from __future__ import annotations

import numpy as np
import pytest

from pytorch_legacy.backend.header import Argument, Function
from tests import capi
from tests.capi import GENERIC, Call, is_tensor, is_written, last_error
from tests.layouts import LAYOUTS
from tests.trees import assert_same

functions = pytest.mark.parametrize("function", GENERIC, ids=lambda f: f.name)
reals = pytest.mark.parametrize("real", capi.REALS)


def results(call: Call) -> dict[str, np.ndarray]:
    """What a successful call leaves in the arguments that it writes, and in the place for a size."""
    capi.lib.THNN_manualSeed(None, 1)
    assert call() == capi.OK, last_error()
    written = {a.name: call.arrays[a.name].copy() for a in call.function.arguments if is_tensor(a) and is_written(a)}
    if "size" in call.values:
        written["size"] = np.array(call.values["size"])
    return written


def lay_out(call: Call, name: str, layout: str) -> np.ndarray:
    """Moves an argument's elements; gives the memory that they lie in now, gaps included."""
    call.arrays[name] = array = LAYOUTS[layout](call.arrays[name])
    call.values[name] = capi.describe(array)
    return array if array.base is None else np.asarray(array.base)


def assert_same_results(call: Call, expected: dict[str, np.ndarray]) -> None:
    for name, array in results(call).items():
        assert_same(array, expected[name], name)


@pytest.mark.parametrize("layout", LAYOUTS)
@reals
@functions
def test_all_arguments(function: Function, real: str, layout: str) -> None:
    expected = results(capi.valid(function, real))
    call = capi.valid(function, real)
    memory = {a.name: lay_out(call, a.name, layout) for a in function.arguments if is_tensor(a)}
    gaps = {name: around.tobytes() for name, around in memory.items()}
    assert_same_results(call, expected)
    for argument in function.arguments:  # what is not an element of an output is as it was
        if is_tensor(argument):
            name = argument.name
            before = np.frombuffer(gaps[name], memory[name].dtype).reshape(memory[name].shape).copy()
            if is_written(argument):
                elements = np.zeros(memory[name].shape, bool)
                mark(elements, memory[name], call.arrays[name])
                assert_same(memory[name][~elements], before[~elements], name)
            else:
                assert_same(memory[name], before, name)


def mark(elements: np.ndarray, memory: np.ndarray, array: np.ndarray) -> None:
    """Sets those elements of `elements`, shaped as `memory`, whose bytes `array` covers."""
    index = np.arange(memory.nbytes).reshape(*memory.shape, memory.itemsize)[..., 0]
    start = array.ctypes.data - memory.ctypes.data
    covered = np.zeros(memory.nbytes, bool)
    for offset in np.ndindex(array.shape):
        at = start + sum(i * stride for i, stride in zip(offset, array.strides, strict=True))
        covered[at : at + array.itemsize] = True
    elements[...] = covered[index]


@pytest.mark.parametrize("layout", ["sliced", "reversed"])
@reals
@functions
def test_one_argument(function: Function, real: str, layout: str) -> None:
    """Each argument alone, while the others are dense."""
    expected = results(capi.valid(function, real))
    for argument in filter(is_tensor, function.arguments):
        call = capi.valid(function, real)
        lay_out(call, argument.name, layout)
        assert_same_results(call, expected)


def is_inplace(argument: Argument) -> bool:
    return "INPLACE" in argument.tags


@reals
@pytest.mark.parametrize("function", [f for f in GENERIC if any(map(is_inplace, f.arguments))], ids=lambda f: f.name)
def test_in_place(function: Function, real: str) -> None:
    """An output marked [INPLACE] may be the view that its shape is taken from; the result is the same."""
    expected = results(capi.valid(function, real))
    for layout in ("offset", "transposed"):
        call = capi.valid(function, real)
        output = next(a.name for a in function.arguments if is_inplace(a))
        source = "gradOutput" if output == "gradInput" and "gradOutput" in call.arrays else "input"
        lay_out(call, source, layout)
        call.arrays[output], call.values[output] = call.arrays[source], call.values[source]
        assert_same(results(call)[output], expected[output], f"{output} in the place of {source}")


@reals
@functions
def test_overlap(function: Function, real: str) -> None:
    """An output that reaches into what it is computed from is refused."""
    read = [a.name for a in function.arguments if "IN" in a.tags and not a.shape.endswith("not read")]
    written = [a.name for a in function.arguments if "OUT" in a.tags]
    pairs = [("output", "input"), ("gradInput", "gradOutput"), ("gradInput", "target")]
    for name, other in pairs:
        call = capi.valid(function, real)
        if name not in written or other not in read or call.arrays[other].dtype != capi.REALS[real]:
            continue
        if min(call.arrays[n].size for n in (other, name)) < 2:
            continue
        size = call.arrays[other].size + call.arrays[name].size
        memory = np.random.default_rng(3).uniform(0.5, 1.5, size).astype(capi.REALS[real])
        for argument, start in ((other, 0), (name, 1)):
            shape = call.arrays[argument].shape
            call.arrays[argument] = memory[start : start + call.arrays[argument].size].reshape(shape)
            call.values[argument] = capi.describe(call.arrays[argument])
        before = memory.tobytes()
        assert call() == capi.VALUE, f"{name} overlaps {other}"
        assert "overlap" in last_error()
        assert memory.tobytes() == before
