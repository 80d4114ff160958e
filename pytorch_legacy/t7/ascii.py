"""Reading and writing the scalars and arrays of an ASCII file.

Numbers are text, each write of them ended by a newline; strings and the elements of byte and char
storages are raw bytes, followed by a newline if there are any. So the newlines cannot split the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from .binary import Buffer
from .layouts import DType
from .nodes import Malformed

_INTEGER = re.compile(rb"\s*([+-]?\d{1,20})(?!\S)(?:\r?\n)?")
_NUMBER = re.compile(rb"\s*(\S{1,64})(?!\S)(?:\r?\n)?")
_NEWLINE = re.compile(rb"\r?\n")
_REST = re.compile(rb"\s*\0?\Z")

# What the C library of Windows prints for values that are not finite numbers.
_WINDOWS = {b"1.#INF": math.inf, b"-1.#INF": -math.inf, b"1.#QNAN": math.nan, b"-1.#IND": -math.nan}


class AsciiSource:
    """A position in a text, and what can be read there (the same as in a binary file)."""

    smallest_object = 2
    longSize = 8

    def __init__(self, buffer: Buffer, position: int = 0) -> None:
        self.buffer = buffer
        self.position = position
        self.end = len(buffer)

    def finished(self) -> bool:
        return _REST.match(self.buffer, self.position) is not None

    def fail_short(self, what: str, size: int) -> Malformed:
        if size < 0:
            return Malformed(self.position, f"expected {what}, got the size {size}")
        left = self.end - self.position
        text = f"expected {what} (at least {size} bytes), but the file has {left} bytes left"
        return Malformed(self.position, text)

    def _expected(self, what: str) -> Malformed:
        if self.finished():
            return Malformed(self.position, f"expected {what}, but the file ends here")
        found = bytes(self.buffer[self.position : self.position + 24])
        return Malformed(self.position, f"expected {what}, got {found!r}")

    def _integer(self, bits: int) -> int:
        match = _INTEGER.match(self.buffer, self.position)
        if match is None:
            raise self._expected("an integer")
        value = int(match[1])
        if not -(1 << bits - 1) <= value < 1 << bits - 1:
            raise self._expected(f"an integer of {bits} bits")
        self.position = match.end()
        return value

    def int32(self) -> int:
        return self._integer(32)

    def double(self) -> float:
        match = _NUMBER.match(self.buffer, self.position)
        value = None if match is None else _float(match[1])
        if match is None or value is None:
            raise self._expected("a number")
        self.position = match.end()
        return value

    def longs(self, count: int) -> tuple[int, ...]:
        return tuple(self._integer(64) for _ in range(count))

    def raw(self, size: int) -> bytes | bytearray:
        position = self.position
        if not 0 <= size <= self.end - position:
            raise self.fail_short("a string", size)
        self.position = position + size
        if size:
            self._skip_newline()
        return self.buffer[position : position + size]

    def array(self, dtype: DType, count: int) -> np.ndarray[Any, Any]:
        if dtype.itemsize == 1:
            return self._raw_array(dtype, count)
        if not 0 <= 2 * count - 1 <= self.end - self.position and count != 0:
            raise self.fail_short(f"{count} elements of {dtype}", 2 * count - 1)
        # Parsed in the widest type of its kind, so that no value changes silently.
        wide = np.dtype(np.int64) if dtype.kind == "i" else np.dtype(np.float64)
        values = self._line(wide, count) if count else np.empty(0, wide)
        if values is None:
            one = self.double if wide == np.float64 else partial(self._integer, 64)
            values = np.fromiter((one() for _ in range(count)), wide, count)
        if dtype.kind == "i" and dtype != wide:
            info = np.iinfo(dtype)
            if count and (values.min() < info.min or values.max() > info.max):
                raise self._expected(f"{count} elements of {dtype}")
        with np.errstate(over="ignore"):
            return values.astype(dtype, copy=False)

    def _raw_array(self, dtype: DType, count: int) -> np.ndarray[Any, Any]:
        start = self.position
        if not 0 <= count <= self.end - start:
            raise self.fail_short(f"{count} elements of {dtype}", count)
        if count == 0:
            return np.empty(0, dtype)
        self.position = start + count
        self._skip_newline()
        return np.frombuffer(self.buffer, dtype, count, start)

    def _line(self, dtype: DType, count: int) -> np.ndarray[Any, Any] | None:
        """Parse one line as Torch7 writes it, at once; None if it is anything else."""
        # No number is longer than 32 characters: a line without end must not be searched again and again.
        limit = min(self.end, self.position + 32 * count)
        stop = self.buffer.find(b"\n", self.position, limit)
        line = bytes(self.buffer[self.position : limit if stop < 0 else stop])
        if line.count(b" ") != count - 1 or (stop < 0 and limit < self.end):
            return None
        if b"nan" in line:  # NumPy would drop its sign
            return None
        try:
            values = np.fromstring(line, dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
        if values.size != count:
            return None
        self.position = limit if stop < 0 else stop + 1
        return values

    def _skip_newline(self) -> None:
        match = _NEWLINE.match(self.buffer, self.position)
        if match is not None:
            self.position = match.end()


def _float(text: bytes) -> float | None:
    if text in _WINDOWS:
        return _WINDOWS[text]
    try:
        # Python alone would allow 1_000.
        return None if b"_" in text else float(text)
    except ValueError:
        return None


class AsciiSink:
    """What can be written to an ASCII file, number for number as Torch7 prints it."""

    def __init__(self, file: BinaryIO) -> None:
        self._write = file.write

    def int32(self, value: int) -> None:
        self._write(b"%d\n" % value)

    def double(self, value: float) -> None:
        self._write(_text([value], "%.17g") + b"\n")

    def longs(self, values: Sequence[int]) -> None:
        if values:
            self._write(" ".join(map(str, values)).encode() + b"\n")

    def raw(self, content: bytes) -> None:
        if content:
            self._write(content + b"\n")

    def array(self, elements: np.ndarray[Any, Any]) -> None:
        """Write the elements of a contiguous one-dimensional array."""
        if elements.size == 0:
            return
        if elements.itemsize == 1:
            self._write(elements.tobytes())
        else:
            form = "%d" if elements.dtype.kind == "i" else "%.17g" if elements.itemsize == 8 else "%.9g"
            for start in range(0, elements.size, _CHUNK):
                self._write(b" " * (start > 0) + _text(elements[start : start + _CHUNK].tolist(), form))
        self._write(b"\n")


_CHUNK = 1 << 16


def _text(values: list[Any], form: str) -> bytes:
    text = " ".join([form] * len(values)) % tuple(values)
    if "nan" in text:
        # C prints the sign of a NaN, Python does not.
        signs = ["-" if math.isnan(value) and math.copysign(1, value) < 0 else "" for value in values]
        text = " ".join(sign + form % value for sign, value in zip(signs, values, strict=True))
    return text.encode()
