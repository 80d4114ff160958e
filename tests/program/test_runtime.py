"""Programs in C: what is refused when they are opened, what they compute, and what they do with the host's arrays."""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tests import capi
from tests.capi import lib
from tests.program.encoding import (
    ARENA,
    CONSTANTS,
    INPUT,
    NULL,
    OUTPUT,
    B,
    D,
    F,
    L,
    Program,
    ProgramError,
    aligned,
    call,
    calls,
    double,
    integer,
    port,
    program,
    tensor,
    text,
    views,
)

N = (0, 1)
WEIGHT = np.arange(12, dtype=np.float32).reshape(3, 4) / 8 - 0.5
BIAS = np.array([0.5, -1, 0.25], np.float32)
CONSTANTS_OF_LINEAR = WEIGHT.tobytes() + bytes(16) + BIAS.tobytes()  # bias at byte 64


def linear(n: Any, source: int = INPUT) -> bytes:
    weight, bias = tensor(F, CONSTANTS, 3, 4), tensor(F, CONSTANTS, 3, offset=64)
    return call("FloatLinear_updateOutput", tensor(F, source, n, 4), tensor(F, ARENA, n, 3), weight, bias)


def threshold(n: Any) -> bytes:
    return call("FloatThreshold_updateOutput", tensor(F, ARENA, n, 3), tensor(F, OUTPUT, n, 3), double(0), double(0), integer(0))


def network(n: Any = N, least: int = 1) -> bytes:
    arena = (0, 12) if isinstance(n, tuple) else 12 * n
    steps = [linear(n), threshold(n)]
    return calls(least=least, arena=arena, inputs=[port(F, n, 4)], outputs=[port(F, n, 3)], calls=steps)


def expected(x: np.ndarray) -> np.ndarray:
    return np.maximum(x @ WEIGHT.T + BIAS, 0)


def samples(n: int) -> np.ndarray:
    return np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)


NETWORK = program(network(), constants=CONSTANTS_OF_LINEAR)


def single(*arguments: bytes, name: str = "FloatAbs_updateOutput", **fields: Any) -> bytes:
    """A program of one call, which by default computes absolute values."""
    steps = [call(name, *(arguments or (tensor(F, INPUT, 3), tensor(F, OUTPUT, 3))))]
    return program(calls(**{"inputs": [port(F, 3)], "outputs": [port(F, 3)], "calls": steps} | fields), constants=bytes(64))


# ---------------------------------------------------------------------------------------------- results


def test_fixed_sizes() -> None:
    one = Program(program(network(2, 0), constants=CONSTANTS_OF_LINEAR))
    assert one.counts() == (1, 1)
    x = samples(2)
    np.testing.assert_allclose(one(x)[0], expected(x), rtol=1e-5, atol=1e-6)
    assert one.failure() == -1


@pytest.mark.parametrize("order", [*itertools.permutations([1, 2, 17])])
def test_free_size(order: tuple[int, ...]) -> None:
    """Sizes come in any order, again and again."""
    one = Program(NETWORK)
    for n in [*order, *order]:
        np.testing.assert_allclose(one(samples(n))[0], expected(samples(n)), rtol=1e-5, atol=1e-6)


def test_first_list_that_fits() -> None:
    """Two lists: one for a single sample, which computes something else, and one for others."""
    absolute = call("FloatAbs_updateOutput", tensor(F, INPUT, 1, 4), tensor(F, OUTPUT, 1, 4))
    first = calls(inputs=[port(F, 1, 4)], outputs=[port(F, 1, 4)], calls=[absolute])
    one = Program(program(first, network(), constants=CONSTANTS_OF_LINEAR))
    for n in (1, 2, 1, 3):
        x = samples(n)
        np.testing.assert_allclose(one(x)[0], np.abs(x) if n == 1 else expected(x), rtol=1e-5, atol=1e-6)


def test_a_smaller_arena_at_the_same_address() -> None:
    """An arena that is too large frees the one before. The next one may be smaller and at its address, as mapped memory is."""
    mapped = 1 << 20
    steps = [
        call("FloatAbs_updateOutput", tensor(F, INPUT, 3), tensor(F, ARENA, 3, offset=3000)),
        call("FloatAbs_updateOutput", tensor(F, ARENA, 3, offset=3000), tensor(F, OUTPUT, 3)),
    ]
    large = calls(arena=mapped + 4096, inputs=[port(F, 3)], outputs=[port(F, 3)], calls=steps)
    absolute = call("FloatAbs_updateOutput", tensor(F, INPUT, N, 4), tensor(F, OUTPUT, N, 4))
    step = 1 << 60
    free = calls(least=1, arena=(mapped - step, step), inputs=[port(F, N, 4)], outputs=[port(F, N, 4)], calls=[absolute])
    one = Program(program(large, free))
    x = np.float32([-1, 2, -3])
    one(x)
    with pytest.raises(ProgramError, match=f"arena: expected memory of {mapped + step} bytes, got none"):
        one(samples(2))
    one(samples(1))
    assert one(x)[0].tolist() == [1, 2, 3]
    assert one.memory() >= mapped + 4096


def test_sizes_of_expressions() -> None:
    """2n + 1 elements: n follows from them, and a number of a call depends on n."""
    size = (1, 2)
    fill = call("arrayIota", tensor(F, OUTPUT, size), double(1), double(2))
    scan = call("arrayScan", tensor(F, INPUT, size), tensor(F, OUTPUT, size, index=1), integer((-3, 1)))
    ports = [port(F, size), port(F, size)]
    one = Program(program(calls(least=3, inputs=ports[:1], outputs=ports, calls=[fill, scan])))
    x = np.ones(7, np.float32)
    iota, sums = one(x)
    assert iota.tolist() == [1, 3, 5, 7, 9, 11, 13]
    assert sums.tolist() == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(ProgramError, match=r"arrayScan: dimension"):  # dimension 4 - 3
        one(np.ones(9, np.float32))
    assert one.failure() == 1
    one(x)
    assert one.failure() == -1
    for wrong in (8, 5, 0):
        with pytest.raises(ProgramError, match=rf"expected floats \(2 \* n \+ 1\) with n from 3 on, got floats {wrong}"):
            one.plan(np.ones(wrong, np.float32))


