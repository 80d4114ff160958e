"""Reads the lists of calls in the bytes of a program (THNN/program/format.h) that THNN_openProgram has opened."""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import replace
from typing import Any

from pytorch_legacy.backend.arrays import TYPES, USES
from pytorch_legacy.backend.library import USES as USES_OF_LAYERS
from pytorch_legacy.program.encoding import ALIGNED, HEADER, MEMORIES
from pytorch_legacy.program.listing import Block, Listing, Number, Size, at, dense, span
from pytorch_legacy.recording.recorder import Call, Ref

_KINDS = {number: kind for kind, number in MEMORIES.items()}
_DTYPES = {number: dtype for dtype, number in reversed(TYPES.items())}  # a byte is uint8


def decoded(program: Any) -> list[Listing]:
    """Returns the lists of a program. Constants are parts of its bytes; the arena of each list is one block."""
    content = memoryview(program).cast("B")
    _, _, _, _, start, size, count, _, notes, _ = HEADER.unpack_from(content)
    reader = _Reader(content[HEADER.size + notes : start])
    lists = [reader.list() for _ in range(count)]
    return _with_constants(lists, content[start : start + size])


def notes_in(program: Any) -> str:
    """Returns the notes of a program."""
    content = memoryview(program).cast("B")
    size = HEADER.unpack_from(content)[8]
    return bytes(content[HEADER.size : HEADER.size + size]).decode()


class _Reader:
    """Reads items of lists one after the other."""

    def __init__(self, content: memoryview) -> None:
        self._content = content
        self._place = 0
        self._blocks: dict[tuple[str, int], int] = {}  # the numbers of the blocks of a list, by kind and place

    def _take(self, layout: str) -> Any:
        found = struct.unpack_from(f"<{layout}", self._content, self._place)
        self._place += struct.calcsize(f"<{layout}")
        return found[0] if len(found) == 1 else found

    def _bytes(self, size: int) -> bytes:
        self._place += size
        return bytes(self._content[self._place - size : self._place])

    def _number(self) -> Number:
        return Size(*self._take("qq")) if self._take("B") else self._take("q")

    def _numbers(self, count: int) -> tuple[Number, ...]:
        return tuple(self._number() for _ in range(count))

    def list(self) -> Listing:
        """Returns the next list. Its constants are one block without content."""
        least, isLater = self._take("qB")
        size = self._number()
        self._blocks = {("constant", 0): 0, ("made", 0): 1}
        inputs, outputs = ([self._port(kind, place) for place in range(self._take("I"))] for kind in ("input", "output"))
        blocks = [Block("constant", 0), Block("made", size)]
        for kind, refs in (("input", inputs), ("output", outputs)):
            blocks += [Block(kind, _port_bytes(ref), place=place) for place, ref in enumerate(refs)]
        calls = [self._call() for _ in range(self._take("I"))]
        return Listing(calls, blocks, inputs, outputs, least=least, isLater=bool(isLater), arena=({1: 0}, size))

    def _port(self, kind: str, place: int) -> Ref:
        number = self._blocks[kind, place] = len(self._blocks)
        type, rank = self._take("BB")
        shape = self._numbers(rank)
        return Ref(number, 0, _DTYPES[type], shape, _strides(shape, _DTYPES[type].itemsize))

    def _call(self) -> Call:
        name = self._bytes(self._take("B")).decode()
        arguments = [self._argument() for _ in range(self._take("B"))]
        stem = name.removeprefix("Float").removeprefix("Double")
        uses = USES.get(stem) or USES_OF_LAYERS.get(stem)
        isOutside = uses is None
        arrays = [place for place, one in enumerate(arguments) if isinstance(one, Ref)]
        reads = tuple(place for place in arrays if uses is None or uses[place] in "rxt")
        writes = tuple(place for place in arrays if uses is not None and uses[place] in "wxot")
        return Call(name, arguments, reads, writes, isOutside=isOutside)

    def _argument(self) -> Any:
        kind = self._take("B")
        if kind == 1:
            return self._tensor()
        if kind == 2:
            return self._number()
        if kind == 3:
            return self._take("d")
        return self._bytes(self._take("H")).decode(errors="surrogateescape") if kind == 4 else None

    def _tensor(self) -> Ref:
        type, memory, index = self._take("BBI")
        dtype, offset = _DTYPES[type], self._number()
        rank = self._take("B")
        shape = self._numbers(rank)
        strides = tuple(_times(step, dtype.itemsize) for step in self._numbers(rank))
        return Ref(self._blocks[_KINDS[memory], index], offset, dtype, shape, strides)


def _times(number: Number, factor: int) -> Number:
    return Size(number.a * factor, number.b * factor) if isinstance(number, Size) else number * factor


def _port_bytes(ref: Ref) -> Number:
    """Returns the bytes of a dense array, of whose sizes one at most depends on n."""
    both = [_dense_bytes(ref, n) for n in (0, 1)]
    return both[0] if both[0] == both[1] else Size(both[0], both[1] - both[0])


def _dense_bytes(ref: Ref, n: int) -> int:
    size = ref.dtype.itemsize
    for one in ref.shape:
        size *= at(one, n)
    return size


def _strides(shape: tuple[Number, ...], itemsize: int) -> tuple[Number, ...]:
    """Returns the strides of a dense array, of whose sizes one at most depends on n."""
    both = [dense(tuple(at(size, n) for size in shape), itemsize) for n in (1, 2)]
    return tuple(one if one == other else Size(2 * one - other, other - one) for one, other in zip(*both, strict=True))


def _with_constants(lists: list[Listing], content: memoryview) -> list[Listing]:
    """Returns the lists with a block for each constant: bytes that arrays share, from an aligned offset on."""
    spans = sorted({_aligned_span(ref) for one in lists for call in one.calls for ref in call.refs() if ref.memory == 0})
    parts: list[tuple[int, int]] = []
    for low, high in spans:
        if parts and low < parts[-1][1]:
            parts[-1] = parts[-1][0], max(parts[-1][1], high)
        else:
            parts.append((low, high))
    blocks = [Block("constant", high - low, bytes(content[low:high])) for low, high in parts]
    starts = [low for low, _ in parts]
    return [_divided(one, blocks, starts) for one in lists]


def _aligned_span(ref: Ref) -> tuple[int, int]:
    """Returns where the block begins at the latest in which a constant lies, and where the constant ends."""
    low, high = span(ref._replace(shape=tuple(at(size, 1) for size in ref.shape)))  # a size that depends on n has stride 0
    return low // ALIGNED * ALIGNED, high


def _divided(one: Listing, constants: list[Block], starts: list[int]) -> Listing:
    """Returns a list whose constants are in these blocks, which have these offsets among all constants, in ascending order."""
    blocks = [*one.blocks]
    numbers: dict[int, int] = {}

    def argument(value: Any) -> Any:
        if not isinstance(value, Ref) or value.memory != 0:
            return value
        part = bisect_right(starts, _aligned_span(value)[0]) - 1
        if part not in numbers:
            numbers[part] = len(blocks)
            blocks.append(constants[part])
        return value._replace(memory=numbers[part], offset=value.offset - starts[part])

    calls = [replace(call, arguments=[*map(argument, call.arguments)]) for call in one.calls]
    return replace(one, calls=calls, blocks=blocks)
