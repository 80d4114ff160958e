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

from . import layouts
from .binary import Memo, Memory
from .layouts import DType
from .nodes import Malformed
from .numbers import pairs_plain, plain

_INTEGER = re.compile(rb"\s*([+-]?\d{1,20})(?!\S)(?:\r?\n)?")
_NUMBER = re.compile(rb"\s*(\S{1,64})(?!\S)(?:\r?\n)?")
_NEWLINE = re.compile(rb"\r?\n|(?=[\s\0])|\Z")
_REST = re.compile(rb"\s*\0?\Z")

# Numbers one after the other, as Torch7 writes them: type tag and number. In pieces of so many bytes, after so many numbers.
_NUMBERS = re.compile(rb"(?:1\n\S{1,32}\n)++")
_PIECE, _RUN = 1 << 16, 16

# Forms of values that are not finite, as the C library of Windows printed them before 2015 and since; other systems', too.
_OLD_WINDOWS = re.compile(rb"([+-]?)1\.#(INF|QNAN|SNAN|IND)0*")
_NAN = re.compile(rb"([+-]?)nan(?:q|s|\(\w*\))?", re.IGNORECASE)


class AsciiSource:
    """A position in a text, and what can be read there (the same as in a binary file)."""

    smallest_object = 2
    longSize = 8

    def __init__(self, memory: Memory, position: int = 0) -> None:
        self.memory = memory
        self.buffer = memory.buffer
        self.position = position
        self.start = position
        self.index = 0
        self.end = len(memory.buffer)

    def scalars(self, items: list[Any], wanted: int, memo: Memo) -> int:
        """Read what has no identity, and references to finished objects, until there are as many items as wanted.

        Then return -1. Before an object that has to be read, its tag is returned, and its index is in `index`.
        """
        append, int32 = items.append, self.int32
        numbers = 0
        while len(items) < wanted:
            if numbers >= _RUN:
                self._run(items, wanted)
                numbers = 0
                continue
            self.start = self.position
            tag = int32()
            if tag == layouts.NUMBER:
                append(plain(self.double()))
                numbers += 1
                continue
            numbers = 0
            if tag == layouts.STRING:
                append(self.string())
            elif tag == layouts.BOOLEAN:
                flag = int32()
                if flag not in (0, 1):
                    raise Malformed(self.start, f"expected a boolean (0 or 1), got {flag}")
                append(flag == 1)
            elif tag == layouts.NIL:
                append(None)
            elif 0 <= tag <= layouts.FUNCTION:
                self.index = 0 if tag == layouts.FUNCTION_OLDEST else int32()
                known = memo.get(self.index)
                if known is None or known[0] != tag:
                    return tag
                append(known[1])
            else:
                raise Malformed(self.start, f"expected a type tag from 0 to {layouts.FUNCTION}, got {tag}")
        return -1

    def _run(self, items: list[Any], wanted: int) -> None:
        """Read the numbers that follow, if they are written as Torch7 does; the rest is left."""
        while len(items) < wanted:
            found = _NUMBERS.match(self.buffer, self.position, min(self.end, self.position + _PIECE))
            if found is None:
                return
            tokens = found[0].split(b"\n", 2 * (wanted - len(items)))
            texts = tokens[1::2]
            del texts[wanted - len(items) :]
            values = _floats(texts)
            if values is None:
                return  # there is a better message for one alone
            items += pairs_plain(values)
            # A tag, a number, and a newline behind each.
            self.position += sum(map(len, texts)) + 3 * len(texts)

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

    def usual_class(self) -> tuple[int, str] | None:
        """There is no short way in a text."""
        return None

    def list_of_numbers(self, count: int) -> list[int | float] | None:
        """Read nothing: `scalars` reads numbers of text at once."""
        return None

    def string(self) -> str:
        return self.raw(self.int32()).decode("utf-8", "surrogateescape")

    def raw(self, size: int) -> bytes:
        position = self.position
        if not 0 <= size <= self.end - position:
            raise self.fail_short("a string", size)
        self.position = position + size
        if size:
            self._skip_newline(f"a string of {size} bytes")
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
        self._skip_newline(f"{count} elements of {dtype}")
        return np.frombuffer(self.memory.writable(), dtype, count, start)

    def _line(self, dtype: DType, count: int) -> np.ndarray[Any, Any] | None:
        """Parse one line as Torch7 writes it, at once; None if it is anything else."""
        # No number is longer than 32 characters: a line without end must not be searched again and again.
        limit = min(self.end, self.position + 32 * count)
        stop = self.buffer.find(b"\n", self.position, limit)
        line = self.buffer[self.position : limit if stop < 0 else stop]
        if line.count(b" ") != count - 1 or (stop < 0 and limit < self.end):
            return None
        values: np.ndarray[Any, Any] | None
        if dtype.kind == "f" and (b"n" in line or b"#" in line or b"N" in line):  # NumPy would drop the sign of a NaN
            values = _floats(line.split())
        else:
            try:
                values = np.fromstring(line, dtype, sep=" ")
            except (ValueError, DeprecationWarning):
                return None
        if values is None or values.size != count:
            return None
        self.position = limit if stop < 0 else stop + 1
        return values

    def _skip_newline(self, what: str) -> None:
        """Go behind the newline after raw bytes: where there is neither one nor space, these were not all."""
        match = _NEWLINE.match(self.buffer, self.position)
        if match is None:
            raise self._expected(f"the end of the line after {what}")
        self.position = match.end()


def _float(text: bytes) -> float | None:
    if b"_" in text:
        return None  # Python alone would allow 1_000
    try:
        return float(text)
    except ValueError:
        pass
    found = _OLD_WINDOWS.fullmatch(text)
    if found is None:
        found = _NAN.fullmatch(text)
    if found is None:
        return None
    return math.copysign(math.inf if found.re is _OLD_WINDOWS and found[2] == b"INF" else math.nan, -1 if found[1] == b"-" else 1)


def _floats(texts: list[bytes]) -> np.ndarray[Any, Any] | None:
    """All these numbers; None if one is none."""
    try:
        values: Any = None if b"_" in b"".join(texts) else list(map(float, texts))
    except ValueError:
        values = list(map(_float, texts))
    return None if values is None or None in values else np.array(values)


class AsciiSink:
    """Writes an ASCII file, number for number as Torch7 prints it."""

    def __init__(self, file: BinaryIO) -> None:
        self._write = file.write

    def int32(self, value: int) -> None:
        self._write(b"%d\n" % value)

    def double(self, value: float) -> None:
        self._write(_text([value], "%.17g") + b"\n")

    def numbers(self, values: np.ndarray[Any, Any]) -> None:
        """Write each of these doubles as a number object."""
        for start in range(0, values.size, _CHUNK):
            self._write(_text(values[start : start + _CHUNK].tolist(), "1\n%.17g\n", ""))

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


def _text(values: list[Any], form: str, separator: str = " ") -> bytes:
    text = separator.join([form] * len(values)) % tuple(values)
    if "nan" in text:
        # C prints the sign of a NaN, Python does not.
        negative = form.replace("%", "-%")
        signs = [negative if math.isnan(value) and math.copysign(1, value) < 0 else form for value in values]
        text = separator.join(signs) % tuple(values)
    return text.encode()