def test_unwritten_memory_is_nan() -> None:
    read = call("arrayCopy", tensor(F, ARENA, N), tensor(F, OUTPUT, N))
    one = Program(program(calls(least=1, arena=(0, 4), inputs=[port(F, N)], outputs=[port(F, N)], calls=[read])))
    for n in (3, 5, 4):
        assert np.isnan(one(np.ones(n, np.float32))[0]).all()


def test_random_state_is_the_program_s() -> None:
    draw = call("Floatuniform", tensor(F, OUTPUT, 3), double(0), double(1))
    one = Program(program(calls(inputs=[], outputs=[port(F, 3)], calls=[draw])))
    lib.THNN_manualSeed(one.state(), ctypes.c_uint64(7))
    first = one()[0]
    lib.THNN_manualSeed(one.state(), ctypes.c_uint64(7))
    assert one()[0].tolist() == first.tolist() != one()[0].tolist()


def test_all_functions_are_there() -> None:
    """Every layer function of the header can be called, but for those that only tell something; with the header's arguments."""
    for function in capi.GENERIC:
        for real, kind in (("Float", F), ("Double", D)):
            arguments = []
            for argument in function.arguments[1:]:
                if argument.type == "double":
                    arguments.append(double(1))
                elif argument.type in ("int64_t", "int32_t"):
                    arguments.append(integer(1))
                else:
                    type_ = L if "Long" in argument.type else B if "Byte" in argument.type else kind
                    arguments.append(tensor(type_, CONSTANTS if argument.type.startswith("const") else ARENA, 1))
            steps = [call(real + function.name, *arguments)]
            data = program(calls(arena=64, inputs=[], outputs=[], calls=steps), constants=bytes(64))
            if capi.asks(function):
                with pytest.raises(ProgramError, match="expected a function"):
                    Program(data)
            else:
                Program(data)


# ---------------------------------------------------------------------------------------------- the host's arrays


def test_strided_and_read_only_inputs() -> None:
    one, x = Program(NETWORK), samples(6)
    wide = np.zeros((6, 9), np.float32)
    wide[:, 1::2] = x
    reversed_ = np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    repeated = np.broadcast_to(x[:1], (6, 4))
    fixed = x.copy()
    fixed.flags.writeable = False
    for view in (wide[:, 1::2], reversed_, repeated, fixed, np.asfortranarray(x)):
        before = view.copy()
        np.testing.assert_allclose(one(view)[0], expected(view), rtol=1e-5, atol=1e-6)
        assert (view == before).all()
    assert one.memory() >= 6 * 12 + 6 * 16


def test_input_in_the_output_s_memory() -> None:
    """The input is read whole before the output is written."""
    step = call("arrayScan", tensor(F, INPUT, 6), tensor(F, OUTPUT, 6), integer(0))
    again = call("FloatAbs_updateOutput", tensor(F, INPUT, 6), tensor(F, OUTPUT, 6, index=1))
    one = Program(program(calls(inputs=[port(F, 6)], outputs=[port(F, 6)] * 2, calls=[step, again])))
    memory = np.arange(9, dtype=np.float32)
    x = memory[3:].copy()
    outputs = [memory[:6], np.empty(6, np.float32)]
    one.run([memory[3:]], outputs)
    assert outputs[0].tolist() == np.cumsum(x).tolist()
    assert outputs[1].tolist() == x.tolist()


def test_wrong_arrays() -> None:
    one, x = Program(NETWORK), samples(2)
    y = np.empty((2, 3), np.float32)
    takes = r"THNN_runProgram: inputs\[0\]: expected floats n x 4 with n from 1 on, got "
    arrays = {"doubles 2 x 4": x.astype(float), "floats 4": x[0], "floats 2 x 3": x[:, :3], "floats 0 x 4": x[:0]}
    for got, wrong in arrays.items():
        with pytest.raises(ProgramError, match=takes + got) as error:
            one.run([wrong], [y])
        assert error.value.status == capi.SHAPE
    for inputs, outputs, message in (
        ([], [y], r"inputs: expected 1 arrays, got 0"),
        ([x], [y, y], r"outputs: expected 1 arrays, got 2"),
        ([x], [y[:1]], r"outputs\[0\]: expected floats 2 x 3, got floats 1 x 3"),
        ([x], [y.astype(np.int64)], r"outputs\[0\]: expected floats 2 x 3, got longs 2 x 3"),
        ([x], [np.asfortranarray(y)], r"outputs\[0\]: expected a dense array"),
        ([x], [np.broadcast_to(y, (2, 3))], r"outputs\[0\]: expected memory that can be written"),
    ):
        with pytest.raises(ProgramError, match=message):
            one.run(inputs, outputs)
        assert one.failure() == -1
    np.testing.assert_allclose(one(x)[0], expected(x), rtol=1e-5, atol=1e-6)


def test_null_data_and_wild_descriptors() -> None:
    one, x, y = Program(NETWORK), samples(2), np.empty((2, 3), np.float32)
    for change, message in (
        ({"data": None}, r"\[0\]: expected memory"),
        ({"type": 9}, r"\[0\]: expected floats"),
        ({"nDimension": 99}, r"\[0\]: expected floats"),
        ({"nDimension": -1}, r"\[0\]: expected floats"),
    ):
        for which in range(2):
            arrays = [views([x]), views([y])]
            for name, value in change.items():
                setattr(arrays[which][0], name, value)
            assert lib.THNN_runProgram(one.handle, arrays[0], 1, arrays[1], 1) != 0
            assert re.search(("inputs", "outputs")[which] + message, capi.last_error())


def test_outputs_overlap() -> None:
    steps = [call("FloatAbs_updateOutput", tensor(F, INPUT, 3), tensor(F, OUTPUT, 3, index=i)) for i in range(2)]
    one = Program(program(calls(inputs=[port(F, 3)], outputs=[port(F, 3)] * 2, calls=steps)))
    memory = np.zeros(6, np.float32)
    with pytest.raises(ProgramError, match=r"outputs\[1\]: expected memory of its own"):
        one.run([np.ones(3, np.float32)], [memory[:3], memory[2:5]])
    one.run([np.ones(3, np.float32)], [memory[:3], memory[3:]])
    assert memory.tolist() == [1] * 6


