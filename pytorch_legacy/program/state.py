"""The state that a recurrent network keeps from one pass to the next.

Three passes are recorded one after the other. The arrays of the first that the second reads are the state. If the third reads
another array at the same place, that is the state after the second pass. So there are two lists: that of the first pass,
whose further outputs are the state, and that of all later ones, which have the state as further inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import prod
from typing import Any

from pytorch_legacy.errors import CompileError
from pytorch_legacy.program.listing import Listing, listing, whole
from pytorch_legacy.recording import Call, Recording, Ref


def with_state(passes: list[Recording], written: Collection[int] = ()) -> tuple[Listing, Listing]:
    """Returns the lists of the first pass and of later ones. `written` is that of `listing`."""
    first, second, third = passes
    kept = _kept(first, second)
    if not kept:
        raise CompileError("pl.compile: the network keeps a state that is in none of its arrays; a program cannot repeat that")
    place = {memory: number for number, memory in enumerate(kept)}
    successors = [-1] * len(kept)
    for call, other in zip(_alike(second, third), third.calls, strict=True):
        for one, ref in zip(call.refs(), other.refs(), strict=True):
            if one.memory not in place:
                continue
            number = place[one.memory]
            if successors[number] not in (-1, ref.memory) or one._replace(memory=0) != ref._replace(memory=0):
                raise CompileError("pl.compile: the network keeps a state in a way that changes from pass to pass")
            successors[number] = ref.memory
    before = [whole(first, memory) for memory in kept]
    after = [_alikeRef(whole(second, memory), ref) for memory, ref in zip(successors, before, strict=True)]
    later = listing(second, before=before, after=after, written=written)
    return listing(first, after=before, written=written), replace(later, isLater=True)


def _alikeRef(after: Ref, before: Ref) -> Ref:
    """Returns all of a memory in the shape that the same state had before."""
    if after.dtype != before.dtype or prod(after.shape) != prod(before.shape):
        raise CompileError("pl.compile: the network keeps a state whose size changes from pass to pass")
    return before._replace(memory=after.memory)


def _alike(second: Recording, third: Recording) -> list[Call]:
    """Returns the calls of the second pass. Raises CompileError if the third makes other ones."""
    if [*map(_without_memory, second.calls)] != [*map(_without_memory, third.calls)]:
        raise CompileError("pl.compile: the network's second and third pass are not the same calls; a program cannot repeat them")
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
