"""Notes the calls of a pass, and which memory each of them reads and writes.

A pass runs as usual while it is recorded: on arrays of the class `RecordedArray`, each around an array of NumPy that nothing else
sees. So shapes, views and results are those of the pass. A call is noted before it is made, on values (memory, offset, shape,
strides) and not on addresses.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.arrays.device import recorders
from pytorch_legacy.backend import arrays as backend_arrays
from pytorch_legacy.backend import binding
from pytorch_legacy.errors import CompileError, UnsupportedError

TYPES = backend_arrays.TYPES


class Ref(NamedTuple):
    """Elements in memory: `offset` and `strides` in bytes."""

    memory: int
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Scalar(NamedTuple):
    """A number in the output of a network, such as a criterion's loss: the place that it has among arrays, or a `Ref`."""

    of: Any


@dataclass
class Call:
    """A call of a function of libTHNN: its name without ``THNN_``, its arguments but for the state, and the places among these
    that it reads and writes.

    ``module`` is the place of the module that made it among the modules of the network; -1 if none did. ``error`` is the name of
    the exception that it raises, if that is another one than its status stands for. A function from outside of the library
    (``isOutside``) has the name that it is registered by (`binding.in_program`). ``isNumPy`` says that code outside of the
    package calls a function of NumPy, which computes in eager passes. ``part`` is the part of the pass that it belongs to
    (`begin`).
    """

    name: str
    arguments: list[Any]
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    module: int = -1
    error: str = ""
    isOutside: bool = False
    isNumPy: bool = False
    part: str = ""

    def refs(self, places: Sequence[int] | None = None) -> list[Ref]:
        """Returns the arrays among the arguments, or those at these places."""
        chosen = self.arguments if places is None else [self.arguments[place] for place in places]
        return [one for one in chosen if isinstance(one, Ref)]


class WritesInputError(Exception):
    """A call writes to the input of the network. It is to be recorded once more, with a copy of that."""


class Memory:
    """The memory that arrays are views of.

    Attributes
    ----------
    array
        The array of NumPy that owns it.
    kind : str
        "input", "constant" (what it holds is known before the pass), "made" in the pass, or "held" (it lives from pass to pass,
        as the parameters of a training step).
    isKnown : bool
        True if the memory holds, so far, only what depends on no input.
    isRead : bool
        True if a call has read it.
    initial : array or None
        Contents of "made" memory before the passes, where one may read them.
    changed : int
        The pass that first writes to it, from 0.
    isForeign : bool
        True if a call writes to it that no layer of the package makes by itself: it may write other numbers for other inputs.
    """

    __slots__ = ("array", "changed", "initial", "isForeign", "isKnown", "isRead", "kind", "number")

    def __init__(self, number: int, array: Any, kind: str) -> None:
        self.number = number
        self.array = array
        self.kind = kind
        self.isKnown = kind not in ("input", "held")
        self.isRead = False
        self.initial: Any = None
        self.changed = 0
        self.isForeign = False

    def mayRead(self) -> bool:
        """Returns whether Python may read the contents, and notes that it does."""
        self.isRead = self.isRead or self.isKnown
        return self.isKnown

    def isChanged(self) -> bool:
        """Returns whether passes leave other contents than those of before, or may do so for other inputs."""
        if self.initial is None or not self.initial.size:
            return False
        return (self.isForeign and not self.isKnown) or self.array.tobytes() != self.initial.tobytes()


_LARGE = 1 << 20  # bytes