def test_two_inputs() -> None:
    """n follows from the first input; the message about the second one says so."""
    first, second = tensor(D, INPUT, 2, N, strides=(0, 1)), tensor(D, INPUT, 2, N, index=1, strides=(N, 1))
    add = call("arrayApply", first, second, tensor(D, OUTPUT, 2, N, strides=(N, 1)), integer(0))
    one = Program(program(calls(least=1, inputs=[port(D, N), port(D, 2, N)], outputs=[port(D, 2, N)], calls=[add])))
    x, y = np.arange(3.0), np.ones((2, 3))
    assert one(x, y)[0].tolist() == [[1, 2, 3]] * 2
    with pytest.raises(ProgramError, match=r"inputs\[1\]: expected doubles 2 x n with n = 3 as before, got doubles 2 x 4"):
        one.plan(x, np.ones((2, 4)))


# ---------------------------------------------------------------------------------------------- wrong bytes

ABS = [tensor(F, INPUT, 3), tensor(F, OUTPUT, 3)]
HUGE = 2**62
MAY_WRITE = "expected memory that calls may write, the arena or an output, got "


def of_threshold(threshold: bytes, val: bytes, inplace: bytes) -> bytes:
    return single(*ABS, threshold, val, inplace, name="FloatThreshold_updateOutput")


def of_within(last: bytes) -> bytes:
    return single(ABS[0], double(0), double(1), last, name="arrayWithin")


def single_list(later: int = 0) -> bytes:
    return calls(later=later, inputs=[port(F, 3)], outputs=[port(F, 3)], calls=[call("FloatAbs_updateOutput", *ABS)])


def recurrent(later: int = 0, source: int | None = None, inputs: list[bytes] | None = None, n: Any = 3) -> bytes:
    """A list that adds its input to a state, which is 0 at first. It gives the sum, and leaves it as the state."""
    ports = [port(F, n)] * (2 if later else 1) if inputs is None else inputs
    state = tensor(F, INPUT, n, index=(1 if later else 0) if source is None else source)
    first = call("arrayFill", tensor(F, ARENA, n), double(0))
    total = [tensor(F, INPUT, n), state if later or source else tensor(F, ARENA, n), tensor(F, OUTPUT, n, index=1)]
    add = call("arrayApply", *total, integer(0))
    copy = call("arrayCopy", tensor(F, OUTPUT, n, index=1), tensor(F, OUTPUT, n))
    arena = (0, 12) if isinstance(n, tuple) else 12
    least = 1 if isinstance(n, tuple) else 0
    return calls(least=least, later=later, arena=arena, inputs=ports, outputs=[port(F, n)] * 2, calls=[first, add, copy])


