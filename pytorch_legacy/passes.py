"""One thread at a time goes through a module or criterion: its buffers would else hold a mixture.

A pass leaves a mark in the object, and no more; that costs some 30 ns. Containers leave one in each module that they run. Who
meets a mark looks for the pass that left it, in the stacks of all threads. So a pass may call itself, and the mark of a thread
that a fork left behind hinders nobody.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from .errors import BusyError

# Functions that leave marks, and the names of the variables that hold the objects in them.
_codes: dict[CodeType, str] = {}
_SIGNATURE = ("self", "input", "gradOutput", "scale")


def marks(method: Any) -> Any:
    """Decorates methods that set the mark ``_inPass`` of their object, by the pattern of ``Module.forward``."""
    _codes[method.__code__] = "self"
    return method


def marks_module(method: Any) -> Any:
    """Decorates methods that set the mark of one module after the other, which their variable ``module`` holds."""
    _codes[method.__code__] = "module"
    return method


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method as a pass of its object. What marks by itself, or is no function, is left as it is."""
    code, defaults = getattr(method, "__code__", None), getattr(method, "__defaults__", None)
    if code is None or code in _codes:
        return method
    if code.co_varnames[: code.co_argcount] == _SIGNATURE and defaults == (None, 1.0):

        @marks
        @wraps(method)
        def backward(self: Any, input: Any, gradOutput: Any = None, scale: float = 1.0) -> Any:
            isRecursion = self._inPass and is_own(self)
            self._inPass = True
            try:
                return method(self, input, gradOutput, scale)
            finally:
                self._inPass = isRecursion

        return backward

    @marks
    @wraps(method)
    def other(self: Any, *arguments: Any, **keywords: Any) -> Any:  # slower by 150 ns
        isRecursion = self._inPass and is_own(self)
        self._inPass = True
        try:
            return method(self, *arguments, **keywords)
        finally:
            self._inPass = isRecursion

    return other


def is_own(thing: Any) -> bool:
    """Does the mark of a module or criterion come from a pass of this thread, which calls itself?

    If it comes from nobody, because its thread is gone, the answer is no.

    Raises
    ------
    BusyError
        If it comes from another thread's.
    """
    caller = sys._getframe(1)  # which has left no mark yet
    claim = None
    while thing._inPass is not claim:  # at first, and when another thread came in between: its mark is not ours
        thing._inPass = claim = object()
        found = holder(_codes, thing, caller)
        if found == "another":
            raise BusyError(busy(thing._typename))
    return found == "own"


def holder(codes: dict[CodeType, str], value: Any, own: FrameType) -> str:
    """Whose call of one of these functions, with the variable of that name being `value`, has not ended: "own", "another", "".

    `own` is the call that asks.
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


def busy(who: str) -> str:
    """What to say to the second thread."""
    return (
        f"{who}: another thread is within a pass of this object, whose results go into its own buffers; give each thread a "
        "clone(), or of a module clone('weight', 'bias') or sharedClone(), which share the parameters"
    )
