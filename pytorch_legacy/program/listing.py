"""A recorded pass as a list of calls that needs nothing else: the memory it uses, and where its inputs and outputs lie.

Lists of two batches become one whose numbers are a + b n for a batch of n. What such a list computes for other n is proven, not
believed: `proof` runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.arrays import tree
from pytorch_legacy.backend.arrays import TYPES, USES
from pytorch_legacy.errors import CompileError
from pytorch_legacy.recording.network import Recording
from pytorch_legacy.recording.recorder import Call, Ref, Scalar


class Size(NamedTuple):
    """The whole number a + b n."""

    a: int
    b: int


Number = Any
"""An int, or a `Size`."""


@dataclass(frozen=True)
class Block:
    """Memory of a list.

    Attributes
    ----------
    kind : str
        "constant", "made", "input" or "output".
    bytes : Number
    content : bytes
        That of a constant.
    place : int
        The number of an input or output.
    """

    kind: str
    bytes: Number
    content: bytes = b""
    place: int = 0


@dataclass
class Listing:
    """Calls on blocks. ``Ref.memory`` is the number of a block.

    Attributes
    ----------
    output : int, Scalar, or list or dict of them
        Table of the numbers of outputs.
    least : int
        If it is not 0, numbers are a + b n, for every n from this one on.
    isLater : bool
        True if the last inputs are the states that an earlier pass left.
    arena : (dict, Number), optional
        Offsets of the made blocks in the arena, and its size, if that is settled.
    """

    calls: list[Call]
    blocks: list[Block]
    inputs: list[Ref]
    outputs: list[Ref]
    output: Any = None
    least: int = 0
    isLater: bool = False
    arena: Any = None


def at(number: Number, n: int) -> int:
    """Returns the value of a number for a batch of n."""
    return number.a + number.b * n if isinstance(number, Size) else number


def dense(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Returns the strides of an array in row-major order."""
    strides, step = [], itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= max(1, size)
    return tuple(reversed(strides))


def listing(
    recording: Recording, before: Sequence[Ref] = (), after: Sequence[Ref] = (), written: Collection[int] = ()
) -> Listing:
    """Returns the list of a recorded pass, without calls whose results no call reads, and with outputs in memory of their own.

    `before` is what it reads of an earlier pass, further inputs; `after` is what a later one reads of it, further outputs.
    Held memory is a further input, or an output if its number is in `written`. It comes before the state.
    """
    calls = [replace(c, arguments=[*c.arguments]) for c in recording.calls]
    memories = recording.memories
    blocks: list[Block] = []
    first: list[Call] = []
    for memory in memories:
        isConstant = memory.kind == "constant" or (memory.initial is not None and memory.changed > recording.number)
        held = memory.array if memory.kind == "constant" else memory.initial
        content = _stored(held) if isConstant else b""
        blocks.append(Block("constant" if isConstant else memory.kind, memory.array.nbytes, content))
    for number, memory in enumerate(memories):
        isChanged = blocks[number].kind == "made" and memory.changed == recording.number
        if isChanged and memory.initial is not None and memory.initial.size:
            first.append(_beginning(blocks, number, memory.initial))
    inputs = [*recording.inputs, *[whole(recording, number) for number in recording.held if number not in written]]
    for ref in before:
        isWritten = any(one.memory == ref.memory for call in calls for one in call.refs(call.writes))
        if isWritten:  # an input is never written
            blocks.append(replace(blocks[ref.memory]))
            source = ref._replace(memory=len(blocks) - 1)
            first.append(Call("arrayCopy", [source, ref], (0,), (1,)))
            ref = source
        inputs.append(ref)
    calls = first + calls
    for place, ref in enumerate(inputs):
        blocks[ref.memory] = replace(blocks[ref.memory], kind="input", place=place)
    outputs: list[Ref] = []

    def out(leaf: Any) -> Any:  # each leaf is an output of its own: which of them are one array may depend on the batch
        number, isNumber = len(outputs), isinstance(leaf, Scalar)
        outputs.append(_output(leaf.of if isNumber else leaf, blocks, calls, number))
        return Scalar(number) if isNumber else number

    table = tree.map_entries(out, recording.output)
    for number in recording.held:
        if number in written:
            blocks[number] = replace(blocks[number], kind="output", place=len(outputs))
            outputs.append(whole(recording, number))
    for ref in after:
        outputs.append(_output(ref, blocks, calls, len(outputs)))
    return compact(Listing(_needed(calls, blocks), blocks, inputs, outputs, table))


def whole(recording: Recording, number: int) -> Ref:
    """Returns all of a memory as an array."""
    array = recording.memories[number].array
    shape = array.shape if array.ndim and array.flags.c_contiguous else (array.size,)
    return Ref(number, 0, array.dtype, shape, dense(shape, array.itemsize))