CHECKED = program(network(), constants=CONSTANTS_OF_LINEAR, isChecked=True)
WRONG: list[tuple[str, bytes, str]] = [
    ("empty", b"", "expected a program, which begins with THNNprog"),
    ("other file", b"T7" * 100, "expected a program"),
    ("version", program(network(), version=2), "expected version 1 of programs, got 2"),
    ("big-endian", program(network(), mark=0x04030201), "expected the mark 0x01020304, got 0x04030201"),
    ("mark", program(network(), mark=5), "expected the mark 0x01020304, got 0x00000005"),
    ("size", program(network(), size=7), r"expected 7 bytes, as the program says, got \d+"),
    ("notes", program(network(), notes_bytes=2**32 - 1), "bytes of notes before the constants, got 4294967295"),
    ("notes in place of lists", program(network(), notes_bytes=510), "expected 1 list or more"),
    ("checksum", program(network(), constants=CONSTANTS_OF_LINEAR, isChecked=True)[:-1] + b"\1", "damaged"),
    ("checksum of the header", CHECKED[:44] + b"\1" + CHECKED[45:], "damaged"),
    ("later without states", program(single_list(later=1)), "because there are no states, got later 1"),
    ("no later list", program(recurrent(), states=1), "expected a later list, because there are states, got none"),
    ("a state of another type", program(recurrent(), recurrent(later=1, inputs=[port(F, 3), port(D, 3)]), states=1), "list 1"),
    ("a state of another rank", program(recurrent(), recurrent(later=1, inputs=[port(F, 3), port(F, 3, 1)]), states=1),
     "list 1: expected floats of 1 dimensions as state 0, as in list 0, got others"),
    ("later at first", program(recurrent(later=1), states=1), "because the first list is one, got later 1"),
    ("too large a mark of later lists", program(recurrent(), recurrent(later=2), states=1), "expected later 0 or 1, got 2"),
    ("no output for a state", program(recurrent(), states=3), "expected an output for each of 3 states, got 2"),
    ("inputs of a later list", program(recurrent(), recurrent(later=1, inputs=[port(F, 3)]), states=1),
     "expected 2 inputs, as list 0 has without the states, got 1"),
    ("a state in a first list", program(recurrent(source=1), recurrent(later=1), states=1), "expected an index below 1"),
    ("constants' place", NETWORK[:24] + b"\x48" + NETWORK[25:], "expected constants at a multiple of 64"),
    ("constants' size", program(network(), bytes=1), "bytes of constants behind their beginning, got 1"),
    ("no list", program(network(), lists=0), "expected 1 list or more"),
    ("many lists", program(network(), lists=2**32 - 1), "expected 1 list or more"),
    ("one list too many", program(network(), lists=2), r"list 1: "),
    ("rest", program(network() + b"\1", constants=CONSTANTS_OF_LINEAR),
     "expected zeros between the lists and the constants, got a byte of 1"),
    ("early end", program(network()[:136]),
     r"list 0, call 0 \(FloatLinear_updateOutput\), .*: expected . bytes before the constants, got"),
    ("least", program(calls(least=-1, inputs=[], outputs=[], calls=[])), "expected a least n of 0 and more, got -1"),
    ("n in a fixed list", program(network(N, 0)), "expected plain numbers"),
    ("no free size", program(network(2, 1)), "expected an input with a free size"),
    ("n shrinks", program(network((3, -1), 1)), "grows with n, got a factor of -1"),
    ("kind of number", single(inputs=[b"\0\1" + b"\2" + bytes(8)]), "expected a number of kind 0 or 1, got 2"),
    ("negative size", single(inputs=[port(F, -3)]), r"expected sizes of 0 and more for inputs\[0\]"),
    ("sizes", single(outputs=[port(F, HUGE, HUGE)]), r"fit into memory"),
    ("large sizes", single(outputs=[port(F, 0, HUGE, HUGE)]), r"fit into memory"),
    ("type of input", single(inputs=[port(4, 3)]), "expected a type from 0 to 3, got 4"),
    ("no dimension", single(inputs=[port(F)]), "expected 1 to 8 dimensions, got 0"),
    ("dimensions", single(inputs=[port(F, *[1] * 9)]), "expected 1 to 8 dimensions, got 9"),
    ("counts of lists", program(network(2, 0), calls(inputs=[], outputs=[port(F, 3)], calls=[]), constants=CONSTANTS_OF_LINEAR),
     r"list 1: expected 1 inputs, as list 0 has, got 0"),
    ("count of calls", program(network().replace(b"\2\0\0\0\x18", b"\xff\xff\xff\xff\x18"), constants=CONSTANTS_OF_LINEAR),
     "expected at most .* calls in the bytes that are left, got 4294967295"),
    ("arena", single(arena=-1), "expected an arena of 0 bytes and more"),
    ("unknown", single(name="FloatNothing"),
     r"list 0, call 0: expected a function of this library or one that is registered, got FloatNothing"),
    ("unreadable", single(name="\n\0\x7f"), r"got \?\?\?"),
    ("prefix", single(name="FloatAbs_updateOutpu"), "expected a function"),
    ("longer", single(name="FloatAbs_updateOutputs"), "expected a function"),
    ("no name", single(name=""), "expected a function"),
    ("sizes through a pointer", single(name="FloatSpatialMaxPooling_outputSize"), "expected a function"),
    ("count of arguments", single(ABS[0]), "expected 2 arguments, got 1"),
    ("kind of argument", single(ABS[0], b"\5"), "expected a kind of argument from 0 to 4, got 5"),
    ("integer for a tensor", single(ABS[0], integer(1)), r"argument 1 \(output\): expected a tensor, got an integer"),
    ("text for a tensor", single(ABS[0], text(b"a")), "expected a tensor, got a text"),
    ("tensor for a number", of_threshold(double(0), double(0), ABS[0]),
     r"argument 4 \(inplace\): expected an integer, got a tensor"),
    ("integer for a double", of_threshold(integer(0), double(0), integer(0)), "expected a double, got an integer"),
    ("double for an integer", of_threshold(double(0), double(0), double(0)), "expected an integer, got a double"),
    ("NULL for a number", of_threshold(double(0), double(0), NULL), "expected an integer, got NULL"),
    ("32 bits", of_threshold(double(0), double(0), integer(2**31)), "expected a number of 32 bits, got 2147483648"),
    ("type", single(ABS[0], tensor(D, OUTPUT, 3)), "expected a tensor of floats, got one of doubles"),
    ("type of double", single(*ABS, name="DoubleAbs_updateOutput"), "expected a tensor of doubles, got one of floats"),
    ("type of indices", single(*ABS, tensor(F, ARENA, 3), *[integer(1)] * 2, name="FloatTemporalMaxPooling_updateOutput"),
     "expected a tensor of longs, got one of floats"),
    ("memory", single(tensor(F, 4, 3), ABS[1]), "expected a memory from 0 to 3, got 4"),
    ("index of input", single(tensor(F, INPUT, 3, index=1), ABS[1]), "expected an index below 1, the number of inputs, got 1"),
    ("index of output", single(ABS[0], tensor(F, OUTPUT, 3, index=9)), "expected an index below 1, the number of outputs, got 9"),
    ("index of arena", single(tensor(F, ARENA, 3, index=1), ABS[1]), "expected an index below 1"),
    ("write to constants", single(ABS[0], tensor(F, CONSTANTS, 3)), rf"argument 1 \(output\): {MAY_WRITE}constants"),
    ("write to input", single(ABS[0], tensor(F, INPUT, 3)), f"{MAY_WRITE}an input"),
    ("beyond input", single(tensor(F, INPUT, 4), ABS[1]),
     "inside of the input's 12 bytes, got 4 with its first element at byte 0"),
    ("beyond output", single(ABS[0], tensor(F, OUTPUT, 3, offset=1)), "inside of the output's 12 bytes"),
    ("beyond constants", single(tensor(F, CONSTANTS, 3, offset=56), ABS[1]), "inside of the constants' 64 bytes"),
    ("beyond arena", single(tensor(F, ARENA, 1), ABS[1]), "inside of the arena's 0 bytes"),
    ("before", single(tensor(F, INPUT, 3, offset=-4), ABS[1]), "first element at byte -4"),
    ("backward", single(tensor(F, INPUT, 3, strides=(-1,)), ABS[1]), "inside of the input"),
    ("stride", single(tensor(F, INPUT, 3, strides=(2,)), ABS[1]), "inside of the input"),
    ("huge stride", single(tensor(F, INPUT, 3, strides=(HUGE,)), ABS[1]), "inside of the input"),
    ("huge strides", single(tensor(F, INPUT, 2, 2, strides=(2**63 - 1, 2**63 - 1)), ABS[1]), "inside of the input"),
    ("huge offset", single(tensor(F, INPUT, 3, offset=2**63 - 1), ABS[1]), "inside of the input"),
    ("empty beyond", single(tensor(F, INPUT, 0, offset=13), ABS[1]), "inside of the input"),
    ("huge size", single(tensor(F, INPUT, HUGE, strides=(0,)), ABS[1]), "fit into memory"),
    ("text", of_within(text(b"a\0b")), "expected a text without NUL"),
    ("long text", of_within(b"\4\xff\xff"), r"expected 65535 bytes of text before the constants"),
    ("NULL for a text", of_within(NULL), "expected a text, got NULL"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "message"), [pytest.param(data, message, id=name) for name, data, message in WRONG])
