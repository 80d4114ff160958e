"""Views of any strides, for outputs as for inputs: every function computes the same and writes nothing in between."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from pytorch_legacy.backend.header import Argument, Function
from tests import capi
from tests.capi import GENERIC, Call, is_tensor, is_written, last_error
from tests.layouts import LAYOUTS
from tests.rows import all_of, rows
from tests.trees import assert_same

functions = rows("function", [(f.layer, f.name, f) for f in GENERIC])
reals = all_of("real", capi.REALS)


def results(call: Call) -> dict[str, np.ndarray]:
    """Returns the arguments that a successful call has written, and its size."""
    capi.lib.THNN_manualSeed(None, 1)
    assert call() == capi.OK, last_error()
    written = {a.name: call.arrays[a.name].copy() for a in call.function.arguments if is_tensor(a) and is_written(a)}
    if "size" in call.values:
        written["size"] = np.array(call.values["size"])
    return written


USUAL: dict[tuple[str, str], dict[str, np.ndarray]] = {}


def usual(function: Function, real: str) -> dict[str, np.ndarray]:
    """The results of a valid call, which is made once."""
    key = function.name, real
    if key not in USUAL:
        USUAL[key] = results(capi.valid(function, real))
    return USUAL[key]


def lay_out(call: Call, name: str, layout: str) -> np.ndarray:
    """Moves an argument's elements; gives the memory that they lie in now, gaps included."""
    call.arrays[name] = array = LAYOUTS[layout](call.arrays[name])
    call.values[name] = capi.describe(array)
    return array if array.base is None else np.asarray(array.base)


def assert_same_results(call: Call, expected: dict[str, np.ndarray]) -> None:
    for name, array in results(call).items():
        assert_same(array, expected[name], name)


@all_of("layout", LAYOUTS)
@reals
@functions
def test_all_arguments(function: Function, real: str, layout: str) -> None:
    expected = usual(function, real)
    call = capi.valid(function, real)
    memory = {a.name: lay_out(call, a.name, layout) for a in function.arguments if is_tensor(a)}
    gaps = {name: around.tobytes() for name, around in memory.items()}
    assert_same_results(call, expected)
    for argument in function.arguments:  # bytes between an output's elements are unchanged
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
    covered = np.zeros(memory.nbytes, bool)
    of_array = covered[array.ctypes.data - memory.ctypes.data :]
    as_strided(of_array, (*array.shape, array.itemsize), (*array.strides, 1))[...] = True
    elements[...] = covered.reshape(*memory.shape, memory.itemsize)[..., 0]


@all_of("layout", ["sliced", "reversed"])
@reals
@functions
def test_one_argument(function: Function, real: str, layout: str) -> None:
    """Each argument alone, while the others are dense."""
    expected = usual(function, real)
    for argument in filter(is_tensor, function.arguments):
        call = capi.valid(function, real)
        lay_out(call, argument.name, layout)
        assert_same_results(call, expected)


def is_inplace(argument: Argument) -> bool:
    return "INPLACE" in argument.tags


@reals
@rows("function", [(f.layer, f.name, f) for f in GENERIC if any(map(is_inplace, f.arguments))])
def test_in_place(function: Function, real: str) -> None:
    """An output marked [INPLACE] may be the view that its shape is taken from, or an input the output; the result is the same."""
    expected = usual(function, real)
    for layout in ("offset", "transposed"):
        call = capi.valid(function, real)
        marked = next(filter(is_inplace, function.arguments))
        output = marked.name if is_written(marked) else "output"
        given = "gradOutput" if output == "gradInput" and "gradOutput" in call.arrays else "input"
        source = given if is_written(marked) else marked.name
        lay_out(call, source, layout)
        call.arrays[output], call.values[output] = call.arrays[source], call.values[source]
        assert_same(results(call)[output], expected[output], f"{output} in the place of {source}")


@reals
@functions
def test_overlap(function: Function, real: str) -> None:
    """Memory that is written is apart from all other memory of the call, whatever it holds; else nothing is written."""
    given = [a for a in function.arguments if is_tensor(a) and not a.shape.endswith("not read")]
    for one, other in combinations(given, 2):
        written = [a for a in (one, other) if is_written(a)]
        call = capi.valid(function, real)
        if written and min(call.arrays[a.name].size for a in (one, other) if a.name in call.arrays):
            refuse_overlap(call, (one.name, other.name), written, is_inplace(one) or is_inplace(other))


def refuse_overlap(call: capi.Call, names: tuple[str, str], written: list[Argument], isInplace: bool) -> None:
    """The second begins at the first element of the first, or at the next one."""
    first, second = (call.arrays[name] for name in names)
    for start in (0, first.itemsize):
        same = start == 0 and first.shape == second.shape and first.dtype == second.dtype
        if start >= first.nbytes or (same and len(written) == 1 and isInplace):
            continue
        memory = np.zeros(start + first.nbytes + second.nbytes, np.uint8)
        places = [(names[0], first, 0), (names[1], second, start)]
        for name, array, at in sorted(places, key=lambda place: place[0] in [a.name for a in written]):
            call.arrays[name] = memory[at : at + array.nbytes].view(array.dtype).reshape(array.shape)
            call.arrays[name][...] = array
            call.values[name] = capi.describe(call.arrays[name])
        before = memory.tobytes()
        status = call()
        if status == capi.OK and same and "ACC" in written[0].tags:  # a step: the gradient may be the parameter
            continue
        if status == capi.OK:  # only the shape of such an argument counts: it is not read, or not written
            other = capi.valid(call.function, call.real)
            left, expected = other.contents(), results(other)
            changed = [a.name for a in written if other.contents()[a.name] != left[a.name]]
            assert len(changed) < 2
            for name in changed:
                assert_same(call.arrays[name], expected[name], name)
            continue
        wanted = [f"{a.name}: expected memory of its own, got memory that overlaps" for a in written]
        wanted += [f"{name}: expected 0 to" for name in names]  # indices that the other one's bytes have made bad
        assert any(f"{call.name}: {words}" in last_error() for words in wanted), f"{names}: {last_error()}"
        assert memory.tobytes() == before
