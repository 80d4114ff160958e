"""Calls every function of libTHNN in several floating-point environments of the host.

``python -m tests.core.environments HOST MODE...`` makes the first call of the process in the first MODE, so that the library
makes its threads in it, and calls every function on small arrays in all of them. Results must be those of the default
environment and one thread, bit for bit. Control, status flags and errno must be the same after a call as before. The program
prints how many calls it made. HOST is environment.c as a shared library.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tests import capi
from tests.capi import FUNCTIONS, GENERIC, Call, is_tensor, lib
from tests.program import encoding

MODES = ["default", "flush", "traps", "up", "down", "zero", "flags"]  # as in environment.c
CHANGES = {1: "control", 2: "status flags", 4: "errno"}
ELEMENTS = 600_000
"""Size of the largest array of a call, so that threads share the work."""
FAST = ("Convolution", "Linear", "Sequence", "UpSampling")
"""Layers that share larger work only."""

NUMBERS = [math.nan, math.inf, -math.inf, -0.1234565, 0.0, 5e-324, 1.0, 0.3]
"""Values of each double argument: legal numbers, and others, whose message has the number."""


class Host:
    """Calls functions of a library in one mode or another. `path` is environment.c as a shared library."""

    def __init__(self, path: str, library: ctypes.CDLL = lib) -> None:
        self.c, self.library, self.calls = ctypes.CDLL(path), library, 0

    def run(self, mode: str, name: str, arguments: list[Any]) -> int:
        """Returns the status of a call. Between begin and end Python computes nothing."""
        function, begin, end = getattr(self.library, name), self.c.environment_begin, self.c.environment_end
        number, text = ctypes.c_int(MODES.index(mode)), ctypes.c_char_p(f"{name} in mode {mode}".encode())
        if not begin(number, text):
            return int(function(*arguments))
        status = function(*arguments)
        changed = end()
        self.calls += 1
        assert not changed, f"{name} in mode {mode} changes {[what for bit, what in CHANGES.items() if changed & bit]}"
        return status


def with_threads(count: int) -> None:
    lib.THNN_setNumThreads(None, count)


def sizes_for(function: Any, real: str) -> dict[str, int]:
    """Returns sizes of a batch whose largest array has about ELEMENTS elements."""
    call = capi.valid(function, real)
    shapes = [capi.parsed(argument.shape)[1] for argument in function.arguments if is_tensor(argument)]
    largest = max((array.size for array in call.arrays.values()), default=1)
    name = "any" if any("any" in names for names in shapes) else "N"
    elements = ELEMENTS * (2 if any(part in function.name for part in FAST) else 1)
    return capi.SIZES | {name: capi.SIZES[name] * max(elements // largest, 1)}


def filled(call: Call) -> Call:
    """Returns the call with numbers that are rounded, and with elements that flush-to-zero makes 0."""
    for argument in call.function.arguments:
        value = call.values.get(argument.name)
        if argument.type == "double":
            call.values[argument.name] = value * 0.9
        elif is_tensor(argument) and call.arrays[argument.name].dtype.kind == "f" and "column" not in argument.shape:
            flat = call.arrays[argument.name].reshape(-1)
            flat[::7] *= 2 * float(np.finfo(flat.dtype).smallest_subnormal) * 12345
    return call


def outcome(host: Host, mode: str, call: Call) -> tuple[int, str, list[bytes], list[int]]:
    """Returns status, message, arrays and sizes of a call. Its arrays are then as before."""
    kept = {name: array.copy() for name, array in call.arrays.items()}
    lib.THNN_manualSeed(None, ctypes.c_uint64(3))
    status = host.run(mode, call.name, call.arguments())
    written = [array.tobytes() for array in call.arrays.values()]
    answer = [*call.values.values()][-1]
    for name, array in call.arrays.items():
        array[...] = kept[name]
    return status, capi.last_error() if status else "", written, [*answer] if isinstance(answer, ctypes.Array) else []


def assert_equal(found: tuple[Any, ...], expected: tuple[Any, ...], what: str) -> None:
    for one, other, name in zip(found, expected, ("status", "message", "arrays", "sizes"), strict=True):
        assert one == other, f"{what}: {name}: expected {other if name != 'arrays' else 'those of one thread'}, got {one!s:.200}"


def large(host: Host, first: str) -> None:
    """Calls each function on arrays that several threads share: in the first mode, and in one of the others."""
    others = [mode for mode in MODES if mode != first]
    for number, function in enumerate(function for function in GENERIC if not capi.asks(function)):
        real = [*capi.REALS][(number + MODES.index(first)) % 2]
        call = filled(capi.valid(function, real, sizes_for(function, real)))
        with_threads(4)
        found = outcome(host, first, call)
        with_threads(1)
        expected = outcome(host, "default", call)
        assert expected[0] == 0, expected
        assert_equal(found, expected, f"{call.name} in mode {first} with 4 threads")
        mode, threads = others[number % len(others)], (2, 4, 1)[number // len(others) % 3]
        with_threads(threads)
        assert_equal(outcome(host, mode, call), expected, f"{call.name} in mode {mode} with {threads} threads")


def small(host: Host, function: Any, *modes: str) -> None:
    """Calls a function with numbers that may be illegal, and by its definition."""
    with_threads(1)
    for real in capi.REALS:
        call = filled(capi.valid(function, real))
        for argument in function.arguments:
            if argument.type == "double":
                usual = call.values[argument.name]
                for number in NUMBERS:
                    call.values[argument.name] = number
                    compare(host, modes, call, f"{call.name} with {argument.name} {number}")
                call.values[argument.name] = usual
        compare(host, modes, call, call.name)
        lib.THNN_setKernels(None, 1)
        compare(host, modes, call, f"the definition of {call.name}")
        lib.THNN_setKernels(None, 0)


def compare(host: Host, modes: Iterable[str], call: Call, what: str) -> None:
    expected = outcome(host, "default", call)
    for mode in modes:
        assert_equal(outcome(host, mode, call), expected, f"{what} in mode {mode}")


def others() -> Iterator[tuple[str, list[Any]]]:
    """Yields calls, right ones and wrong ones, of the functions that exist once, not for each element type."""
    state, place, word, count = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint32(), ctypes.c_int32()
    order, bytes_ = np.zeros(9, np.int64), np.zeros(5048, np.uint8)
    dl = (ctypes.c_int64 * 6)()
    for name in ("versionNumber", "abiVersion", "lastError", "blas"):
        yield name, []
    for number in (-1, 1, 3):
        yield "checkVersion", [number]
        yield "layerInterface", [number]
    yield "setLastError", [1, ctypes.c_char_p(b"text")]
    yield "setLastError", [1, None]
    weights = np.ones(9, "f")
    for size in (weights.nbytes, 0):
        yield "newProgramState", [ctypes.c_void_p(weights.ctypes.data if size else None), ctypes.c_uint64(9), ctypes.byref(state)]
    yield "stateBytes", [state, ctypes.byref(place), None]
    yield "stateBytes", [state, ctypes.byref(place), ctypes.byref(place)]
    yield "freeState", [state]
    yield "newState", [None]
    yield "newState", [ctypes.byref(state)]
    for name, out in (("getNumThreads", count), ("random", word), ("initialSeed", place)):
        yield name, [state, None]
        yield name, [state, ctypes.byref(out)]
    yield "fixConvolutions", [1]
    yield "fixConvolutions", [0]
    for name in ("setNumThreads", "setPoolingBackward", "setKernels", "setConvolution"):
        yield name, [state, -1]
        yield name, [state, 0]
    yield "manualSeed", [state, ctypes.c_uint64(1)]
    yield "setCacheBytes", [state, ctypes.c_uint64(1)]
    for name, array in (("randperm", order), ("getRNGState", bytes_), ("setRNGState", bytes_)):
        yield name, [state, None]
        yield name, [state, ctypes.byref(capi.describe(array))]
    for real, array in (("Float", np.ones(3, "f")), ("Double", np.ones(3)), ("Long", order), ("Byte", bytes_)):
        tensor = ctypes.byref(capi.describe(array))
        yield f"{real}Tensor_toDLPack", [tensor, ctypes.byref(dl)]
        yield f"{real}Tensor_fromDLPack", [tensor, ctypes.byref(dl)]
        yield f"{real}Tensor_fromDLPack", [tensor, None]
    for function in FUNCTIONS:
        if function.name.startswith("THNN_array"):
            yield function.name.removeprefix("THNN_"), [state, *map(of_array, function.arguments[1:])]
    yield from programs()
    yield "freeScratch", [state]
    yield "freeState", [state]
    yield "freeState", [None]


ARRAYS: dict[str, np.ndarray] = {"indices": np.zeros(3, np.int64), "condition": np.ones((2, 3), np.uint8)}
WRITTEN = np.full((2, 3), 0.1, "f")


def of_array(argument: Any) -> Any:
    """An argument of an array function. Most calls are right; some output has another shape or type."""
    if "THNNArray" in argument.type:
        return ctypes.byref(encoding.describe(ARRAYS.get(argument.name, WRITTEN if argument.name == "output" else WRITTEN + 1)))
    return capi.NUMBERS[argument.type](1) if argument.type in capi.NUMBERS else ctypes.c_char_p(b"numbers")


def programs() -> Iterator[tuple[str, list[Any]]]:
    """Yields calls of the functions of programs."""
    absolute = encoding.call("FloatAbs_updateOutput", encoding.tensor(0, 2, 2, 3), encoding.tensor(0, 3, 2, 3))
    ports = [encoding.port(0, 2, 3)]
    data = encoding.aligned(encoding.program(encoding.calls(inputs=ports, outputs=ports, calls=[absolute])))
    program, clone, state = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    counts, failure = (ctypes.c_int32 * 2)(), (ctypes.c_int64 * 1)()
    text = ctypes.c_char_p()
    x, y = encoding.views([np.asfortranarray(WRITTEN)]), encoding.views([WRITTEN.copy()])
    for size in (data.size, data.size - 1):
        yield "openProgram", [ctypes.c_void_p(data.ctypes.data), ctypes.c_uint64(size), ctypes.byref(program)]
    yield "cloneProgram", [program, ctypes.byref(clone)]
    yield "programCounts", [program, ctypes.byref(counts), ctypes.byref(counts, 4)]
    for name in ("planProgram", "runProgram"):
        yield name, [program, x, 1, y, 1]
        yield name, [program, x, 1, y, 0]
    yield "openProgramFile", [b"no such file", ctypes.byref(clone)]
    yield "mapFile", [b"no such file", ctypes.byref(clone), ctypes.byref(failure)]
    yield "mapFile", [__file__.encode(), ctypes.byref(clone), ctypes.byref(failure)]
    yield "releasePages", [clone, ctypes.c_uint64(failure[0])]
    yield "unmapFile", [clone, ctypes.c_uint64(failure[0])]
    clone.value = None
    yield "programInputs", [program, 0, x, 1]
    yield "programInputs", [program, 1, x, 1]
    yield "programNotes", [program, ctypes.byref(text), ctypes.byref(failure)]
    yield "forgetProgram", [program]
    yield "programFailure", [program, ctypes.byref(counts), ctypes.byref(failure)]
    yield "programBytes", [program, ctypes.byref(failure)]
    yield "programState", [program, ctypes.byref(state)]
    yield "registerLayer", [b"FloatOfEnvironments", CALL, b"fF"]
    yield "registerLayer", [b"FloatOfEnvironments", CALL, b"wrong"]
    for each in (program, clone):
        yield "closeProgram", [each]


CALL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(lambda state, arguments: 0)


def messages() -> Iterator[str]:
    """Yields the messages of all functions about numbers."""
    for function in GENERIC:
        call = capi.valid(function, "Double")
        for argument in function.arguments:
            if argument.type == "double":
                usual = call.values[argument.name]
                for number in NUMBERS:
                    call.values[argument.name] = number
                    if call():
                        yield capi.last_error()
                call.values[argument.name] = usual


def main(path: str, *modes: str) -> None:
    host, first = Host(path), modes[0]
    large(host, first)
    for function in GENERIC:
        small(host, function, *modes)
    called = set()
    for name, arguments in others():
        host.run(first, f"THNN_{name}", arguments)
        called.add(f"THNN_{name}")
    missing = {function.name for function in FUNCTIONS if not function.generic} - called
    assert not missing, missing
    print(host.calls)


if __name__ == "__main__":
    main(*sys.argv[1:])