def test_wrong_bytes(data: bytes, message: str) -> None:
    with pytest.raises(ProgramError, match=f"THNN_openProgram: .*{message}") as error:
        Program(data)
    assert error.value.status != 0
    assert "\n" not in str(error.value)


def test_every_beginning_is_refused() -> None:
    """A program that is cut anywhere, with its size corrected, is refused, but for constants that no call reads."""
    for length in range(48, len(NETWORK) - 12, 5):
        part = bytearray(NETWORK[:length])
        part[16:24] = length.to_bytes(8, "little")
        with pytest.raises(ProgramError):
            Program(bytes(part))


def test_unaligned_bytes() -> None:
    data = aligned(b"\0" + NETWORK)[1:]
    handle = ctypes.c_void_p()
    assert lib.THNN_openProgram(ctypes.c_void_p(data.ctypes.data), ctypes.c_uint64(len(data)), ctypes.byref(handle)) == capi.VALUE
    assert "expected an address that is a multiple of 64, got one that is 1 beyond" in capi.last_error()
    assert not handle


def test_sizes_that_overflow_with_n() -> None:
    """A list may be right for its least n, and not for a large one."""
    step = call("FloatAbs_updateOutput", tensor(F, INPUT, 1), tensor(F, OUTPUT, 1))
    one = Program(program(calls(least=1, inputs=[port(F, N)], outputs=[port(F, (0, 2**58))], calls=[step])))
    one_sample = views([np.ones(32, np.float32)])
    assert lib.THNN_planProgram(one.handle, one_sample, 1, views([np.ones(1, np.float32)]), 1) == capi.SHAPE
    assert "outputs[0] that fit into memory, got others for n = 32" in capi.last_error()


# ---------------------------------------------------------------------------------------------- errors, threads, clones


def test_error_of_a_call() -> None:
    steps = [call("FloatAbs_updateOutput", *ABS), call("arrayWithin", ABS[0], double(0), double(1), text(b"probabilities"))]
    one = Program(single(calls=steps))
    one(np.ones(3, np.float32))
    with pytest.raises(ProgramError, match="probabilities") as error:
        one(np.full(3, 5, np.float32))
    assert (error.value.status, one.failure()) == (capi.INDEX, 1)
    one(np.ones(3, np.float32))
    assert one.failure() == -1


def test_clone() -> None:
    """A clone has memory of its own, shares the state, and may outlive the program."""
    one = Program(NETWORK)
    other = one.clone()
    again = other.clone()
    assert one.state().value == other.state().value == again.state().value
    del one
    x = samples(300)

    def work(own: Program) -> list[np.ndarray]:
        return [own(x[: n + 1])[0] for n in range(200)]

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(work, [other, again]))
    for n in range(200):
        assert (results[0][n] == results[1][n]).all()
        np.testing.assert_allclose(results[0][n], expected(x[: n + 1]), rtol=1e-5, atol=1e-6)


CALL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
names = (f"FloatOwnLayer{i}" for i in itertools.count())
kept: list[Any] = []
"""Registered functions: the library keeps them as long as the process lives."""


def register(function: Any, signature: bytes, name: str = "") -> str:
    kept.append(CALL(function))
    name = name or next(names)
    check = lib.THNN_registerLayer(name.encode(), kept[-1], signature)
    if check:
        raise ProgramError(check)
    return name


def test_registered_layer() -> None:
    seen = []

    def double_it(state: int, arguments: Any) -> int:
        source, target = (capi.Tensor.from_address(arguments[i]) for i in range(2))
        seen.append((state, arguments[2], arguments[3]))
        array = np.frombuffer((ctypes.c_float * source.size[0]).from_address(source.data), np.float32)
        np.frombuffer((ctypes.c_float * target.size[0]).from_address(target.data), np.float32)[:] = 2 * array
        return 0

    name = register(double_it, b"sfFib")
    one = Program(single(*ABS, integer(7), NULL, name=name))
    assert one(np.arange(3, dtype=np.float32))[0].tolist() == [0, 2, 4]
    assert seen == [(one.state().value, 7, None)]


