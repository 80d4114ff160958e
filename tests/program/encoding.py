"""Encodes programs as THNN/program/format.h says, and runs them through ctypes."""

from __future__ import annotations

import ctypes
import struct
import zlib
from typing import Any

import numpy as np

from tests import capi
from tests.capi import lib

TYPES = {np.dtype(np.float32): 0, np.dtype(np.float64): 1, np.dtype(np.int64): 2, np.dtype(np.uint8): 3}
F, D, L, B = range(4)
CONSTANTS, ARENA, INPUT, OUTPUT = range(4)
NULL = b"\0"

Number = int | tuple[int, int]


class Array(capi.Tensor):
    """A THNNArray."""

    _fields_ = [("type", ctypes.c_int32), ("reserved", ctypes.c_int32)]


# ---------------------------------------------------------------------------------------------- bytes


def number(value: Number) -> bytes:
    """A plain number, or the pair (a, b) for a + b * n."""
    return struct.pack("<Bqq", 1, *value) if isinstance(value, tuple) else struct.pack("<Bq", 0, value)


def port(type: int, *sizes: Number) -> bytes:
    return struct.pack("<BB", type, len(sizes)) + b"".join(map(number, sizes))


def tensor(
    type: int,
    memory: int,
    *sizes: Number,
    index: int = 0,
    offset: Number = 0,
    strides: tuple[Number, ...] | None = None,
) -> bytes:
    """A tensor argument. Without `strides` it is dense, and all sizes but the first are plain numbers."""
    if strides is None:
        plain = [1, *(size for size in sizes[:0:-1] if isinstance(size, int))]
        strides = tuple(int(stride) for stride in np.cumprod(plain)[::-1])
    dims = struct.pack("<B", len(sizes)) + b"".join(map(number, sizes)) + b"".join(map(number, strides))
    return struct.pack("<BBBI", 1, type, memory, index) + number(offset) + dims


def integer(value: Number) -> bytes:
    return b"\2" + number(value)


def double(value: float) -> bytes:
    return struct.pack("<Bd", 3, value)


def text(value: bytes) -> bytes:
    return struct.pack("<BH", 4, len(value)) + value


def call(name: str, *arguments: bytes, count: int | None = None) -> bytes:
    return bytes([len(name)]) + name.encode() + bytes([len(arguments) if count is None else count]) + b"".join(arguments)


def calls(
    *, least: int = 0, later: int = 0, arena: Number = 0, inputs: list[bytes], outputs: list[bytes], calls: list[bytes]
) -> bytes:
    """A list."""
    parts = [struct.pack("<qB", least, later), number(arena)]
    for items in (inputs, outputs, calls):
        parts += [struct.pack("<I", len(items)), *items]
    return b"".join(parts)


def program(*lists: bytes, constants: bytes = b"", notes: bytes = b"", isChecked: bool = False, **header: int) -> bytes:
    """The whole; `header` has other values for fields of the header. With `isChecked`, it has its checksum."""
    body = notes + b"".join(lists)
    offset = -(-(56 + len(body)) // 64) * 64
    fields = {"version": 1, "mark": 0x01020304, "size": offset + len(constants), "constants": offset, "bytes": len(constants)}
    fields |= {"lists": len(lists), "states": 0, "notes_bytes": len(notes)} | header
    head = b"THNNprog" + struct.pack("<IIQQQIII", *fields.values())
    rest = body + bytes(offset - 56 - len(body)) + constants
    return head + struct.pack("<I", zlib.crc32(head + rest) if isChecked else 0) + rest


# ---------------------------------------------------------------------------------------------- runs


def aligned(data: bytes, alignment: int = 64) -> np.ndarray:
    """The bytes in memory that begins at a multiple of `alignment`."""
    memory = np.empty(len(data) + alignment, np.uint8)
    start = -memory.ctypes.data % alignment
    memory[start : start + len(data)] = np.frombuffer(data, np.uint8)
    return memory[start:][: max(len(data), 1)]


def describe(array: np.ndarray) -> Array:
    """A view of the array, whose memory the caller keeps alive."""
    view = Array(type=TYPES[array.dtype])
    ctypes.memmove(ctypes.byref(view), ctypes.byref(capi.describe(array)), ctypes.sizeof(capi.Tensor))
    return view


def views(arrays: list[np.ndarray]) -> Any:
    return (Array * max(len(arrays), 1))(*map(describe, arrays))


class ProgramError(Exception):
    """An error of the library; `status` is its code."""

    def __init__(self, status: int) -> None:
        super().__init__(capi.last_error())
        self.status = status


def check(status: int) -> None:
    if status:
        raise ProgramError(status)


class Program:
    """An open program, closed when it is collected."""

    def __init__(self, data: bytes, memory: np.ndarray | None = None) -> None:
        self.bytes, self.handle = aligned(data) if memory is None else memory, ctypes.c_void_p()
        address, size = ctypes.c_void_p(self.bytes.ctypes.data), ctypes.c_uint64(len(data))
        check(lib.THNN_openProgram(address, size, ctypes.byref(self.handle)))

    def __del__(self) -> None:
        lib.THNN_closeProgram(self.handle)

    def clone(self) -> Program:
        other = Program.__new__(Program)
        other.bytes, other.handle = self.bytes, ctypes.c_void_p()
        check(lib.THNN_cloneProgram(self.handle, ctypes.byref(other.handle)))
        return other

    def counts(self) -> tuple[int, int]:
        inputs, outputs = ctypes.c_int32(), ctypes.c_int32()
        check(lib.THNN_programCounts(self.handle, ctypes.byref(inputs), ctypes.byref(outputs)))
        return inputs.value, outputs.value

    def plan(self, *inputs: np.ndarray) -> list[np.ndarray]:
        """New arrays for the outputs."""
        outputs = (Array * max(self.counts()[1], 1))()
        check(lib.THNN_planProgram(self.handle, views([*inputs]), len(inputs), outputs, self.counts()[1]))
        names = {value: key for key, value in TYPES.items()}
        return [np.empty(view.size[: view.nDimension], names[view.type]) for view in outputs[: self.counts()[1]]]

    def run(self, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> None:
        check(lib.THNN_runProgram(self.handle, views(inputs), len(inputs), views(outputs), len(outputs)))

    def __call__(self, *inputs: np.ndarray) -> list[np.ndarray]:
        outputs = self.plan(*inputs)
        self.run([*inputs], outputs)
        return outputs

    def failure(self) -> int:
        """The number of the call."""
        return self.failed()[1]

    def failed(self) -> tuple[int, int]:
        """The numbers of the list and the call."""
        list, call = ctypes.c_int32(), ctypes.c_int64()
        check(lib.THNN_programFailure(self.handle, ctypes.byref(list), ctypes.byref(call)))
        return list.value, call.value

    def forget(self) -> None:
        check(lib.THNN_forgetProgram(self.handle))

    def state(self) -> ctypes.c_void_p:
        state = ctypes.c_void_p()
        check(lib.THNN_programState(self.handle, ctypes.byref(state)))
        return state

    def memory(self) -> int:
        number = ctypes.c_uint64()
        check(lib.THNN_programBytes(self.handle, ctypes.byref(number)))
        return number.value
