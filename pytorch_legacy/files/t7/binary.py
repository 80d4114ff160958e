"""Reading and writing the scalars and arrays of a binary file."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, BinaryIO, Literal

import numpy as np

from .layouts import (
    BOOLEAN,
    FUNCTION,
    FUNCTION_OLDEST,
    MAX_DIMENSIONS,
    NIL,
    NUMBER,
    STORAGES,
    STORED,
    STRING,
    TENSORS,
    TORCH,
    DType,
)
from .nodes import Malformed
from .numbers import all_plain, pairs_plain, plain
from .tensors import tensor_view

Buffer = bytes | mmap.mmap
ByteOrder = Literal["<", ">"]
# Tag and object behind each index.
Memo = dict[int, tuple[int, Any]]

_NUMBER = {order: np.dtype([("tag", order + "i4"), ("value", order + "f8")]) for order in "<>"}

# A key and its value, both numbers.
_PAIR = {order: np.dtype([("key", number), ("value", number)]) for order, number in _NUMBER.items()}

_VERSIONS = {b"V %d" % version: version for version in range(10)}
_TENSORS = {name.encode(): dtype for name, dtype in TENSORS.items()}
_STORAGES = {name.encode(): dtype for name, dtype in STORAGES.items()}

# Names come up again and again: up to so many strings of up to so many bytes are decoded once.
_NAMES, _NAME = 4096, 40
# The numbers that files have for the most part.
_SMALL = {float(number): number for number in range(1, 257)}
# From so many numbers in a row on, NumPy looks whether more follow, in pieces of so many: larger ones leave the caches.
_RUN, _PIECE = 16, 1 << 13


@cache
def _unpack(order: str, codes: str) -> Callable[[Buffer, int], tuple[Any, ...]]:
    return struct.Struct(order + codes).unpack_from


@cache
def _unpack_tensors(order: str, long: str) -> list[Callable[[Buffer, int], tuple[Any, ...]]]:
    return [_unpack(order, long * (2 * count + 1) + "ii") for count in range(MAX_DIMENSIONS + 1)]


class Memory:
    """The bytes of a file: `buffer` for looking, `writable()` for arrays, which are views of it."""

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self._copy: bytearray | None = None

    def writable(self) -> bytearray | mmap.mmap:
        if isinstance(self.buffer, mmap.mmap):
            return self.buffer
        if self._copy is None:
            self._copy = bytearray(self.buffer)
        return self._copy


class BinarySource:
    """A position in a file, and what can be read there.

    Every size is compared with the bytes that are left before anything of that size is made.

    Parameters
    ----------
    memory : Memory
        The file.
    order : str
        ``"<"`` or ``">"``, the byte order of the writer.
    longSize : int
        Size of a C long of the writer, 4 or 8.
    """

    # The fewest bytes that one object of any kind takes, and one long.
    smallest_object = 4

    def __init__(self, memory: Memory, order: ByteOrder, longSize: int, position: int = 0) -> None:
        self.memory = memory
        self.buffer = memory.buffer
        self.position = position
        # Position of the tag that `scalars` returned last, and the index behind it; 0 if there is none.
        self.start = position
        self.index = 0
        self.end = len(memory.buffer)
        self.longSize = longSize
        self._order = order
        self._int = _unpack(order, "i")
        self._two = _unpack(order, "ii")
        self._double = _unpack(order, "d")
        self._class = _unpack(order, "i3si")
        self._long = "q" if longSize == 8 else "i"
        self._count = _unpack(order, self._long)
        # For each number of dimensions, the part of a tensor behind that number: sizes, and tag and index of its storage.
        self._tensors = _unpack_tensors(order, self._long)
        self._names: dict[bytes, str] = {}

    def scalars(self, items: list[Any], wanted: int, memo: Memo) -> int:
        """Read what has no identity, and references to finished objects, until there are as many items as wanted.

        Then return -1. Before an object that has to be read, its tag is returned, and its index is in `index`.
        """
        left = wanted - len(items)
        buffer, position, end, names = self.buffer, self.position, self.end, self._names
        two, double, append, small = self._two, self._double, items.append, _SMALL.get
        numbers = 0
        while left > 0:
            try:
                tag, size = two(buffer, position)
            except struct.error:
                self.position = position
                tag, size = self.int32(), 0
            if tag == STRING:
                start, numbers = position + 8, 0
                stop = start + size
                if not start <= stop <= end:
                    self.position = position + 4
                    raise self.fail_short("a string", self.int32())
                raw = buffer[start:stop]
                append(names.get(raw) or self._text(raw))
                position = stop
            elif tag == NUMBER:
                try:
                    (number,) = double(buffer, position + 4)
                except struct.error:
                    self.position = position + 4
                    raise self.fail_short("a number", 8) from None
                whole = small(number)
                append(plain(number) if whole is None else whole)
                position += 12
                numbers += 1
                if numbers >= _RUN and left > 2 * _RUN:
                    found = self._run(position, left - 1)
                    items += found
                    position += 12 * len(found)
                    left -= len(found)
                    numbers = 0
            elif tag == BOOLEAN:
                if size not in (0, 1) or position + 8 > end:
                    self.position = position + 4
                    raise Malformed(position, f"expected a boolean (0 or 1), got {self.int32()}")
                append(size == 1)
                position, numbers = position + 8, 0
            elif tag == NIL:
                append(None)
                position, numbers = position + 4, 0
            elif (known := memo.get(size)) is not None and known[0] == tag:
                append(known[1])
                position += 8
                numbers = 0
            elif tag == TORCH and known is None and (tensor := self._tensor(position, size, memo)) is not None:
                append(tensor)
                position, numbers = self.position, 0
            else:
                return self._stop(position, tag, size)
            left -= 1
        self.position = position
        return -1

    def _text(self, raw: bytes) -> str:
        """Returns the text of a string, and stores it if it may be the name of many fields."""
        text = raw.decode("utf-8", "surrogateescape")
        if len(raw) <= _NAME and len(self._names) < _NAMES:
            self._names[raw] = text
        return text

    def _stop(self, position: int, tag: int, index: int) -> int:
        """Returns the tag at `position`, that of an object which has to be read, and sets ``start`` and ``index``."""
        self.start, self.index, self.position = position, index, position + 8
        if not 0 <= tag <= FUNCTION:
            raise Malformed(position, f"expected a type tag from 0 to {FUNCTION}, got {tag}")
        if tag == FUNCTION_OLDEST:
            self.index, self.position = 0, position + 4
        elif position + 8 > self.end:
            self.position = position + 4
            self.int32()
        return tag

    def _tensor(self, start: int, index: int, memo: Memo) -> np.ndarray[Any, Any] | None:
        """Read a tensor and its storage, as nearly all are written; None, and nothing is read, for what is otherwise or wrong.

        Networks are tensors for the most part: this takes half the time of going object by object.
        """
        buffer = self.buffer
        try:
            length, version, size = self._class(buffer, start + 8)
            position = start + 19 + size
            dtype = _TENSORS.get(buffer[start + 19 : position])
            if dtype is None or length != 3 or version not in _VERSIONS or index < 1:
                return None
            (dimensions,) = self._int(buffer, position)
            if not 0 <= dimensions <= MAX_DIMENSIONS:
                return None
            *numbers, tag, inner = self._tensors[dimensions](buffer, position + 4)
            position += 8 + self.longSize * len(numbers)
            if tag == NIL:
                found, elements = None, None
            elif tag != TORCH or inner < 1 or inner == index:
                return None
            elif (found := memo.get(inner)) is not None:
                position += 4
                elements = found[1]
                if found[0] != STORED or elements.dtype != dtype:
                    return None
            else:
                length, version, size = self._class(buffer, position + 4)
                stop = position + 15 + size
                stored = _STORAGES.get(buffer[position + 15 : stop])
                if stored is None or stored != dtype or length != 3 or version not in _VERSIONS:
                    return None
                (count,) = self._count(buffer, stop)
                self.position = stop + self.longSize
                elements = self.array(dtype, count)
                position = self.position
            view = tensor_view(elements, dtype, numbers[-1] - 1, numbers[:dimensions], numbers[dimensions:-1])
        except (struct.error, ValueError):
            return None
        if elements is not None and found is None:
            memo[inner] = STORED, elements
        memo[index] = TORCH, view
        self.position = position
        return view

    def _run(self, position: int, most: int) -> list[int | float]:
        """The numbers, one after the other, that begin at a place, at most so many."""
        found: list[int | float] = []
        while (count := min(_PIECE, most - len(found), (self.end - position) // 12)) > 0:
            records = np.frombuffer(self.buffer, _NUMBER[self._order], count, position)
            others = np.flatnonzero(records["tag"] != NUMBER)
            good = int(others[0]) if others.size else count
            found += pairs_plain(records["value"][:good].astype(np.float64))
            if good < count:
                break
            position += 12 * count
        return found

    def list_of_numbers(self, count: int) -> list[int | float] | None:
        """Read the body of a table of so many entries, if it is a list of numbers; None, and nothing is read, if not."""
        position, found = self.position, list[int | float]()
        if count < _RUN or 24 * count > self.end - position:
            return None
        for start in range(0, count, _PIECE):
            size = min(_PIECE, count - start)
            pairs = np.frombuffer(self.buffer, _PAIR[self._order], size, position + 24 * start)
            keys, values = pairs["key"], pairs["value"]
            areNumbers = (keys["tag"] == NUMBER) & (values["tag"] == NUMBER)
            if not (areNumbers & (keys["value"] == np.arange(start + 1, start + size + 1))).all():
                return None
            found += all_plain(values["value"].astype(np.float64))
        self.position = position + 24 * count
        return found

    def finished(self) -> bool:
        """Tell whether nothing is left, or only the NUL that ``torch.serialize`` leaves behind the object."""
        left = self.end - self.position
        return left == 0 or (left == 1 and self.buffer[self.position] == 0)

    def fail_short(self, what: str, size: int) -> Malformed:
        """Return the error for a file that ends too early."""
        if size < 0:
            return Malformed(self.position, f"expected {what}, got the size {size}")
        left = self.end - self.position
        return Malformed(self.position, f"expected {what} ({size} bytes), but the file has {left} bytes left")

    def int32(self) -> int:
        position = self.position
        try:
            (value,) = self._int(self.buffer, position)
        except struct.error:
            raise self.fail_short("an integer", 4) from None
        self.position = position + 4
        return value  # type: ignore[no-any-return]

    def double(self) -> float:
        position = self.position
        try:
            (value,) = self._double(self.buffer, position)
        except struct.error:
            raise self.fail_short("a number", 8) from None
        self.position = position + 8
        return value  # type: ignore[no-any-return]

    def longs(self, count: int) -> tuple[int, ...]:
        size = count * self.longSize
        if size > self.end - self.position:
            raise self.fail_short(f"{count} long integers", size)
        values = _unpack(self._order, self._long * count)(self.buffer, self.position)
        self.position += size
        return values

    def usual_class(self) -> tuple[int, str] | None:
        """Version and name of a class with a version of one digit; None, and nothing is read, for any other."""
        position = self.position
        if position + 11 > self.end:
            return None
        length, version, size = self._class(self.buffer, position)
        stop = position + 11 + size
        digit = _VERSIONS.get(version)
        if length != 3 or digit is None or not position + 11 <= stop <= self.end:
            return None
        raw = self.buffer[position + 11 : stop]
        name = self._names.get(raw)
        if name is None:
            name = raw.decode("utf-8", "surrogateescape")
            if size <= _NAME and len(self._names) < _NAMES:
                self._names[raw] = name
        self.position = stop
        return digit, name

    def string(self) -> str:
        return self.raw(self.int32()).decode("utf-8", "surrogateescape")

    def raw(self, size: int) -> bytes:
        """Return `size` bytes."""
        position = self.position
        if not 0 <= size <= self.end - position:
            raise self.fail_short("a string", size)
        self.position = position + size
        return self.buffer[position : position + size]

    def array(self, dtype: DType, count: int) -> np.ndarray[Any, Any]:
        """Return `count` elements as a view of the buffer, or a copy if the file stores them otherwise."""
        stored = dtype.newbyteorder(self._order)
        if dtype == np.int64 and self.longSize == 4:
            stored = np.dtype(self._order + "i4")
        size = count * stored.itemsize
        if not 0 <= size <= self.end - self.position:
            raise self.fail_short(f"{count} elements of {dtype}", size)
        if count == 0:
            return np.empty(0, dtype)
        elements = np.frombuffer(self.memory.writable(), stored, count, self.position)
        self.position += size
        return elements.astype(dtype, copy=False)


class BinarySink:
    """Writes a binary file, little endian and with longs of eight bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self.raw = file.write
        self._int = struct.Struct("<i").pack
        self._double = struct.Struct("<d").pack

    def int32(self, value: int) -> None:
        self.raw(self._int(value))

    def double(self, value: float) -> None:
        self.raw(self._double(value))

    def numbers(self, values: np.ndarray[Any, Any]) -> None:
        """Write each of these doubles as a number object."""
        records = np.empty(values.size, _NUMBER["<"])
        records["tag"], records["value"] = NUMBER, values
        self.raw(records.tobytes())

    def longs(self, values: Sequence[int]) -> None:
        self.raw(struct.pack(f"<{len(values)}q", *values))

    def array(self, elements: np.ndarray[Any, Any]) -> None:
        """Write the elements of a contiguous one-dimensional array."""
        if elements.size:
            self.raw(elements.astype(elements.dtype.newbyteorder("<"), copy=False).view(np.uint8).data)