def test_second_thread() -> None:
    """While a program runs, another thread gets an error, and so does the layer that it calls; a clone runs."""
    inside, go_on, answers = threading.Event(), threading.Event(), []

    def wait(state: int, arguments: Any) -> int:
        inside.set()
        assert go_on.wait(30)
        return 0

    one = Program(single(*ABS, name=register(wait, b"fF")))
    thread = threading.Thread(target=lambda: answers.append(one(np.ones(3, np.float32))))
    x, y = np.ones(3, np.float32), np.empty(3, np.float32)
    outputs = one.plan(x)
    clone = one.clone()
    thread.start()
    assert inside.wait(30)
    for attempt in (lambda: one.run([x], [y]), lambda: one.plan(x), one.memory):
        with pytest.raises(ProgramError, match="THNN_cloneProgram makes one for each thread") as error:
            attempt()
        assert error.value.status == capi.VALUE
    go_on.set()
    clone.run([x], [y])
    thread.join()
    assert len(answers) == 1
    one.run([x], outputs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_child() -> None:
    """A child that is forked while a thread of its parent runs the program can run it: it has no such thread."""
    waits, inside, go_on = [True], threading.Event(), threading.Event()

    def wait(state: int, arguments: Any) -> int:
        if waits[0]:
            inside.set()
            assert go_on.wait(30)
        return 0

    one, x = Program(single(*ABS, name=register(wait, b"fF"))), np.ones(3, np.float32)
    outputs = one.plan(x)
    thread = threading.Thread(target=one.run, args=([x], outputs))
    thread.start()
    assert inside.wait(30)
    if (child := os.fork()) == 0:
        waits[0] = False
        status = 1
        try:
            for _ in range(2):
                one.run([x], outputs)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    go_on.set()
    thread.join()
    waits[0] = False
    one.run([x], outputs)


def test_registering() -> None:
    def nothing(state: int, arguments: Any) -> int:
        return 0

    name = register(nothing, b"sfF")
    assert lib.THNN_registerLayer(name.encode(), kept[-1], b"fF") == 0  # the same: the state is no argument
    for arguments, message in (
        ((name.encode(), kept[-1], b"ff"), "is not registered yet"),
        ((b"FloatAbs_updateOutput", kept[-1], b"fF"), "this library's functions do not have"),
        ((b"arrayFill", kept[-1], b"Ad"), "this library's functions do not have"),
        ((b"Other", kept[-1], b"fF"), "begins with Float or Double"),
        ((b"FloatOther", kept[-1], b"fs"), "expected s for the state first"),
        ((b"FloatOther", kept[-1], b"x"), "letters of"),
        ((b"FloatOther", kept[-1], b"i" * 300), "at most 255 letters"),
        ((b"Float Other", kept[-1], b"fF"), "letters, digits and _"),
        ((b"", kept[-1], b""), "letters, digits and _"),
        ((b"F" * 300, kept[-1], b""), "letters, digits and _"),
    ):
        assert lib.THNN_registerLayer(*arguments) == capi.VALUE
        assert message in capi.last_error()
    with pytest.raises(ProgramError, match="is not registered yet"):
        register(lambda state, arguments: 1, b"sfF", name)


def test_failing_registered_layer() -> None:
    one = Program(single(*ABS, name=register(lambda state, arguments: 6, b"fF")))
    with pytest.raises(ProgramError) as error:
        one(np.ones(3, np.float32))
    assert (error.value.status, one.failure()) == (6, 0)


def test_threads_follow_the_default() -> None:
    """Until the program's state is given a number of its own, and again when it is given 0."""
    one, threads = Program(NETWORK), ctypes.c_int32()
    state = one.state()

    def of_program() -> int:
        lib.THNN_getNumThreads(state, ctypes.byref(threads))
        return threads.value

    try:
        for number_ in (3, 2):
            lib.THNN_setNumThreads(None, number_)
            assert of_program() == number_
        lib.THNN_setNumThreads(state, 1)
        assert of_program() == 1
        lib.THNN_setNumThreads(state, 0)
        assert of_program() == 2
    finally:
        lib.THNN_setNumThreads(None, 0)


def test_settings_are_those_of_the_default_state() -> None:
    """Plain kernels, as they were when the program was opened."""
    convolution = call(
        "FloatSpatialConvolutionMM_updateOutput", tensor(F, INPUT, 1, 16, 30, 30), tensor(F, OUTPUT, 1, 16, 28, 28),
        tensor(F, CONSTANTS, 16, 16 * 9), NULL, *[integer(v) for v in (3, 3, 1, 1, 0, 0)],
    )  # fmt: skip
    rng = np.random.default_rng(1)
    weight, x = rng.standard_normal((16, 144)).astype(np.float32), rng.standard_normal((1, 16, 30, 30)).astype(np.float32)
    data = program(
        calls(inputs=[port(F, 1, 16, 30, 30)], outputs=[port(F, 1, 16, 28, 28)], calls=[convolution]), constants=weight.tobytes()
    )
    results = []
    for way in (6, 1):  # Winograd's, and the plain sum
        lib.THNN_setConvolution(None, way)
        results.append(Program(data)(x)[0])
    lib.THNN_setConvolution(None, 0)
    assert (results[0] != results[1]).any()
    np.testing.assert_allclose(results[0], results[1], atol=1e-3)


# ---------------------------------------------------------------------------------------------- constants

SIDE = 30
CONVOLUTION = call(
    "FloatSpatialConvolutionMM_updateOutput", tensor(F, INPUT, 1, 16, SIDE, SIDE), tensor(F, OUTPUT, 1, 16, SIDE - 2, SIDE - 2),
    tensor(F, CONSTANTS, 16, 16 * 9), NULL, *[integer(v) for v in (3, 3, 1, 1, 0, 0)],
)  # fmt: skip
KERNELS, OTHERS, PICTURE = (
    np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    for seed, shape in ((1, (16, 144)), (2, (16, 144)), (3, (1, 16, SIDE, SIDE)))
)


def convolving(weight: np.ndarray) -> bytes:
    ports = [port(F, 1, 16, SIDE, SIDE)], [port(F, 1, 16, SIDE - 2, SIDE - 2)]
    return program(calls(inputs=ports[0], outputs=ports[1], calls=[CONVOLUTION]), constants=weight.tobytes())


def convolved(weight: np.ndarray) -> np.ndarray:
    return Program(convolving(weight))(PICTURE)[0]


def overwrite(one: Program, weight: np.ndarray) -> None:
    """Breaks the promise that a program's bytes do not change, which shows whether anybody looks at them."""
    one.bytes[-weight.nbytes :] = weight.view(np.uint8).reshape(-1)


def test_constants_are_packed_in_the_first_run() -> None:
    """Later runs do not look at them, until scratch memory is freed."""
    old, new = convolved(KERNELS), convolved(OTHERS)
    assert (old != new).all()
    one = Program(convolving(KERNELS))
    np.testing.assert_array_equal(one(PICTURE)[0], old)
    overwrite(one, OTHERS)
    for _ in range(3):
        np.testing.assert_array_equal(one(PICTURE)[0], old)
    assert lib.THNN_freeScratch(one.state()) == 0
    for _ in range(3):
        np.testing.assert_array_equal(one(PICTURE)[0], new)


def test_clones_share_packed_constants() -> None:
    """They stay while one of the programs is open; a closed one takes nothing with it."""
    old = convolved(KERNELS)
    one = Program(convolving(KERNELS))
    other = one.clone()
    np.testing.assert_array_equal(one(PICTURE)[0], old)
    overwrite(one, OTHERS)
    np.testing.assert_array_equal(other(PICTURE)[0], old)
    del one
    np.testing.assert_array_equal(other(PICTURE)[0], old)
    last = other.clone()
    del other
    np.testing.assert_array_equal(last(PICTURE)[0], old)


def test_another_program_in_the_same_memory() -> None:
    """The packed memory of a program is freed with the last of its clones."""
    old, new = convolved(KERNELS), convolved(OTHERS)
    memory = aligned(convolving(KERNELS))
    for weight, result in ((KERNELS, old), (OTHERS, new), (KERNELS, old)):
        memory[:] = np.frombuffer(convolving(weight), np.uint8)
        one = Program(convolving(weight), memory)
        other = one.clone()
        np.testing.assert_array_equal(other(PICTURE)[0], result)
        del one
        np.testing.assert_array_equal(other(PICTURE)[0], result)
        del other


def test_programs_with_different_constants_at_once() -> None:
    old, new = convolved(KERNELS), convolved(OTHERS)
    one, other = Program(convolving(KERNELS)), Program(convolving(OTHERS))
    for _ in range(3):
        np.testing.assert_array_equal(one(PICTURE)[0], old)
        np.testing.assert_array_equal(other(PICTURE)[0], new)


def test_weights_outside_of_the_constants_may_change() -> None:
    """Weights that are an input, and those of calls that the host makes with another state on the program's memory."""
    steps = [
        call(
            "FloatSpatialConvolutionMM_updateOutput", tensor(F, INPUT, 1, 16, SIDE, SIDE),
            tensor(F, OUTPUT, 1, 16, SIDE - 2, SIDE - 2), tensor(F, INPUT, 16, 144, index=1), NULL,
            *[integer(v) for v in (3, 3, 1, 1, 0, 0)],
        )
    ]  # fmt: skip
    ports = [port(F, 1, 16, SIDE, SIDE), port(F, 16, 144)], [port(F, 1, 16, SIDE - 2, SIDE - 2)]
    one = Program(program(calls(inputs=ports[0], outputs=ports[1], calls=steps), constants=KERNELS.tobytes()))
    weight = KERNELS.copy()
    for content in (KERNELS, KERNELS, OTHERS, KERNELS, OTHERS):
        weight[:] = content
        np.testing.assert_array_equal(one(PICTURE, weight)[0], convolved(content))

    owner = Program(convolving(KERNELS))
    owner(PICTURE)
    weight = owner.bytes[-KERNELS.nbytes :].view(np.float32).reshape(16, 144)
    output = np.empty((1, 16, SIDE - 2, SIDE - 2), np.float32)
    state = ctypes.c_void_p()
    assert lib.THNN_newState(ctypes.byref(state)) == 0
    lib.THNN_setConvolution(state, 7)
    for content in (KERNELS, KERNELS, KERNELS, OTHERS):
        overwrite(owner, content)
        arrays = [ctypes.byref(capi.describe(array)) for array in (PICTURE, output, weight)]
        sizes = [ctypes.c_int64(v) for v in (3, 3, 1, 1, 0, 0)]
        assert lib.THNN_FloatSpatialConvolutionMM_updateOutput(state, *arrays, None, *sizes) == 0
        np.testing.assert_array_equal(output, convolved(content))
    lib.THNN_freeState(state)


def test_a_sample_has_the_same_bits_in_all_batches() -> None:
    """Convolutions have the algorithm for a single sample's sizes, whatever the default state chooses."""
    sizes = 128, 7, 7
    convolution = call(
        "FloatSpatialConvolutionMM_updateOutput", tensor(F, INPUT, N, *sizes), tensor(F, OUTPUT, N, *sizes),
        tensor(F, CONSTANTS, 128, 128 * 9), NULL, *[integer(v) for v in (3, 3, 1, 1, 1, 1)],
    )  # fmt: skip
    rng = np.random.default_rng(1)
    weight, x = (rng.standard_normal(shape).astype(np.float32) for shape in ((128, 128 * 9), (9, *sizes)))
    data = calls(least=1, inputs=[port(F, N, *sizes)], outputs=[port(F, N, *sizes)], calls=[convolution])
    one = Program(program(data, constants=weight.tobytes()))
    whole = one(x)[0]
    for n in (1, 2, 5):
        np.testing.assert_array_equal(one(x[:n])[0], whole[:n])
    lib.THNN_setConvolution(one.state(), 0)  # the choice by the number of samples
    assert (one(x[:1])[0] != whole[:1]).any() or (one(x)[0] != whole).any()


def test_an_error_names_the_sizes() -> None:
    """A list for one sample and that for all larger batches are told as one, and those that do not fit are counted."""
    one = Program(program(network(1, 0), network(least=2), network(7, 0), constants=CONSTANTS_OF_LINEAR))
    with pytest.raises(ProgramError, match=r"expected floats n x 4, or floats 7 x 4, got floats 2 x 5$"):
        one(np.zeros((2, 5), np.float32))
    sizes = range(100, 200)
    many = Program(program(*[network(size, 0) for size in sizes], constants=CONSTANTS_OF_LINEAR))
    with pytest.raises(ProgramError) as error:
        many(np.zeros((2, 4), np.float32))
    told = re.fullmatch(
        r"THNN_planProgram: inputs\[0\]: expected (.*), or one of (\d+) others, got floats 2 x 4", str(error.value)
    )
    assert told is not None
    named = told[1].split(", or ")
    assert named == [f"floats {size} x 4" for size in sizes[: len(named)]] and len(named) + int(told[2]) == len(sizes)


# ---------------------------------------------------------------------------------------------- states


def test_a_state_is_kept_until_it_is_forgotten() -> None:
    one = Program(program(recurrent(), recurrent(later=1), states=1))
    assert one.counts() == (1, 1)
    x = np.array([1, 2, 3], np.float32)
    for _ in range(2):
        for times in range(1, 5):
            np.testing.assert_array_equal(one(x)[0], times * x)
        one.forget()
    other = one.clone()
    one(x)
    np.testing.assert_array_equal(other(x)[0], x)
    np.testing.assert_array_equal(one(x)[0], 2 * x)


def test_a_run_that_fails_leaves_the_state() -> None:
    """The last call of the later list fails for an index of 5."""
    within = call("arrayWithin", tensor(F, INPUT, 3), double(0), double(4), text(b"x"))
    later = recurrent(later=1)
    one = Program(program(recurrent(), with_call(later, within), states=1))
    x = np.array([1, 2, 3], np.float32)
    one(x)
    one(x)
    with pytest.raises(ProgramError):
        one(x + 2)
    assert one.failed() == (1, 3)
    np.testing.assert_array_equal(one(x)[0], 3 * x)
    assert one.failed() == (-1, -1)


def with_call(listed: bytes, further: bytes) -> bytes:
    """A list of three calls with one more at its end."""
    place = listed.index((3).to_bytes(4, "little") + b"\x09arrayFill")
    return listed[:place] + (4).to_bytes(4, "little") + listed[place + 4 :] + further


def test_a_state_has_the_sizes_of_its_run() -> None:
    one = Program(program(recurrent(n=N), recurrent(later=1, n=N), states=1))
    one(np.ones(3, np.float32))
    for run in (one.plan, one):
        with pytest.raises(ProgramError, match=r"expected the sizes of the run before, .*THNN_forgetProgram begins anew"):
            run(np.ones(4, np.float32))
    np.testing.assert_array_equal(one(np.ones(3, np.float32))[0], [2, 2, 2])
    one.forget()
    np.testing.assert_array_equal(one(np.ones(4, np.float32))[0], [1, 1, 1, 1])


def test_a_state_that_no_call_writes_is_not_a_number() -> None:
    """The memory of states holds nothing of the host's."""
    copy = call("arrayCopy", tensor(F, INPUT, 3), tensor(F, OUTPUT, 3))
    show = call("arrayCopy", tensor(F, INPUT, 3, index=1), tensor(F, OUTPUT, 3))
    ports = [port(F, 3)] * 2
    first = calls(inputs=ports[:1], outputs=ports, calls=[copy])
    one = Program(program(first, calls(later=1, inputs=ports, outputs=ports, calls=[show]), states=1))
    x = np.ones(3, np.float32)
    one(x)
    assert np.isnan(one(x)[0]).all() and np.isnan(one(x)[0]).all()


def test_the_output_may_be_the_input() -> None:
    one = Program(program(recurrent(), recurrent(later=1), states=1))
    x = np.array([1, 2, 3], np.float32)
    one.run([x], [x])
    one.run([x], [x])
    np.testing.assert_array_equal(x, [2, 4, 6])


# ---------------------------------------------------------------------------------------------- files


def open_file(path: Any) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    status = lib.THNN_openProgramFile(os.fsencode(path), ctypes.byref(handle))
    if status:
        raise ProgramError(status)
    return handle


def test_a_file(tmp_path: Any) -> None:
    """A file may be deleted while a program of it, or a clone, is open."""
    path = tmp_path / "net.thnn"
    data = program(network(), constants=CONSTANTS_OF_LINEAR, notes=b"label a\nlabel b\n", isChecked=True)
    path.write_bytes(data)
    one = Program.__new__(Program)
    one.bytes, one.handle = np.empty(0), open_file(path)
    path.unlink()
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    expected = Program(data)(x)[0]
    np.testing.assert_array_equal(one(x)[0], expected)
    address, size = ctypes.c_void_p(), ctypes.c_uint64()
    assert lib.THNN_programNotes(one.handle, ctypes.byref(address), ctypes.byref(size)) == 0
    assert ctypes.string_at(address.value or 0, size.value) == b"label a\nlabel b\n"
    other = one.clone()
    del one
    np.testing.assert_array_equal(other(x)[0], expected)


def test_a_mapped_file(tmp_path: Any) -> None:
    """Its bytes are the file's, also after their pages were given back, and after the file was deleted."""
    content = np.random.default_rng(3).bytes(3 * 4096 + 5)
    path = tmp_path / "weights"
    path.write_bytes(content)
    address, size = ctypes.c_void_p(), ctypes.c_uint64()
    assert lib.THNN_mapFile(os.fsencode(path), ctypes.byref(address), ctypes.byref(size)) == 0
    assert address.value is not None and address.value % 64 == 0
    path.unlink()
    for _ in range(2):
        assert ctypes.string_at(address.value, size.value) == content
        assert lib.THNN_releasePages(ctypes.c_void_p(address.value + 1), ctypes.c_uint64(size.value - 1)) == 0
    assert lib.THNN_unmapFile(address, size) == 0
    (tmp_path / "empty").touch()
    for name, what in (("empty", "an empty file"), ("none", "No such file or directory"), (".", "not a regular file")):
        status = lib.THNN_mapFile(os.fsencode(tmp_path / name), ctypes.byref(address), ctypes.byref(size))
        assert status == capi.VALUE and capi.last_error().endswith(f": {what}")


def test_inputs_of_lists() -> None:
    one = Program(program(network(2, 0), network(), constants=CONSTANTS_OF_LINEAR))
    array = views([np.empty((1, 1), np.float32)])
    for list, size in ((0, 2), (1, 1)):
        assert lib.THNN_programInputs(one.handle, list, array, 1) == 0
        assert (array[0].type, array[0].nDimension, [*array[0].size[:2]]) == (F, 2, [size, 4])
    for list in (-1, 2):
        assert lib.THNN_programInputs(one.handle, list, array, 1) == capi.VALUE
        assert capi.last_error() == f"THNN_programInputs: list: expected a number below 2, got {list}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "missing: No such file or directory"),
        ("folder", "folder: not a regular file"),
        ("pipe", "pipe: not a regular file"),
        ("empty", "empty: an empty file"),
        ("text", "expected a program, which begins with THNNprog"),
        ("cut", r"expected \d+ bytes, as the program says, got"),
        ("damaged", "damaged"),
    ],
)
def test_files_that_are_none(tmp_path: Any, name: str, message: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    data = program(network(), constants=CONSTANTS_OF_LINEAR, isChecked=True)
    contents = {"empty": b"", "text": b"T7" * 100, "cut": data[:-5], "damaged": data[:-20] + b"?" + data[-19:]}
    for file, content in contents.items():
        (tmp_path / file).write_bytes(content)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(ProgramError, match=f"THNN_openProgramFile: .*{message}"):
        open_file(tmp_path / name)
    assert before == (len(os.listdir("/proc/self/fd")) if before else 0)


def test_every_byte_of_a_file_is_checked() -> None:
    data = program(network(), constants=CONSTANTS_OF_LINEAR, notes=b"label a\n", isChecked=True)
    Program(data)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        with pytest.raises(ProgramError):
            Program(bytes(changed))
