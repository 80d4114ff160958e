"""Coroutines: greenlets where greenlet is installed, threads otherwise.

A thread runs only while its coroutine runs. If a coroutine is collected before its end, its thread is ended. Ctrl-C reaches the
main thread alone, which hands it on to the coroutine that it waits for.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from .errors import LuaError, traceback_of, value_of
from .operators import many
from .table import NESTING

try:
    import greenlet
except ImportError:
    greenlet = None

STACK_BYTES = 4 << 20  # stack of a thread; memory is taken only as it is used
_GROUND: tuple[int, int] = (0, 0)


class Coroutine:
    """A coroutine.

    Attributes
    ----------
    status : str
        "suspended", "running", "normal" or "dead".
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self.status = function, "suspended"
        self._nesting = _GROUND

    def _switch(self, values: tuple[Any, ...]) -> tuple[bool, tuple[Any, ...]]:
        """Runs until the next yield or the end. Returns True at the end, and the values."""
        raise NotImplementedError

    def suspender(self) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
        """Returns the function that yields. It does not keep the coroutine alive, which could not be collected otherwise."""
        raise NotImplementedError


class GreenletCoroutine(Coroutine):
    """A coroutine on a greenlet."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._greenlet = greenlet.greenlet(self._run)

    def _run(self, *values: Any) -> tuple[bool, tuple[Any, ...]]:
        return True, many(self._function(*values))

    def _switch(self, values: tuple[Any, ...]) -> tuple[bool, tuple[Any, ...]]:
        self._greenlet.parent = greenlet.getcurrent()
        return self._greenlet.switch(*values)  # type: ignore[no-any-return]

    def suspender(self) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
        return _suspend_greenlet


def _suspend_greenlet(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return many(greenlet.getcurrent().parent.switch((False, values)))


class _Ended(BaseException):
    """A coroutine was collected. It passes pcall, which catches Exception."""


class _Channel:
    """The connection between a thread and its coroutine, which does not keep the coroutine alive."""

    def __init__(self) -> None:
        self.go, self.back = threading.Semaphore(0), threading.Semaphore(0)
        self.values: tuple[Any, ...] = ()
        self.isDone = self.isAbandoned = False
        self.error: BaseException | None = None

    def run(self, function: Callable[..., Any]) -> None:
        """Runs in the thread of the coroutine."""
        self.go.acquire()
        try:
            if not self.isAbandoned:
                self.values = many(function(*self.values))
        except _Ended:
            pass
        except BaseException as error:
            self.error = error
        self.isDone = True
        self.back.release()

    def suspend(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Waits in the thread of the coroutine for the next resume."""
        self.values = values
        self.back.release()
        self.go.acquire()
        if self.isAbandoned:
            raise _Ended
        return self.values


class ThreadCoroutine(Coroutine):
    """A coroutine on a thread."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._channel = _Channel()
        self._thread: threading.Thread | None = None

    def _start(self) -> threading.Thread:
        size = threading.stack_size(STACK_BYTES)
        try:
            thread = threading.Thread(target=copy_context().run, args=(self._channel.run, self._function), daemon=True)
            thread.start()
        finally:
            threading.stack_size(size)
        return thread

    def _switch(self, values: tuple[Any, ...]) -> tuple[bool, tuple[Any, ...]]:
        channel = self._channel
        self._thread = self._thread or self._start()
        channel.values = values
        channel.go.release()
        try:
            channel.back.acquire()
        except BaseException as error:  # Ctrl-C
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(type(error)))
            raise
        if channel.error is not None:
            raise channel.error
        return channel.isDone, channel.values

    def suspender(self) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
        return self._channel.suspend

    def __del__(self) -> None:
        if self._thread is not None and not self._channel.isDone:
            self._channel.isAbandoned = True
            self._channel.go.release()


_ACTIVE: list[Coroutine] = []
"""The coroutines that are active, the running one last."""


def create(function: Callable[..., Any]) -> Coroutine:
    """Returns the coroutine of a function."""
    return GreenletCoroutine(function) if greenlet is not None else ThreadCoroutine(function)


def running() -> Coroutine | None:
    """Returns the coroutine that runs; None in the main program."""
    return _ACTIVE[-1] if _ACTIVE else None


def resume(coroutine: Coroutine, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Runs a coroutine until it yields. Returns its values. Raises its errors."""
    if coroutine.status != "suspended":
        raise LuaError(f"cannot resume {coroutine.status} coroutine")
    if _ACTIVE:
        _ACTIVE[-1].status = "normal"
    _ACTIVE.append(coroutine)
    coroutine.status = "running"
    outer = NESTING.callbacks, NESTING.calls
    NESTING.callbacks, NESTING.calls = coroutine._nesting[0] + outer[0], coroutine._nesting[1] + outer[1]
    status = "dead"
    try:
        isDone, found = coroutine._switch(values)
        status = "dead" if isDone else "suspended"
        return found
    except Exception as error:
        raise LuaError(value_of(error), traceback_of(error)) from None
    finally:
        coroutine._nesting = NESTING.callbacks - outer[0], NESTING.calls - outer[1]
        NESTING.callbacks, NESTING.calls = outer
        coroutine.status = status
        _ACTIVE.pop()
        if _ACTIVE:
            _ACTIVE[-1].status = "running"


def suspend(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Yields values from the coroutine that runs. Returns those of the next resume."""
    if not _ACTIVE:
        raise LuaError("attempt to yield from outside a coroutine")
    return _ACTIVE[-1].suspender()(values)
