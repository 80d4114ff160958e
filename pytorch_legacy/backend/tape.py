"""The calls of a pass, noted while it runs, to be made again without what Python does between them."""

from __future__ import annotations

import weakref
from bisect import bisect
from collections.abc import Callable, Iterable
from threading import get_ident
from typing import Any

import numpy as np

from ..arrays import Tensor, address
from .library import ffi

Span = tuple[int, int]
"""Addresses: the first byte, and the first one behind the last."""


class Tape:
    """What a pass does with the elements of arrays, once it has been recorded: ``with tape: output = ...``.

    Calls are made again with the same arrays and numbers; only the input may be another array, of the same shape, unless a call
    writes to it. A tape is whole if each call reads nothing but the input, what an earlier call has written, and constants: then
    there was nothing else that a later call needs.

    Parameters
    ----------
    input : array
        Which the pass gets. Its elements follow each other.
    constants : iterable of arrays
        Which the pass reads, and nobody puts others into their place while the tape is in use.
    """

    def __init__(self, input: Tensor, constants: Iterable[Tensor]) -> None:
        self._shape, self._dtype, self._size = input.shape, input.dtype, input.nbytes
        self._from = address(input)
        self._constants = _joined([span(array) for array in constants])
        self._written: list[Span] = []
        self._calls: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        # Pointers of descriptors to the input, and how far behind its first byte they point.
        self._places: list[tuple[Any, int]] = []
        self._held: list[Any] = []
        self._isWhole = True
        self._isFixed = False  # to the memory of this input?

    # ---- while a pass is recorded

    def __enter__(self) -> Tape:
        tapes[get_ident()] = self
        return self

    def __exit__(self, *error: object) -> None:
        del tapes[get_ident()]

    def call(self, function: Any, values: Iterable[Any], slots: Iterable[tuple[int, Any]]) -> None:
        """Notes a call of a C function with these values, among them descriptors, whose arrays the slots have."""
        values = [*values]
        slots = [(place, slot) for place, slot in slots if values[place] != ffi.NULL]
        # What it writes first: a function may get the same array to read, of which it looks at no more than the shape.
        for place, slot in sorted(slots, key=lambda item: not item[1].writes):
            # Others will fill the slot's descriptor again.
            values[place] = descriptor = ffi.new(ffi.typeof(slot.descriptor), slot.descriptor[0])
            if self._takes(slot.array, slot.writes):
                pointer = ffi.cast("uintptr_t *", descriptor)
                self._places.append((pointer, pointer[0] - self._from))
        self._calls.append((function, tuple(values)))

    def work(self, work: Callable[[], Any], target: Tensor, inputs: Iterable[Any]) -> None:
        """Notes work of NumPy's, which reads arrays and writes to `target`."""
        for array in inputs:
            if isinstance(array, np.ndarray) and self._takes(array, False):
                self._isFixed = True  # this work has that array
        self._takes(target, True)

        def again() -> None:
            work()

        self._calls.append((again, ()))

    def _takes(self, array: Tensor, writes: bool) -> bool:
        """Keeps an array that a call has, and tells whether it lies in the input."""
        place, whole = span(array), (self._from, self._from + self._size)
        inside = _covers([whole], place)
        self._isFixed |= (writes or not inside) and place[0] < whole[1] and whole[0] < place[1]
        if writes:
            self._written = _joined([*self._written, place])
        else:
            self._isWhole &= _covers(_joined([*self._written, whole]), place) or _covers(self._constants, place)
        if not inside:
            self._held += array, weakref.ref(array)  # NumPy does not resize an array that has a weak reference
        return inside

    def ends(self, output: Any) -> bool:
        """The pass has given this output: can it be made again?"""
        return self._isWhole and isinstance(output, np.ndarray) and _covers(self._written, span(output))

    # ---- afterwards

    def run(self, input: Any) -> bool:
        """Makes all calls again. Where the input is of another kind, or a call finds something wrong, the answer is False."""
        if not is_plain(input) or input.shape != self._shape or input.dtype != self._dtype:
            return False
        if self._isFixed and not input.flags.writeable:
            return False
        start = int(ffi.cast("uintptr_t", ffi.from_buffer(input)))  # quicker than `address`
        if start != self._from:
            i = bisect(self._written, (start + self._size,))
            if self._isFixed or (i and self._written[i - 1][1] > start):
                return False  # it would write over this input
            for pointer, distance in self._places:
                pointer[0] = start + distance
            self._from = start
        for function, values in self._calls:  # noqa: SIM110  # a generator takes longer
            if function(*values):
                return False
        return True


tapes: dict[int, Tape] = {}
"""Those that are being recorded, by the threads whose calls they note."""


def note(function: Any, values: Iterable[Any], slots: Iterable[tuple[int, Any]]) -> None:
    """A C function has been called: see `Tape.call`. Called only if there are tapes."""
    tape = tapes.get(get_ident())
    if tape is not None:
        tape.call(function, values, slots)


def is_noted() -> bool:
    """Does a tape note what this thread does?"""
    return get_ident() in tapes


def noted(work: Callable[[], Any], target: Tensor, *inputs: Any) -> Any:
    """Does work of NumPy's, which reads arrays and writes to `target`, and notes it as one call."""
    tape = tapes.pop(get_ident())  # not what is called meanwhile
    try:
        result = work()
    finally:
        tapes[get_ident()] = tape
    tape.work(work, target, inputs)
    return result


def is_plain(array: Any) -> bool:
    """Is it one of NumPy's, whose elements follow each other?"""
    return type(array) is np.ndarray and array.flags.c_contiguous and array.flags.aligned


def span(array: Tensor) -> Span:
    """The memory in which the elements lie."""
    first = last = address(array)
    if not array.size:
        return first, first
    for size, stride in zip(array.shape, array.strides, strict=True):
        if stride < 0:
            first += (size - 1) * stride
        else:
            last += (size - 1) * stride
    return first, last + array.itemsize


def _joined(spans: list[Span]) -> list[Span]:
    """The same memory, in order; what touches or overlaps is one."""
    result: list[Span] = []
    for first, end in sorted(spans):
        if result and first <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        elif first < end:
            result.append((first, end))
    return result


def _covers(spans: list[Span], place: Span) -> bool:
    i = bisect(spans, (place[0], float("inf")))
    return place[0] == place[1] or (i > 0 and place[1] <= spans[i - 1][1])
