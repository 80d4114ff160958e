"""Reading and writing the scalars and arrays of a binary file."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from typing import Any, BinaryIO, Literal

import numpy as np

from .layouts import DType
from .nodes import Malformed

Buffer = bytearray | mmap.mmap
ByteOrder = Literal["<", ">"]


class BinarySource:
    """A position in a buffer, and what can be read there.

    Every size is compared with the bytes that are left before anything of that size is made.

    Parameters
    ----------
    buffer : bytearray or mmap
        Writable; the arrays are views of it.
    order : str
        ``"<"`` or ``">"``, the byte order of the writer.
    longSize : int
        Size of a C long of the writer, 4 or 8.
    """

    # The fewest bytes that one object of any kind takes, and one long.
    smallest_object = 4

    def __init__(self, buffer: Buffer, order: ByteOrder, longSize: int, position: int = 0) -> None:
        self.buffer = buffer
        self.position = position
        self.end = len(buffer)
        self.longSize = longSize
        self._order = order
        self._int = struct.Struct(order + "i").unpack_from
        self._double = struct.Struct(order + "d").unpack_from

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
        code = "q" if self.longSize == 8 else "i"
        values = struct.unpack_from(f"{self._order}{count}{code}", self.buffer, self.position)
        self.position += size
        return values

    def raw(self, size: int) -> bytes | bytearray:
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
        elements = np.frombuffer(self.buffer, stored, count, self.position)
        self.position += size
        return elements.astype(dtype, copy=False)


class BinarySink:
    """What can be written to a binary file, little endian and with longs of eight bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self.raw = file.write
        self._int = struct.Struct("<i").pack
        self._double = struct.Struct("<d").pack

    def int32(self, value: int) -> None:
        self.raw(self._int(value))

    def double(self, value: float) -> None:
        self.raw(self._double(value))

    def longs(self, values: Sequence[int]) -> None:
        self.raw(struct.pack(f"<{len(values)}q", *values))

    def array(self, elements: np.ndarray[Any, Any]) -> None:
        """Write the elements of a contiguous one-dimensional array."""
        if elements.size:
            self.raw(elements.astype(elements.dtype.newbyteorder("<"), copy=False).view(np.uint8).data)