def _stored(array: Any) -> bytes:
    """Returns the bytes of an array that owns its memory, in the order of the memory."""
    order = sorted(range(array.ndim), key=lambda d: -array.strides[d])
    flat = array.transpose(order)
    if not flat.flags.c_contiguous:
        raise CompileError(f"pl.compile: an array of {array.dtype} has strides {array.strides}, which is not recorded")
    return flat.tobytes()  # type: ignore[no-any-return]


def _beginning(blocks: list[Block], number: int, initial: Any) -> Call:
    """Returns the call that writes the contents that memory had before the pass."""
    if initial.dtype not in TYPES:
        raise CompileError(f"pl.compile: an array of {initial.dtype} is changed in the pass, which is not recorded")
    flat = np.frombuffer(_stored(initial), initial.dtype)
    target = Ref(number, 0, initial.dtype, (initial.size,), (initial.itemsize,))
    values = flat.view(f"u{flat.itemsize}")
    if (values == values[0]).all() and float(flat[0]) == flat[0]:
        return Call("arrayFill", [target, float(flat[0])], (), (0,))
    blocks.append(Block("constant", initial.nbytes, flat.tobytes()))
    source = target._replace(memory=len(blocks) - 1)
    return Call("arrayCopy", [source, target], (0,), (1,))


def _output(ref: Ref, blocks: list[Block], calls: list[Call], place: int) -> Ref:
    """Returns the output in dense memory of its own: the present one if the output is all of it, else that of a copy."""
    block = blocks[ref.memory]
    nbytes = int(np.prod(ref.shape)) * ref.dtype.itemsize
    isOwn = (
        block.kind == "made" and ref.offset == 0 and nbytes == block.bytes and ref.strides == dense(ref.shape, ref.dtype.itemsize)
    )
    if isOwn:
        blocks[ref.memory] = replace(block, kind="output", place=place)
        return ref
    blocks.append(Block("output", nbytes, place=place))
    made = Ref(len(blocks) - 1, 0, ref.dtype, ref.shape, dense(ref.shape, ref.dtype.itemsize))
    if nbytes:
        calls.append(Call("arrayCopy", [ref, made], (0,), (1,)))
    return made


def _needed(calls: list[Call], blocks: list[Block]) -> list[Call]:
    """Returns the calls whose results other calls read, and those that can fail; indices that no call reads become None."""
    live = {number for number, block in enumerate(blocks) if block.kind == "output"}
    kept = []
    for call in reversed(calls):
        if call.writes and not _checks(call) and not any(ref.memory in live for ref in call.refs(call.writes)):
            continue
        for place in _optional(call):
            ref = call.arguments[place]
            if isinstance(ref, Ref) and ref.memory not in live and blocks[ref.memory].kind == "made":
                call.arguments[place] = None
                call = replace(call, writes=tuple(one for one in call.writes if one != place))
        live.update(ref.memory for ref in call.refs())
        kept.append(call)
    return kept[::-1]


def needed(recording: Recording) -> list[Call]:
    """Returns the calls of a pass that its outputs depend on, and those that can fail."""
    outputs = {(leaf.of if isinstance(leaf, Scalar) else leaf).memory for leaf in tree.leaves(recording.output)}
    blocks = [Block("output" if one.number in outputs else one.kind, 0) for one in recording.memories]
    return _needed([replace(call, arguments=[*call.arguments]) for call in recording.calls], blocks)


def _optional(call: Call) -> list[int]:
    """Returns the places of arrays that a call need not write."""
    uses = USES.get(call.name.removeprefix("Float").removeprefix("Double"), "")
    return [place for place, letter in enumerate(uses) if letter == "o"]


def _checks(call: Call) -> bool:
    """Returns whether the call does something else than to write its results.

    It draws random numbers, or may fail by the numbers that it reads, as indices; a function from outside may fail by any.
    """
    if call.isOutside or draws(call):
        return True
    isElementwise = call.name.startswith("array") and call.name not in ("arrayTake", "arrayPut", "arrayChoose")
    return not isElementwise and any(ref.dtype == np.int64 for ref in call.refs(call.reads))


def draws(call: Call) -> bool:
    """Returns whether the call draws from the random generator. Functions that fill an array with draws have no layer's name."""
    return call.name.endswith("RReLU_updateOutput") or ("_" not in call.name and not call.name.startswith("array"))


