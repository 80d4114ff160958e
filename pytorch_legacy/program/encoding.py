"""Lays out the memory of lists of calls, and writes them as the bytes that THNN_openProgram reads (THNN/program/format.h)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pytorch_legacy.backend.arrays import TYPES
from pytorch_legacy.program.execution import aligned
from pytorch_legacy.program.listing import Block, Listing, Number, Size, at
from pytorch_legacy.recording.recorder import Call, Ref

ALIGNED = 64
MEMORIES = {"constant": 0, "made": 1, "input": 2, "output": 3}
HEADER = struct.Struct("<8sIIQQQIIII")


def _rounded(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED


def lives(listing: Listing) -> dict[int, tuple[int, int]]:
    """Returns the places of the first and the last call that use each block which the pass makes."""
    found: dict[int, tuple[int, int]] = {}
    for place, call in enumerate(listing.calls):
        for ref in call.refs():
            if listing.blocks[ref.memory].kind == "made":
                found[ref.memory] = found.get(ref.memory, (place, place))[0], place
    return found


def arena(listing: Listing, apart: bool = False) -> tuple[dict[int, Number], Number]:
    """Returns the offset of each made block in the arena, and the arena's size.

    Blocks whose lives do not meet share memory; with `apart` none do. There is a fixed part, and n times the part of one sample:
    a block of a + b n bytes with b > 0 has a place among the latter, with room for a more bytes a sample.
    """
    if listing.arena is not None:
        return listing.arena  # type: ignore[no-any-return]
    spans = lives(listing)
    fixed: dict[int, int] = {}
    single: dict[int, int] = {}
    for number in spans:
        size = listing.blocks[number].bytes
        if isinstance(size, Size) and size.b > 0:
            single[number] = _rounded(size.b + max(0, size.a))
        else:
            fixed[number] = _rounded(at(size, max(1, listing.least)))
    places, end = _packed(fixed, spans, apart)
    ofSample, step = _packed(single, spans, apart)
    offsets: dict[int, Number] = {**places, **{number: Size(end, place) if place else end for number, place in ofSample.items()}}
    return offsets, Size(end, step) if step else end


def _packed(sizes: dict[int, int], spans: dict[int, tuple[int, int]], apart: bool) -> tuple[dict[int, int], int]:
    """Returns the offsets of blocks, and the end of them.

    The largest block comes first. Each gets the lowest offset at which no block lies whose calls overlap with its own.
    """
    placed: list[tuple[int, int, int, int]] = []
    offsets, end = {}, 0
    for number in sorted(sizes, key=lambda number: (-sizes[number], number)):
        first, last = spans[number]
        size, offset = sizes[number], 0
        others = sorted((at, at + n) for at, n, a, b in placed if apart or (a <= last and first <= b))
        for low, high in others:
            if offset + size <= low:
                break
            offset = max(offset, high)
        offsets[number] = offset
        placed.append((offset, size, first, last))
        end = max(end, offset + size)
    return offsets, end


def poisoned(listing: Listing, held: Collection[int] = ()) -> Listing:
    """Returns the list for a proof, with calls that fill each block which the pass makes.

    Outputs with a number in `held` keep their contents, which the list may read.
    Before its first use a block has huge numbers. The recorded pass had NaN there, so a call that reads a block too early gives
    another result. After its last use it has NaN.
    """
    starts: dict[int, list[Call]] = {}
    ends: dict[int, list[Call]] = {}

    def filled(number: int, byte: float) -> list[Call]:
        size = listing.blocks[number].bytes
        whole = Ref(number, 0, np.dtype(np.uint8), (size,), (1,))
        return [Call("arrayFill", [whole, byte], (), (0,))] if size != 0 else []

    for number, (first, last) in lives(listing).items():
        starts.setdefault(first, []).extend(filled(number, 127.0))
        ends.setdefault(last, []).extend(filled(number, 255.0))
    outputs = [number for number, block in enumerate(listing.blocks) if block.kind == "output" and block.place not in held]
    calls = [fill for number in outputs for fill in filled(number, 127.0)]
    for place, call in enumerate(listing.calls):
        calls += [*starts.get(place, ()), call, *ends.get(place, ())]
    return replace(listing, calls=calls)


def encoded(listings: Sequence[Listing], apart: bool = False, notes: str = "") -> Any:
    """Returns the bytes of a program with these lists, as an array of uint8 with the alignment of THNN_openProgram.

    Later lists (`Listing.isLater`) have the states as their last inputs. All lists share equal constants.
    """
    constants = bytearray()
    known: dict[tuple[bytes, int], int] = {}

    def place_of(block: Block, itemsize: int) -> int:
        key = block.content, itemsize  # a big-endian processor reverses the bytes of each element
        if key not in known:
            known[key] = len(constants)
            constants.extend(block.content)
            constants.extend(b"\0" * (-len(constants) % ALIGNED))
        return known[key]

    states = max((len(one.inputs) - len(listings[0].inputs) for one in listings if one.isLater), default=0)
    text = b"".join(_list(listing, place_of, apart) for listing in listings)
    return _whole(notes.encode(), text, constants, len(listings), states)


def _whole(notes: bytes, lists: bytes, constants: Any, count: int, states: int) -> Any:
    """Returns the bytes of a program of these parts."""
    start = _rounded(HEADER.size + len(notes) + len(lists))
    head = [b"THNNprog", 1, 0x01020304, start + len(constants), start, len(constants), count, states, len(notes)]
    rest = (notes + lists).ljust(start - HEADER.size, b"\0")
    checksum = zlib.crc32(constants, zlib.crc32(rest, zlib.crc32(HEADER.pack(*head, 0)[:-4])))
    parts = (HEADER.pack(*head, checksum) + rest, constants)
    return aligned(np.concatenate([np.frombuffer(part, np.uint8) for part in parts]))


def _number(value: Number) -> bytes:
    return struct.pack("<Bqq", 1, value.a, value.b) if isinstance(value, Size) else struct.pack("<Bq", 0, value)


def _elements(value: Number, itemsize: int) -> Number:
    return Size(value.a // itemsize, value.b // itemsize) if isinstance(value, Size) else value // itemsize


def _list(listing: Listing, place_of: Any, apart: bool) -> bytes:
    """Returns the bytes of a list."""
    offsets, size = arena(listing, apart)
    itemsizes = {ref.memory: ref.dtype.itemsize for call in listing.calls for ref in call.refs()}
    used = [(number, block) for number, block in enumerate(listing.blocks) if block.kind == "constant" and number in itemsizes]
    places = {number: place_of(block, itemsizes[number]) for number, block in used}

    def tensor(ref: Ref) -> bytes:
        block = listing.blocks[ref.memory]
        offset = ref.offset
        base = offsets.get(ref.memory, 0) if block.kind == "made" else places.get(ref.memory, 0)
        both = [one if isinstance(one, Size) else Size(one, 0) for one in (base, offset)]
        total = Size(both[0].a + both[1].a, both[0].b + both[1].b)
        where = struct.pack("<BBBI", 1, TYPES[ref.dtype], MEMORIES[block.kind], block.place)
        steps = [_elements(step, ref.dtype.itemsize) for step in ref.strides]
        numbers = b"".join(map(_number, (*ref.shape, *steps)))
        return where + _number(total if total.b else total.a) + struct.pack("<B", len(ref.shape)) + numbers

    def argument(value: Any) -> bytes:
        if value is None:
            return b"\0"
        if isinstance(value, Ref):
            return tensor(value)
        if isinstance(value, float):
            return struct.pack("<Bd", 3, value)
        if isinstance(value, str):
            text = value.encode(errors="surrogateescape")[:1000]
            return struct.pack("<BH", 4, len(text)) + text
        return b"\2" + _number(value)

    def call(one: Call) -> bytes:
        name, count = one.name.encode(), len(one.arguments)
        return struct.pack("<B", len(name)) + name + struct.pack("<B", count) + b"".join(map(argument, one.arguments))

    def array(ref: Ref) -> bytes:
        return struct.pack("<BB", TYPES[ref.dtype], len(ref.shape)) + b"".join(map(_number, ref.shape))

    parts = [struct.pack("<qB", listing.least, listing.isLater), _number(size)]
    for refs in (listing.inputs, listing.outputs):
        parts += [struct.pack("<I", len(refs)), *map(array, refs)]
    parts += [struct.pack("<I", len(listing.calls)), *map(call, listing.calls)]
    return b"".join(parts)
