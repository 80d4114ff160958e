"""Records a network for the sizes that it is compiled for, and makes lists of calls of that."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, Self

from pytorch_legacy.arrays import tree
from pytorch_legacy.backend import free_scratch
from pytorch_legacy.backend.library import fixed_convolutions
from pytorch_legacy.errors import CompileError, THNNError
from pytorch_legacy.program.execution import Opened
from pytorch_legacy.program.fusing import fused
from pytorch_legacy.program.inputs import Sizes, Source
from pytorch_legacy.program.listing import Listing, NotAffine, at, at_batch, listing, merge_batches, same
from pytorch_legacy.program.proof import Proof, StateError
from pytorch_legacy.program.state import isReadLater, with_state
from pytorch_legacy.recording import Recording, record
from pytorch_legacy.recording.network import Place, list_modules
from pytorch_legacy.recording.numbers import ChangingNumberError, isOutside

_PROOF_BYTES = 512 << 20
_DRY_BYTES = 4 << 30  # bytes of address space; a dry recording hardly touches this memory
_DRY_BATCHES = (65536, 4096, 256, 64)
_ROUND = (16, 20, 24, 32, 48, 50, 64, 100, 128, 200, 256, 500, 512, 1000, 1024, 2000, 2048, 4096, 5000, 8192, 10000, 16384, 32768)
"""Batches at which a layer of a user may decide: these numbers, and those beside them."""

Lists = tuple[Listing, ...]
"""The list of every pass; or, of a network with a state, the lists of the first pass and of later ones."""


def compiled(net: Any, table: Any, sizes: Sizes) -> tuple[list[Lists], Opened]:
    """Returns lists for these shapes, and the program of them that was proven.

    Where a batch is free, there are lists for one sample, and for all larger batches if their numbers are a + b n.
    """
    try:
        with fixed_convolutions():
            try:
                return Compiler(net, table, sizes, 1).compile()
            except StateError:
                return Compiler(net, table, sizes, 3).compile()
    finally:
        free_scratch()


class Compiler:
    """Compiles a network for one batch, or for any.

    Parameters
    ----------
    passes : int
        Number of passes that are recorded one after the other: 1, or 3 for a network with a state.
    """

    def __init__(self, net: Any, table: Any, sizes: Sizes, passes: int) -> None:
        self.net = net
        self.table = table
        self.sizes = sizes
        self.passes = passes
        self.source = Source(table, net)
        self.seen: dict[int, list[Any]] = {}  # the inputs and outputs of recorded passes, by their batch
        self.contents: dict[bytes, bytes] = {}  # constants, which all lists share
        self.carried: list[Place] = []  # arrays that hold what an earlier pass has left

    def compile(self) -> tuple[list[Lists], Any]:
        if self.passes == 1 and any(map(isOutside, list_modules(self.net))):
            self._refuse_counts()
        if not any(axis is not None for axis in self.sizes.axes):
            made = [self._lists(1)]
            return made, self._prove(made, [1])
        general = self._general()
        found = [] if general is None else [general]
        try:
            single = self._lists(1)
            if general is None or _areAlike(single, general):
                found.insert(0, single)
            else:  # a program has one structure; this batch has a program of its own
                del self.seen[1]
        except CompileError:
            raise
        except THNNError:
            if general is None:  # it takes neither; perhaps this batch alone
                fixed = Sizes(self.sizes.shapes, (None,) * len(self.sizes.axes))
                return self._fixed(fixed).compile()
        batches = [1] if 1 in self.seen else []
        if general is None:
            self.seen = {n: one for n, one in self.seen.items() if n == 1}
        else:
            batches += [2, 3, _most(general)]
        return found, self._prove(found, batches)

    def _refuse_counts(self) -> None:
        """Raises CompileError if a number in a layer of a user changes from pass to pass."""
        try:
            self._record([self.source.empty(self.sizes.shapes) for _ in range(3)], isDry=True)
        except ChangingNumberError:
            raise
        except (THNNError, MemoryError):  # the recordings of each batch raise all other errors
            pass

    def _fixed(self, sizes: Sizes) -> Self:
        """Returns the compiler for these sizes alone."""
        return type(self)(self.net, self.table, sizes, self.passes)

    def _prove(self, lists: list[Lists], batches: list[int]) -> Any:
        """Returns the program of these lists, which is proven for these batches."""
        free_scratch()
        return Proof(lists, self.sizes, self.source, self.net).prove(self.seen, batches)

    def _lists(self, n: int) -> Lists:
        """Records passes of a batch of n."""
        inputs = [self.source.arrays(self.sizes.at(n)) for _ in range(self.passes)]
        recordings = self._record(inputs)
        self.seen[n] = [(one, [*tree.leaves(recording.values)]) for one, recording in zip(inputs, recordings, strict=True)]
        return self._listed(recordings)

    def _record(self, inputs: list[Any], isDry: bool = False) -> list[Recording]:
        """Records a pass for each input."""
        while True:
            found = record(self.net, *map(self.source.filled, inputs), isDry=isDry, carried=self.carried)
            more = [place for place in found[0].carried if place not in self.carried]
            if isDry or not more:
                return found
            self.carried += more

    def _listed(self, recordings: list[Recording]) -> Lists:
        """Returns the lists of recorded passes."""
        if len(recordings) == 1 and isReadLater(recordings[0]):
            raise StateError("pl.compile: net: its passes depend on earlier ones")
        found = (listing(recordings[0]),) if len(recordings) == 1 else with_state(recordings, self.net)
        return self._shared(tuple(map(fused, found)))

    def _shared(self, lists: Lists) -> Lists:
        """Returns lists in which equal constants are one object."""
        for one in lists:
            one.blocks = [replace(block, content=self.contents.setdefault(block.content, block.content)) for block in one.blocks]
        return lists

    def _general(self) -> Lists | None:
        """Returns the lists for all batches of two or more; None if there are none, as where a layer decides by the batch."""
        try:
            general = tuple(merge_batches(two, three, 2) for two, three in zip(self._lists(2), self._lists(3), strict=True))
        except NotAffine:
            return None
        except CompileError:
            raise
        except THNNError:  # it takes some batches only, or the first size is none
            return None
        batches = {4, _most(general)}
        if any(map(isOutside, list_modules(self.net))):
            batches |= {*range(5, 16), *(n + i for n in _ROUND for i in (-1, 0, 1))}
        for n in sorted(n for n in batches if _total(general, n) <= _DRY_BYTES):
            with suppress(MemoryError):  # the address space of a process may be limited
                if not self._covers(general, n):
                    return None
        for n in _DRY_BATCHES:
            if _total(general, n) <= _DRY_BYTES:
                try:
                    return general if self._covers(general, n) else None
                except MemoryError:
                    continue
        return general

    def _covers(self, general: Lists, n: int) -> bool:
        """Returns whether the network makes the calls of the lists for a batch of n."""
        inputs = [self.source.empty(self.sizes.at(n)) for _ in range(self.passes)]
        try:
            found = self._listed(self._record(inputs, isDry=True))
        except MemoryError:  # includes OutOfMemoryError
            raise
        except THNNError:
            return False
        return all(same(at_batch(one, n), other) for one, other in zip(general, found, strict=True))


def _areAlike(one: Lists, other: Lists) -> bool:
    """Returns whether the outputs and the states of lists are arrays of the same kinds, in tables of one structure."""
    return [*map(_kinds, one)] == [*map(_kinds, other)]


def _kinds(one: Listing) -> tuple[Any, ...]:
    return one.output, [ref.dtype for ref in one.outputs], len(one.inputs)


def _total(lists: Lists, n: int) -> int:
    """Returns how many bytes the arrays of a batch take, each in memory of its own."""
    return sum(at(block.bytes, n) for one in lists for block in one.blocks if block.kind != "constant")


def _most(general: Lists) -> int:
    """Returns the largest batch of the proof: 17, or as many as its memory has room for, but at least 4.

    The network's own arrays and the program's are there at the same time.
    """
    return next((n for n in range(17, 4, -1) if 2 * _total(general, n) <= _PROOF_BYTES), 4)