def compact(old: Listing) -> Listing:
    """Returns a list without blocks that no call uses, and with the used part of each constant.

    Blocks are numbered in the order of their first use.
    """
    used: dict[int, list[Ref]] = {}
    for ref in [*old.inputs, *old.outputs, *[ref for call in old.calls for ref in call.refs()]]:
        used.setdefault(ref.memory, []).append(ref)
    numbers: dict[int, int] = {}
    starts: dict[int, int] = {}
    blocks: list[Block] = []
    for number, refs in used.items():
        block, start = old.blocks[number], 0
        if block.kind == "constant":
            spans = [span(ref) for ref in refs]
            start, end = min(low for low, _ in spans), max(high for _, high in spans)
            block = replace(block, bytes=end - start, content=block.content[start:end])
        numbers[number], starts[number] = len(blocks), start
        blocks.append(block)

    def moved(one: Any) -> Any:
        return one._replace(memory=numbers[one.memory], offset=one.offset - starts[one.memory]) if isinstance(one, Ref) else one

    calls = [replace(call, arguments=[*map(moved, call.arguments)]) for call in old.calls]
    return replace(old, calls=calls, blocks=blocks, inputs=[*map(moved, old.inputs)], outputs=[*map(moved, old.outputs)])


def span(ref: Ref) -> tuple[int, int]:
    """Returns the first byte of its memory that an array may touch, and the end of those bytes."""
    if 0 in ref.shape:
        return ref.offset, ref.offset
    ends = [(size - 1) * stride for size, stride in zip(ref.shape, ref.strides, strict=True)]
    return ref.offset + sum(min(0, end) for end in ends), ref.offset + sum(max(0, end) for end in ends) + ref.dtype.itemsize


def places(output: Any) -> list[int]:
    """Returns for each leaf of a network's output which output of the list it is."""
    return [leaf.of if isinstance(leaf, Scalar) else leaf for leaf in tree.leaves(output)]


class NotAffine(Exception):
    """Two lists are not one list whose numbers are a + b n."""


def merge_batches(small: Listing, large: Listing, n: int) -> Listing:
    """Returns one list of the lists for batches of n and n + 1."""

    def number(one: Any, other: Any) -> Any:
        if type(one) is not type(other):
            raise NotAffine
        if type(one) is int and one != other:
            step = other - one
            return Size(one - n * step, step)
        if one != other and not (one != one and other != other):
            raise NotAffine
        return one

    def numbers(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[Any, ...]:
        if len(one) != len(other):
            raise NotAffine
        return tuple(map(number, one, other))

    def argument(one: Any, other: Any) -> Any:
        if not isinstance(one, Ref) or not isinstance(other, Ref):
            return number(one, other)
        if one.memory != other.memory or one.dtype != other.dtype:
            raise NotAffine
        shape, strides = numbers(one.shape, other.shape), numbers(one.strides, other.strides)
        return Ref(one.memory, number(one.offset, other.offset), one.dtype, shape, strides)

    def call(one: Call, other: Call) -> Call:
        same = one.name == other.name and one.reads == other.reads and one.writes == other.writes
        if not same or one.module != other.module or len(one.arguments) != len(other.arguments):
            raise NotAffine
        return replace(one, arguments=[*map(argument, one.arguments, other.arguments)])

    def block(one: Block, other: Block) -> Block:
        if (one.kind, one.content, one.place) != (other.kind, other.content, other.place):
            raise NotAffine
        return replace(one, bytes=number(one.bytes, other.bytes))

    for one, other in ((small.calls, large.calls), (small.blocks, large.blocks), (small.outputs, large.outputs)):
        if len(one) != len(other):  # type: ignore[arg-type]
            raise NotAffine
    if small.output != large.output:
        raise NotAffine
    return replace(
        small,
        calls=[*map(call, small.calls, large.calls)],
        blocks=[*map(block, small.blocks, large.blocks)],
        inputs=[*map(argument, small.inputs, large.inputs)],
        outputs=[*map(argument, small.outputs, large.outputs)],
        least=n,
    )


def at_batch(general: Listing, n: int) -> Listing:
    """Returns the list with numbers for a batch of n."""

    def argument(one: Any) -> Any:
        if not isinstance(one, Ref):
            return at(one, n)
        shape = tuple(at(size, n) for size in one.shape)
        return Ref(one.memory, at(one.offset, n), one.dtype, shape, tuple(at(step, n) for step in one.strides))

    each: Callable[[list[Any]], list[Any]] = lambda refs: [*map(argument, refs)]  # noqa: E731
    calls = [replace(call, arguments=each(call.arguments)) for call in general.calls]
    blocks = [replace(block, bytes=at(block.bytes, n)) for block in general.blocks]
    return replace(general, calls=calls, blocks=blocks, inputs=each(general.inputs), outputs=each(general.outputs), least=0)


def same(one: Listing, other: Listing) -> bool:
    """Returns whether two lists for one batch are equal."""
    return (one.calls, one.blocks, one.inputs, one.outputs, one.output) == (
        other.calls,
        other.blocks,
        other.inputs,
        other.outputs,
        other.output,
    )
