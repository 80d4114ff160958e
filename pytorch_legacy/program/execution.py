"""Runs the bytes of a program: one call of THNN_runProgram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pytorch_legacy.backend.arrays import TYPES
from pytorch_legacy.backend.binding import UNFILLED, TensorDescriptor
from pytorch_legacy.backend.library import check, ffi, free_scratch, lib
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.messages import sizes

_DTYPES = {0: np.dtype(np.float32), 1: np.dtype(np.float64), 2: np.dtype(np.int64), 3: np.dtype(np.uint8)}


def state_count(bytes: Any) -> int:
    """Returns how many states a program keeps from run to run."""
    return int.from_bytes(bytes[44:48].tobytes(), "little")


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
        Aligned as THNN_openProgram requires.
    caller : str, optional
        Name for errors of opening.
    """

    def __init__(self, bytes: Any, caller: str = "pl.compile", handle: Any = None) -> None:
        self.bytes = bytes
        place = ffi.new("THNNProgram **")
        if handle is None:
            check(lib.THNN_openProgram(ffi.from_buffer(bytes), bytes.nbytes, place), caller)
        else:
            check(lib.THNN_cloneProgram(handle, place), caller)
        self.handle = ffi.gc(place[0], lib.THNN_closeProgram)
        counts = ffi.new("int32_t[2]")
        check(lib.THNN_programCounts(self.handle, counts, counts + 1), caller)
        self._given, self._count = counts
        self.count = self._count  # the number of outputs that a run returns
        self._inputs = ffi.new("THNNArray[]", max(1, self._given))
        check(lib.THNN_programInputs(self.handle, 0, self._inputs, self._given), caller)
        self._outputs = ffi.new("THNNArray[]", max(1, self._count))
        each = [(place, ffi.addressof(self._inputs, place)) for place in range(self._given)]
        self._slots = [ArrayDescriptor(f"input {place + 1}", _DTYPES[one.type], one) for place, one in each]
        self._isRecurrent = state_count(bytes) > 0
        self.hasState = False  # true if the next run depends on earlier ones
        self._shapes: Any = None
        self._made: list[tuple[Any, tuple[int, ...], Any]] = []  # descriptors of outputs, shapes, dtypes
        self._read: list[Any] = []
        self.written: list[Any] = []  # the arrays of `hold`

    def clone(self) -> Opened:
        """Returns another one on the same bytes, without a state."""
        return Opened(self.bytes, "Program.clone", self.handle)

    def run(self, arrays: Sequence[Any], shapes: list[tuple[int, ...]] | None = None) -> list[Any]:
        """Returns the outputs for arrays of NumPy, in new memory. `shapes` are their shapes, if the caller has them."""
        if shapes is None:
            shapes = [array.shape for array in arrays]
        if shapes != self._shapes:
            if self.hasState:
                wanted, got = (", ".join(map(sizes, one)) for one in (self._shapes, shapes))
                reason = "as before, for the state of earlier calls"
                name = "step" if self.written else "program"
                raise ShapeError(f"{name}: input: expected {wanted}, {reason}, got {got}; forget() begins anew")
            self._plan(arrays, shapes)
        for slot, array in zip(self._slots, arrays):  # noqa: B905 (held arrays stay as they were planned for)
            if array is not slot.array or slot.head.raw != slot.seen or slot.sizes.raw != slot.sized:
                slot.fill(array)
        outputs = []
        for descriptor, shape, dtype in self._made:
            output = np.empty(shape, dtype)
            descriptor.data = ffi.from_buffer(output)
            outputs.append(output)
        if status := lib.THNN_runProgram(self.handle, self._inputs, self._given, self._outputs, self._count):
            check(status, "program")
        self.hasState = self._isRecurrent
        return outputs

    def compare(self, inputs: Sequence[Any], outputs: Sequence[int], lists: int, caller: str) -> None:
        """Raises ValueRangeError unless the program has inputs of these dtypes, these outputs, and so many lists."""
        isListed = lib.THNN_programInputs(self.handle, lists - 1, self._inputs, self._given) == 0
        isLast = lib.THNN_programInputs(self.handle, lists, self._inputs, self._given) != 0
        isSame = [*inputs] == [slot.dtype for slot in self._slots] and sorted(outputs) == [*range(self.count)]
        if not (isSame and isListed and isLast):
            raise ValueRangeError(f"{caller}: expected notes on {self._given} inputs and {self.count} outputs, got others")

    def forget(self) -> None:
        """Makes the next run the first one."""
        self.hasState = False
        check(lib.THNN_forgetProgram(self.handle), "program")

    def _plan(self, arrays: Sequence[Any], shapes: list[tuple[int, ...]]) -> None:
        self._shapes = None
        for slot, array in zip(self._slots, [*arrays, *self._read], strict=True):
            slot.fill(array)
        check(lib.THNN_planProgram(self.handle, self._inputs, len(self._slots), self._outputs, self._count), "program")
        self._made = []
        for place in range(self.count):
            one = ffi.addressof(self._outputs, place)
            self._made.append((one, tuple(one.size[d] for d in range(one.nDimension)), _DTYPES[one.type]))
        self._shapes = shapes

    def hold(self, read: Sequence[Any], written: Sequence[Any]) -> None:
        """Lets all later runs read their last inputs in dense arrays, and write their last outputs into others.

        The latter hold what the runs read there before.
        """
        self._shapes = None
        self._read, self.written = [*read], [*written]
        self.count = self._count - len(written)
        for place, array in enumerate(written, self.count):
            self._outputs[place].data = ffi.from_buffer(array)

    def failure(self) -> tuple[int, int]:
        """Returns the numbers of the list and the call in which the latest run failed; -1 if none did."""
        list, call = ffi.new("int32_t *"), ffi.new("int64_t *")
        lib.THNN_programFailure(self.handle, list, call)
        return int(list[0]), int(call[0])

    def free_scratch(self) -> None:
        """Frees the packed weights, which this program and its clones have in common. The next run packs them again."""
        free_scratch(self.state())

    def state(self) -> Any:
        """Returns the THNNState that this program and its clones have in common."""
        place = ffi.new("THNNState **")
        check(lib.THNN_programState(self.handle, place), "pl.compile")
        return place[0]

    def arena(self) -> int:
        """Returns the bytes of the memory in which runs compute. It is large enough for the largest sizes so far."""
        place = ffi.new("uint64_t *")
        lib.THNN_programBytes(self.handle, place)
        return int(place[0])