class Recorder:
    """Notes the calls of this thread while it is active.

    Parameters
    ----------
    modules : list of Module
        Those of the network. A call names its module by the place in this list.
    isDry : bool
        Whether calls are noted without being made. So large arrays need no memory. Calls on small arrays that depend on no input
        are made, because Python may read their results.
    held : list of array
        Arrays that own memory of the kind "held".
    draws : bool
        Whether draws from the random generator are noted. If False, they are refused.
    carried : list of array
        Arrays that own memory of the kind "constant" of which a pass may change what it holds.
    """

    def __init__(
        self,
        modules: Sequence[Any] = (),
        isDry: bool = False,
        held: Sequence[Any] = (),
        draws: bool = False,
        carried: Sequence[Any] = (),
    ) -> None:
        self.isDry = isDry
        self.draws = draws
        self.calls: list[Call] = []
        self.memories: list[Memory] = []
        self.refusal: CompileError | None = None
        self.number = 0  # the number of the pass
        self.part = ""  # the part of the pass
        self._numbers: dict[int, Memory] = {}  # by the id of the array that owns the memory
        self._constants: dict[tuple[Any, ...], Any] = {}
        self._modules = {id(module): number for number, module in enumerate(modules)}
        self._module: dict[int, int] = {}
        self.copies: list[int] = []  # memories that `RecordedArray.inCopy` has made
        for owner in held:
            self._new(owner, "held")
        for owner in carried:
            self.memory(owner).isKnown = False

    @contextmanager
    def active(self) -> Any:
        """Records the passes of this thread within its context."""
        thread = get_ident()
        if thread in recorders:
            raise CompileError("pl.compile: a pass that is recorded cannot compile another network")
        recorders[thread] = self
        try:
            yield
        finally:
            del recorders[thread]
        if self.refusal is not None:  # somebody may have caught it
            raise self.refusal

    def close(self) -> None:
        """Lets go what refers to this object, so that its memory is freed without Python's collector."""
        self._constants.clear()
        self._numbers.clear()
        self.calls, self.memories, self.refusal = [], [], None

    # ---- arrays

    def wrap(self, array: Any) -> Any:
        """Returns the recorded array for an array of NumPy whose memory the recorder knows."""
        from pytorch_legacy.recording.array import RecordedArray

        array = np.asarray(array)
        if array.size and id(memory_owner(array)) not in self._numbers:
            raise self.refuse("makes a copy of an array in a way that is not recorded")
        return RecordedArray(self, array)

    def bound(self, array: Any, kind: str) -> Any:
        """Returns the recorded array for memory that was there before the pass."""
        array = np.asarray(array)
        owner = memory_owner(array)
        if id(owner) not in self._numbers:
            self._new(owner, kind)
        return self.wrap(array)

    def empty(self, shape: Any, dtype: Any) -> Any:
        """Returns a new recorded array without contents."""
        made = np.empty(shape, dtype)
        if made.ndim and made.size and not self.isDry:
            made.view(np.uint8).fill(255)
        self._new(made, "made")
        return self.wrap(made)

    def constant(self, value: Any, dtype: Any = None) -> Any:
        """Returns the recorded array for what depends on no input: a number, or a copy of an array of NumPy.

        Nobody may write to it, since there is one for all equal ones.
        """
        array = np.array(value, dtype)
        key = array.dtype.str, array.shape, sha256(array.tobytes()).digest()
        known = self._constants.get(key)
        if known is None:
            self._new(array, "constant")
            known = self._constants[key] = self.wrap(array)
        return known

    def buffer(self, array: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        """Returns the array if it is a dense buffer of that shape, else a new one, as `arrays.buffer` does."""
        from pytorch_legacy.recording.array import RecordedArray

        isOurs = type(array) is RecordedArray and array.recorder is self
        if isOurs and array.shape == shape and array.dtype == dtype and array.flags.carray:
            return array
        return self.empty(shape, dtype)

    def _new(self, owner: Any, kind: str) -> Memory:
        memory = Memory(len(self.memories), owner, kind)
        self.memories.append(memory)
        self._numbers[id(owner)] = memory
        return memory

    def memory(self, array: Any) -> Memory:
        """Returns the memory of an array of NumPy. It is a constant if the pass has not used it yet."""
        owner = memory_owner(array)
        return self._numbers.get(id(owner)) or self._new(owner, "constant")

    def ref(self, array: Any) -> Ref:
        """Returns the memory, offset, dtype, shape and strides of an array of NumPy."""
        memory = self.memory(array)
        if array.dtype not in TYPES:
            raise self.refuse(f"arrays of {array.dtype} are not recorded")
        offset = address(array) - address(memory.array)
        shape, strides = (array.shape, array.strides) if array.ndim else ((1,), (array.itemsize,))
        if any(stride % array.itemsize for stride in strides) or len(shape) > binding.MAX_DIMS:
            raise self.refuse(f"an array of {len(shape)} dimensions, or with strides of parts of elements, is not recorded")
        return Ref(memory.number, offset, array.dtype, shape, strides)

    # ---- calls

    def refuse(self, what: str, cause: BaseException | None = None) -> CompileError:
        """Returns the error that ends the recording. It names the module and line that run now, or those that raised `cause`."""
        module, line = self._where(_frames() if cause is None else _raised(cause))
        error = CompileError(f"{module}{what} ({line})" if line else f"{module}{what}")
        if self.refusal is None:
            self.refusal = error
        return error

    def note(self, name: str, arguments: list[Any], uses: str, module: Any = None, isOutside: bool = False) -> bool:
        """Notes a call and returns whether it is to be made. `uses` has a letter for each argument (`header.Function.uses`)."""
        values = [self.ref(one) if isinstance(one, np.ndarray) else one for one in arguments]
        arrays = [(place, self.memory(one)) for place, one in enumerate(arguments) if isinstance(one, np.ndarray)]
        reads = tuple(place for place, _ in arrays if uses[place] in "rx")
        writes = tuple(place for place, _ in arrays if uses[place] in "wxo")
        known = all(memory.isKnown for place, memory in arrays if place in reads)
        for place, memory in arrays:
            memory.isRead = memory.isRead or place in reads
        isMade = not self.isDry or (known and sum(arguments[place].nbytes for place in writes) <= _LARGE)
        for place, memory in arrays:
            if place not in writes:
                continue
            if memory.kind == "input":
                raise WritesInputError
            if memory.kind == "constant":
                memory.kind = "made"
                memory.changed = self.number
                isWhole = uses[place] in "wo" and arguments[place].nbytes == memory.array.nbytes and arguments[place].flags.forc
                isNew = isWhole and not memory.isRead and not self.number
                memory.initial = None if isNew else memory.array.copy(order="K")
            memory.isKnown = memory.isKnown and known and isMade
            memory.isForeign = memory.isForeign or name.startswith("array") or isOutside
        number = self._modules.get(id(module), -1) if module is not None else -1
        number = number if number >= 0 else self._number()
        self.calls.append(Call(name, values, reads, writes, number, isOutside=isOutside, part=self.part))
        return isMade

    def array(self, name: str, *arguments: Any) -> None:
        """Notes and makes a call of an array function, such as ``arrayCopy``, on arrays of NumPy."""
        if "raise" in np.geterr().values():
            raise self.refuse("lets NumPy raise exceptions by the numbers (np.errstate), which is not recorded")
        isMade = self.note(name, [*arguments], backend_arrays.USES[name])
        self.calls[-1].isNumPy = not _caller().startswith("pytorch_legacy.")
        if isMade:
            backend_arrays.call(name, *arguments)

    def native(self, module: Any, name: str) -> Any:
        """Returns a function that notes and makes calls of a layer's function."""
        from pytorch_legacy.recording.native import NativeCall

        return NativeCall(self, module, name)

    def only_read(self, arguments: list[Any], uses: str) -> dict[int, bytes]:
        """Returns the contents of the arrays that a call may only read, and that lie in no memory that it writes."""
        arrays = [(place, one) for place, one in enumerate(arguments) if isinstance(one, np.ndarray)]
        written = [self.memory(one) for place, one in arrays if uses[place] in "wx"]
        return {place: one.tobytes() for place, one in arrays if uses[place] == "r" and self.memory(one) not in written}

    # ---- where it happens

    def _number(self) -> int:
        """Returns the number of the module whose method makes the present call."""
        for frame, _ in _frames():
            number = self._modules.get(id(frame.f_locals.get("self")))
            if number is not None:
                return number
        return -1

    def _where(self, frames: Any) -> tuple[str, str]:
        """Returns how an error names the module, and the line, of the innermost frame that is not of NumPy or the recorder."""
        line = ""
        for frame, number in frames:
            name = frame.f_globals.get("__name__", "")
            if _isBelow(name):
                continue
            line = line or f"{name}, line {number}"
            for thing in (frame.f_locals.get("self"), frame.f_locals.get("module")):
                if id(thing) in self._modules:
                    return f"{thing._typename}: ", line
        return "", line


def begin(part: str) -> None:
    """Lets the calls that this thread records from now on belong to a part of the pass, if it records any."""
    recorder = recorders.get(get_ident())
    if recorder is not None:
        recorder.part = part


def _frames() -> Any:
    """Yields the frames of this thread and their lines, the innermost first."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        yield frame, frame.f_lineno
        frame = frame.f_back


def _caller() -> str:
    """Returns the module of Python whose code does something with recorded arrays."""
    for frame, _ in _frames():
        name: str = frame.f_globals.get("__name__", "")
        if not _isBelow(name):
            return name
    return ""


def _isBelow(name: str) -> bool:
    """Returns whether this is a module of NumPy or of the recorder."""
    return name.partition(".")[0] == "numpy" or name.startswith("pytorch_legacy.recording")


def _raised(error: BaseException) -> Any:
    """Returns the frames that an exception came through and their lines, the innermost first."""
    place, found = error.__traceback__, []
    while place is not None:
        found.append((place.tb_frame, place.tb_lineno))
        place = place.tb_next
    return reversed(found)


def memory_owner(array: Any) -> Any:
    """Returns the array that owns the memory of a view."""
    while True:
        base = array.base
        if isinstance(base, np.ndarray):
            array = base
        elif isinstance(getattr(base, "base", None), np.ndarray):  # np.lib.stride_tricks.as_strided puts an object between them
            array = base.base
        else:
            return array


def address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


__all__ = ["Call", "Memory", "Recorder", "Ref", "UnsupportedError", "begin"]
