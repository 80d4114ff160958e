"""Runs the bytes of a program: one call of THNN_runProgram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pytorch_legacy.backend.arrays import TYPES
from pytorch_legacy.backend.binding import UNFILLED, TensorDescriptor
from pytorch_legacy.backend.library import check, ffi, free_scratch, lib
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.messages import sizes

_DTYPES = {0: np.dtype(np.float32), 1: np.dtype(np.float64), 2: np.dtype(np.int64), 3: np.dtype(np.uint8)}


def aligned(content: Any) -> Any:
    """Returns a copy of bytes that begins at a multiple of 64, as THNN_openProgram requires, and that is read-only."""
    memory = np.empty(content.nbytes + 64, np.uint8)
    first = -memory.__array_interface__["data"][0] % 64
    whole = memory[first : first + content.nbytes]
    whole[:] = content
    whole.flags.writeable = False
    return whole


class ArrayDescriptor(TensorDescriptor):
    """The descriptor of one array among those that a run gets."""

    __slots__ = ()

    def __init__(self, place: str, dtype: Any, descriptor: Any) -> None:
        self.function, self.argument, self.writes = "program", place, False
        self.dtype = np.dtype(dtype)
        self.descriptor = descriptor
        self.descriptor.type = TYPES[self.dtype]
        self.address = ffi.cast("uintptr_t *", descriptor)
        self.array = UNFILLED
        self.head = self.sizes = self.seen = self.sized = None


class Opened:
    """A program in C, which closes with this object.

    Parameters
    ----------
    bytes : array of uint8
    dtypes : sequence of dtype
        Those of its inputs.
    """

    def __init__(self, bytes: Any, dtypes: Sequence[Any], handle: Any = None) -> None:
        self.bytes = bytes
        self.dtypes = tuple(map(np.dtype, dtypes))
        place = ffi.new("THNNProgram **")
        if handle is None:
            check(lib.THNN_openProgram(ffi.from_buffer(bytes), bytes.nbytes, place), "pl.compile")
        else:
            check(lib.THNN_cloneProgram(handle, place), "Program.clone")
        self.handle = ffi.gc(place[0], lib.THNN_closeProgram)
        counts = ffi.new("int32_t[2]")
        check(lib.THNN_programCounts(self.handle, counts, counts + 1), "pl.compile")
        self.count = counts[1]
        self._inputs = ffi.new("THNNArray[]", max(1, len(self.dtypes)))
        self._outputs = ffi.new("THNNArray[]", max(1, self.count))
        slots = enumerate(self.dtypes)
        self._slots = [ArrayDescriptor(f"input {place + 1}", dtype, ffi.addressof(self._inputs, place)) for place, dtype in slots]
        self._given = len(self.dtypes)
        self._shapes: Any = None
        self._made: list[tuple[Any, tuple[int, ...], Any]] = []  # descriptors of outputs, shapes, dtypes

    def clone(self) -> Opened:
        """Returns another one on the same bytes."""
        return Opened(self.bytes, self.dtypes, self.handle)

    def run(self, arrays: Sequence[Any], shapes: list[tuple[int, ...]]) -> list[Any]:
        """Returns the outputs for arrays of NumPy of these shapes, in new memory."""
        if shapes != self._shapes:
            self._plan(arrays, shapes)
        for slot, array in zip(self._slots, arrays):  # noqa: B905 (as many as were planned for)
            if array is not slot.array or slot.head.raw != slot.seen or slot.sizes.raw != slot.sized:
                slot.fill(array)
        outputs = []
        for descriptor, shape, dtype in self._made:
            output = np.empty(shape, dtype)
            descriptor.data = ffi.from_buffer(output)
            outputs.append(output)
        if status := lib.THNN_runProgram(self.handle, self._inputs, self._given, self._outputs, self.count):
            check(status, "program")
        return outputs

    def _plan(self, arrays: Sequence[Any], shapes: list[tuple[int, ...]]) -> None:
        self._shapes = None
        for slot, array in zip(self._slots, arrays, strict=True):
            slot.fill(array)
        check(lib.THNN_planProgram(self.handle, self._inputs, len(self._slots), self._outputs, self.count), "program")
        self._made = []
        for place in range(self.count):
            one = ffi.addressof(self._outputs, place)
            self._made.append((one, tuple(one.size[d] for d in range(one.nDimension)), _DTYPES[one.type]))
        self._shapes = shapes

    def failure(self) -> int:
        """Returns the number of the call in which the latest run failed; -1 if none did."""
        place = ffi.new("int64_t *")
        lib.THNN_programFailure(self.handle, place)
        return int(place[0])

    def free_scratch(self) -> None:
        """Frees the packed weights, which this program and its clones have in common. The next run packs them again."""
        place = ffi.new("THNNState **")
        check(lib.THNN_programState(self.handle, place), "pl.compile")
        free_scratch(place[0])

    def arena(self) -> int:
        """Returns the bytes of the memory in which runs compute. It is large enough for the largest sizes so far."""
        place = ffi.new("uint64_t *")
        lib.THNN_programBytes(self.handle, place)
        return int(place[0])


class Runner:
    """Calls the lists of a program: the first, and after it, if there is a state, the later one.

    Parameters
    ----------
    first : Opened
        For every call, or for the first one.
    later : Opened, optional
        For later calls of a network with a state, whose further inputs and outputs are that.
    results : int
        Number of outputs that are results.
    """

    def __init__(self, first: Opened, later: Opened | None, results: int) -> None:
        self.first = first
        self.later = later
        self.results = results
        self.isLater = False  # true if the latest call had a state
        self._state: list[Any] | None = None
        self._shapes: Any = None

    def run(self, arrays: Sequence[Any], shapes: list[tuple[int, ...]] | None = None) -> list[Any]:
        """Returns the results for arrays of NumPy. `shapes` are their shapes, if the caller has them."""
        if shapes is None:
            shapes = [array.shape for array in arrays]
        if self.later is None:
            return self.first.run(arrays, shapes)
        if self._state is not None and shapes != self._shapes:
            wanted, got = (", ".join(map(sizes, one)) for one in (self._shapes, shapes))
            cure = "forget() begins anew"
            raise ShapeError(f"program: input: expected {wanted}, as before, for the state of earlier calls, got {got}; {cure}")
        self.isLater = self._state is not None
        if self._state is None:
            outputs = self.first.run(arrays, shapes)
        else:
            outputs = self.later.run([*arrays, *self._state], [*shapes, *(array.shape for array in self._state)])
        self._state, self._shapes = outputs[self.results :], shapes
        return outputs[: self.results]

    def forget(self) -> None:
        """Makes the next call the first one."""
        self._state = None

    def hasState(self) -> bool:
        """Returns whether the next call depends on earlier ones."""
        return self._state is not None

    def arena(self) -> int:
        """Returns the bytes of memory in which runs compute."""
        return (self.later if self.isLater and self.later is not None else self.first).arena()

    def failure(self) -> int:
        """Returns the number of the call in C in which the latest run failed; -1 if none did."""
        opened = self.later if self.isLater and self.later is not None else self.first
        return opened.failure()

    def clone(self) -> Runner:
        """Returns another one on the same bytes, without a state."""
        return Runner(self.first.clone(), self.later and self.later.clone(), self.results)

    def stored(self) -> tuple[Any, ...]:
        """Returns the arguments of `restored`."""
        each = [opened and (opened.bytes, opened.dtypes) for opened in (self.first, self.later)]
        return (*each, self.results)

    @classmethod
    def restored(cls, first: Any, later: Any, results: int) -> Runner:
        """Returns a runner of stored bytes, which need no alignment."""
        opened = [one and Opened(aligned(one[0]), one[1]) for one in (first, later)]
        return cls(opened[0], opened[1], results)

    def bytes(self) -> int:
        """Returns how many bytes weights and lists take."""
        return int(self.first.bytes.nbytes + (self.later.bytes.nbytes if self.later else 0))
