"""The state that a recurrent network keeps from one pass to the next.

Three passes are recorded one after the other. The arrays of the first that the second reads are the state. If the third reads
another array at the same place, that is the state after the second pass. So there are two lists: that of the first pass,
whose further outputs are the state, and that of all later ones, which have the state as further inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import zip_longest
from math import prod
from typing import Any

import numpy as np

from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError
from pytorch_legacy.program.listing import Listing, listing, needed, whole
from pytorch_legacy.program.places import origin
from pytorch_legacy.recording import Call, Recording, Ref, Scalar
from pytorch_legacy.recording.network import elements

_CURE = "run the network itself, or call forget() and remember('neither') before it is compiled"


def isReadLater(recording: Recording) -> bool:
    """Returns whether the outputs of a pass depend on what an earlier one has left in arrays of the network."""
    written = {number: np.zeros(recording.memories[number].array.nbytes, np.bool_) for number in recording.carried.values()}
    outputs = [leaf.of if isinstance(leaf, Scalar) else leaf for leaf in tree.leaves(recording.output)]
    if not written:
        return False
    for call in [*needed(recording), Call("", outputs, tuple(range(len(outputs))), ())]:
        for ref in call.refs(call.reads):
            if ref.memory in written and not elements(written[ref.memory], ref).all():
                return True
        for ref in call.refs(call.writes):
            if ref.memory in written:
                elements(written[ref.memory], ref)[...] = True
    return False


def with_state(passes: list[Recording], net: Any, written: Collection[int] = ()) -> tuple[Listing, Listing]:
    """Returns the lists of the first pass of `net` and of later ones. `written` is that of `listing`."""
    first, second, third = passes
    kept = _kept(first, second)
    if not kept:
        raise CompileError(
            "pl.compile: net: expected a network whose passes depend on earlier ones by arrays alone, got one whose second pass "
            "depends on its first one otherwise, as by a number that counts passes; keep it in an array that passes change"
        )
    place = {memory: number for number, memory in enumerate(kept)}
    successors = [-1] * len(kept)
    for call, other in zip(_alike(second, third, net), third.calls, strict=True):
        for one, ref in zip(call.refs(), other.refs(), strict=True):
            if one.memory not in place:
                continue
            number = place[one.memory]
            if successors[number] not in (-1, ref.memory) or one._replace(memory=0) != ref._replace(memory=0):
                raise _irregular("keeps its state in another array", net, call)
            successors[number] = ref.memory
    before = [whole(first, memory) for memory in kept]
    after = [_alikeRef(whole(second, memory), ref) for memory, ref in zip(successors, before, strict=True)]
    later = listing(second, before=before, after=after, written=written)
    return listing(first, after=before, written=written), replace(later, isLater=True)


def _irregular(what: str, net: Any, call: Call) -> CompileError:
    """Returns the error for a third pass that does something else than the second one at a call."""
    where = origin(net, call.module)
    first = where and f", first {where}"
    return CompileError(
        f"pl.compile: net: expected a third pass in a row that does what the second one does, got one that {what}{first}; {_CURE}"
    )


def _alikeRef(after: Ref, before: Ref) -> Ref:
    """Returns all of a memory in the shape that the same state had before."""
    if after.dtype != before.dtype or prod(after.shape) != prod(before.shape):
        one, other = (f"{prod(ref.shape)} numbers of {ref.dtype}" for ref in (before, after))
        raise CompileError(
            f"pl.compile: net: expected a state of one size, got {one} after the first pass and {other} after the second; {_CURE}"
        )
    return before._replace(memory=after.memory)


def _alike(second: Recording, third: Recording, net: Any) -> list[Call]:
    """Returns the calls of the second pass. Raises CompileError if the third makes other ones."""
    for one, other in zip_longest(second.calls, third.calls):
        if one is None or other is None or _without_memory(one) != _without_memory(other):
            raise _irregular("makes other calls", net, one or other)
    return second.calls


def _without_memory(call: Call) -> tuple[Any, ...]:
    arguments = [one._replace(memory=0) if isinstance(one, Ref) else one for one in call.arguments]
    return call.name, repr(arguments), call.reads, call.writes


def _kept(first: Recording, second: Recording) -> list[int]:
    """Returns the memories that the first pass writes, and that the second reads before it has written all of them."""
    written = {ref.memory for call in first.calls for ref in call.refs(call.writes)} - {*first.held}
    found: list[int] = []
    fresh: set[int] = set()
    for call in second.calls:
        for ref in call.refs(call.reads):
            if ref.memory in written and ref.memory not in fresh and ref.memory not in found:
                found.append(ref.memory)
        for ref in call.refs(call.writes):
            size = 1
            for extent in ref.shape:
                size *= extent
            isWhole = size * ref.dtype.itemsize == second.memories[ref.memory].array.nbytes
            if ref.memory in written and ref.memory not in found:
                if isWhole:
                    fresh.add(ref.memory)
                elif ref.memory not in fresh:
                    found.append(ref.memory)  # an array that is not written stays as the first pass left it
    return found
