"""Prepared calls of C functions, and the object that stores them and other results between two calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .. import reentrancy
from ..errors import BusyError
from .library import NULL

Slots = tuple[tuple[int, Any], ...]
"""Array descriptors (`binding.TensorDescriptor`), each with the place of its argument in the call."""

Reader = Callable[[Any], tuple[Any, ...]]


class PreparedCall:
    """A C function as one object calls it, with a descriptor for each array argument.

    One rule decides whether a descriptor is still valid: the argument is the same array, and the bytes of its header (address,
    sizes, strides, dtype, flags) have not changed since the descriptor was filled. Otherwise it is filled again; and if sizes or
    strides are others, the next pass has to be prepared anew. This keeps the cost of a call near one microsecond.

    Parameters
    ----------
    function : callable
        The C function. Its first argument is the state.
    make : callable
        Makes the descriptors, which serve one call at a time.
    check : callable
        Raises the exception of a status.
    where : str
        How exceptions name the call.
    """

    __slots__ = ("_buffer", "_check", "_function", "_make", "_read", "_slots", "_where")
    _read: Reader
    _buffer: Any

    def __init__(
        self, function: Callable[..., Any], make: Callable[[], Slots], check: Callable[[int, str], None], where: str
    ) -> None:
        self._function = function
        self._make = make
        self._check = check
        self._where = where
        self._slots: Slots | None = make()
        self._buffer = None

    def run(self, values: list[Any], onlySameSizes: bool = False) -> None:
        """Calls the function. `values` are NULL for the state, then the other arguments; the list is overwritten.

        With `onlySameSizes` nothing is called if an array has other sizes or strides than in the call before: ``_buffer`` becomes
        None.
        """
        slots, self._slots = self._slots, None
        if slots is None:
            slots = self._newSlots()
        try:
            for place, slot in slots:
                array = values[place]
                if array is not slot.array or slot.head.raw != slot.seen or slot.sizes.raw != slot.sized:
                    sized, buffer, self._buffer = slot.sized, self._buffer, None  # None after an exception, too
                    slot.fill(array)
                    if slot.sized == sized:
                        self._buffer = buffer
                    elif onlySameSizes:
                        return
                values[place] = slot.value
            status = self._function(*values)
        finally:
            self._slots = slots
        if status:
            self._check(status, self._where)

    def release(self) -> None:
        """Drops the references to the arrays of the last call."""
        for _, slot in self._slots or ():
            slot.release()

    def _newSlots(self) -> Slots:
        """Returns descriptors for a call within another one. Raises BusyError if that is another thread's."""
        caller = sys._getframe(1)
        if reentrancy.guard_owner({caller.f_code: "self"}, self, caller) == "another":
            raise BusyError(reentrancy.busy_message(self._where))
        return self._make()  # this thread's own call was interrupted

    def asPass(self, read: Reader, buffer: Any) -> PreparedCall:
        """Returns self, as the call that `repeat` makes.

        Parameters
        ----------
        read : callable
            Reads those arguments that are fields of the object.
        buffer : array
            The first of them, which the function writes.
        """
        self._read, self._buffer = read, buffer
        return self

    def repeat(self, module: Any, handed: tuple[Any, ...]) -> Any:
        """Calls the function with the arrays `handed` to a pass and the fields of the module, which are all read anew.

        Returns the buffer. Returns None without a call if the module has another buffer now, if the pass got the buffer itself to
        read, or if an array has other sizes than in the call before: the pass has to be prepared anew.
        """
        fields = self._read(module)
        buffer = self._buffer
        if buffer is None or fields[0] is not buffer:
            return None
        for array in handed:
            if array is buffer:
                return None
        self.run([NULL, *handed, *fields], True)
        return buffer if self._buffer is buffer else None


_SAME_ARRAY = object()
"""The buffer of a prepared call that writes over an array handed to the pass."""


class InPlace:
    """The prepared pass of a module that writes its result over its input, or over gradOutput.

    It obeys the rule of `PreparedCall`. A read-only array has another header, and the C function refuses it.

    Parameters
    ----------
    prepared : PreparedCall
        The call, which has just been made.
    read : callable
        Reads those arguments that are fields of the module. The first of them is `field`.
    field : str
        The field that refers to the result.
    """

    __slots__ = ("_field", "_prepared")

    def __init__(self, prepared: PreparedCall, read: Reader, field: str) -> None:
        self._prepared = prepared.asPass(read, _SAME_ARRAY)
        self._field = field

    def repeat(self, module: Any, handed: tuple[Any, ...]) -> Any:
        """Calls the function with the arrays `handed` to a pass, of which it writes the last one, and returns that one.

        Returns None without a call if the module no longer works in place, or if an array has other sizes than before.
        """
        prepared, array = self._prepared, handed[-1]
        if prepared._buffer is not _SAME_ARRAY or not module.inplace or self._field in module._ownBuffers:
            return None
        prepared.run([NULL, *handed, array, *prepared._read(module)[1:]], True)
        if prepared._buffer is not _SAME_ARRAY:
            return None
        module.__dict__[self._field] = array
        return array


class Bindings:
    """The ``_bindings`` of an object: results that it stores between two calls. Copies, conversions and files do not have them.

    Attributes
    ----------
    calls : dict
        The prepared calls, by the names of the C functions.
    passes : dict
        Those that the next pass can repeat, by the names of the methods ("updateOutput").
    workspaces : dict
        Scratch memory of a cudnn.RNN, by name and layer.
    steps : tuple, optional
        The nodes of an nn.gModule in running order.
    numbers : tuple of dict, optional
        The numbers that a graph.Graph gives its nodes and edges.
    settings : list, optional
        The numbers and weights of the criterion that a StepCriterion has cloned.
    """

    __slots__ = ("calls", "numbers", "passes", "settings", "steps", "workspaces")

    def __init__(self) -> None:
        self.calls: dict[str, PreparedCall] = {}
        self.passes: dict[str, PreparedCall | InPlace] = {}
        self.workspaces: dict[tuple[str, int], Any] = {}
        self.steps: Any = None
        self.numbers: tuple[dict[Any, int], dict[Any, int]] | None = None
        self.settings: list[Any] | None = None

    @classmethod
    def of(cls, thing: Any) -> Bindings:
        """Returns those of an object; creates them on first use."""
        found: Bindings = thing.__dict__.get("_bindings") or thing.__dict__.setdefault("_bindings", cls())
        return found
