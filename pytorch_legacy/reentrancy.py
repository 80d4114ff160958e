"""The reentrancy guard of modules and criterions: one thread at a time runs an object, because its buffers hold the results.

A pass sets the flag ``_inPass`` of its object, which costs some 30 ns. Containers set the flag of each module that they run. If
the flag is set already, the stacks of all threads are searched for the call that set it. So a pass may call itself, and a flag
that was set by a thread which a fork left behind blocks nobody.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, TypeVar

from .errors import BusyError

F = TypeVar("F", bound=Callable[..., Any])

# Functions that set flags, and the names of the variables that hold the objects in them.
_codes: dict[CodeType, str] = {}
_SIGNATURE = ("self", "input", "gradOutput", "scale")


def guards_self(method: F) -> F:
    """Decorates methods that set the flag ``_inPass`` of their object, as ``Module.forward`` does."""
    _codes[method.__code__] = "self"
    return method


def guards_modules(method: F) -> F:
    """Decorates methods that set the flag of one module after the other, which their variable ``module`` holds."""
    _codes[method.__code__] = "module"
    return method


def guarded(method: F) -> F:
    """Returns the method with a guard. A method that sets the flag itself, or is no function, is returned unchanged."""
    code, defaults = getattr(method, "__code__", None), getattr(method, "__defaults__", None)
    if code is None or code in _codes:
        return method
    if code.co_varnames[: code.co_argcount] == _SIGNATURE and defaults == (None, 1.0):

        @guards_self
        @wraps(method)
        def backward(self: Any, input: Any, gradOutput: Any = None, scale: float = 1.0) -> Any:
            isRecursion = self._inPass and is_reentrant(self)
            self._inPass = True
            try:
                return method(self, input, gradOutput, scale)
            finally:
                self._inPass = isRecursion

        return backward  # type: ignore[return-value]

    @guards_self
    @wraps(method)
    def other(self: Any, *arguments: Any, **keywords: Any) -> Any:  # slower by 150 ns
        isRecursion = self._inPass and is_reentrant(self)
        self._inPass = True
        try:
            return method(self, *arguments, **keywords)
        finally:
            self._inPass = isRecursion

    return other  # type: ignore[return-value]


def is_reentrant(thing: Any) -> bool:
    """Returns True if the flag of a module or criterion was set by a pass of this thread, which calls itself.

    Returns False if the thread that set it has ended.

    Raises
    ------
    BusyError
        If a pass of another thread set it.
    """
    caller = sys._getframe(1)  # this call has not set the flag yet
    claim = None
    while thing._inPass is not claim:  # the first time, and again if another thread has set the flag meanwhile
        thing._inPass = claim = object()
        found = guard_owner(_codes, thing, caller)
        if found == "another":
            raise BusyError(busy_message(thing._typename))
    return found == "own"


def guard_owner(codes: dict[CodeType, str], value: Any, own: FrameType) -> str:
    """Returns the thread that is within one of the functions `codes`, with `value` in the variable of that name.

    The result is "own" for the calling thread, "another" or "" for none. `own` is the frame of the caller.
    """
    if _is_below(own.f_back, codes, value):
        return "own"
    others = (frame for thread, frame in sys._current_frames().items() if thread != get_ident())
    return "another" if any(_is_below(frame, codes, value) for frame in others) else ""


def _is_below(frame: FrameType | None, codes: dict[CodeType, str], value: Any) -> bool:
    while frame is not None:
        if (name := codes.get(frame.f_code)) is not None and frame.f_locals.get(name) is value:
            return True
        frame = frame.f_back
    return False


def busy_message(who: str) -> str:
    """Returns the text of the error that the second thread gets."""
    return (
        f"{who}: another thread is within a pass of this object, whose results go into its own buffers; give each thread a "
        "clone(), or of a module clone('weight', 'bias') or sharedClone(), which share the parameters"
    )
