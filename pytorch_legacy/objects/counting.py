"""Passes that count from one, as the classes declare it (`pytorch_legacy.files.counting`).

In a thread that counts from one, as it does in calls from Lua, a class that declares its inputs, targets or outputs gets and
returns them so, wherever it stands in a network. Its own code, and the modules inside it, count from 0 as ever.

A pass that is written in Lua has the attribute ``countsFromOne``. If its class declares what counts, it gets that counted from
one, whoever calls it. If not, it counts as its caller does, and so do the modules that it calls: a network counts in one way.

>>> import numpy as np
>>> from pytorch_legacy import nn
>>> from pytorch_legacy.objects.counting import countingFromOne
>>> with countingFromOne():
...     nn.Sequential(nn.OneHot(3)).forward(np.array([1, 3]))
array([[1., 0., 0.],
       [0., 0., 1.]], dtype=float32)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from types import FunctionType, TracebackType
from typing import Any

from pytorch_legacy.files.counting import Lua, fromOne, toOne


class _Thread(threading.local):
    """The way in which passes of a thread count, and whether calls from Lua leave it as it is."""

    fromOne = False
    isKept = False


_thread = _Thread()


class countingFromOne:
    """A context in which passes of this thread take and return what the classes declare as Lua counts it."""

    def __enter__(self) -> None:
        self.before = _thread.fromOne
        if not _thread.isKept:
            _thread.fromOne = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _thread.fromOne = self.before


def callFromOne(method: Callable[..., Any], arguments: Any, names: Any) -> Any:
    """Returns the result of a method that is called in that context."""
    if _thread.fromOne or _thread.isKept:
        return method(*arguments, **names)
    _thread.fromOne = True
    try:
        return method(*arguments, **names)
    finally:
        _thread.fromOne = False


class countingAsCalled:
    """A context in which calls from Lua count as this thread does now: for passes that are written in Lua."""

    def __enter__(self) -> None:
        self.before = _thread.isKept
        _thread.isKept = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _thread.isKept = self.before


def isCountingFromOne() -> bool:
    """True if passes of this thread count from one."""
    return _thread.fromOne


PASSES = (
    "forward", "backward", "backwardUpdate", "updateOutput", "updateGradInput", "accGradParameters", "accUpdateGradParameters",
)  # fmt: skip
_INHERITED = ("updateOutput", "updateGradInput", "accGradParameters")  # the others call these
_OUTPUT = {"forward": "output", "updateOutput": "output", "backward": "gradInput", "backwardUpdate": "gradInput",
           "updateGradInput": "gradInput"}  # fmt: skip


def add_counting(cls: Any) -> None:
    """Lets the passes of a class take what it declares, in threads that count from one."""
    isWrittenInLua = any(getattr(cls.__dict__.get(name), "countsFromOne", False) for name in PASSES)
    if not (cls._counts.countsInPasses or isWrittenInLua):
        return
    for name in PASSES:
        method = cls.__dict__.get(name)
        if method is None and "_lua" in cls.__dict__ and name in _INHERITED:
            method = getattr(cls, name, None)
            if getattr(method, "__qualname__", "").split(".")[0] in ("Module", "Criterion"):
                continue  # it computes nothing
        if isinstance(method, FunctionType) and not hasattr(method, "_isCounting"):
            setattr(cls, name, _counting(method, name))


def _counting(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    isWrittenInLua = bool(getattr(method, "countsFromOne", False))

    @wraps(method)
    def counting(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if _thread.fromOne is isWrittenInLua:
            return method(self, *arguments, **keywords)
        lua: Lua = type(self)._counts
        if not lua.countsInPasses:
            if not isWrittenInLua:
                return method(self, *arguments, **keywords)
            with countingAsCalled():
                return method(self, *arguments, **keywords)
        return _converted(self, method, name, lua, isWrittenInLua, arguments, keywords)

    counting._isCounting = True  # type: ignore[attr-defined]
    return counting


def _converted(
    self: Any, method: Callable[..., Any], name: str, lua: Lua, isWrittenInLua: bool, arguments: Any, keywords: Any
) -> Any:
    """Calls a pass in the other way of counting."""
    into, back = (toOne, fromOne) if isWrittenInLua else (fromOne, toOne)
    handed = list(arguments)
    for place, (argument, kind) in enumerate((("input", lua.inputs), ("target", lua.targets))):
        if place < len(handed):
            handed[place] = into(handed[place], kind)
        elif argument in keywords:
            keywords[argument] = into(keywords[argument], kind)
    before = _thread.fromOne, _thread.isKept
    _thread.fromOne, _thread.isKept = isWrittenInLua, False
    try:
        result = method(self, *handed, **keywords)
    finally:
        _thread.fromOne, _thread.isKept = before
    field = _OUTPUT.get(name, "")
    kind = lua.outputs if field == "output" else lua.gradInputs if field else None
    if kind:
        result = back(result, kind)
        if field in self.__dict__:
            setattr(self, field, result)
    return result
