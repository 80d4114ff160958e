"""The library ``coroutine``."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from .. import coroutines
from ..arguments import CALLBACK, MISSING, fail, wrong_type
from ..coroutines import Coroutine
from ..errors import LuaError

if TYPE_CHECKING:
    from ..state import State


def _coroutine(value: Any, function: str) -> Coroutine:
    if not isinstance(value, Coroutine):
        fail(1, function, "coroutine expected")
    return value


def create(function: Any = MISSING, *_: Any) -> Coroutine:
    if function.__class__ is not FunctionType:
        wrong_type(function, 1, "create", "function")
    return coroutines.create(function)


def resume(coroutine: Any = MISSING, *values: Any) -> Any:
    one = _coroutine(coroutine, "resume")
    try:
        with CALLBACK:
            return True, *coroutines.resume(one, values)
    except LuaError as error:
        return False, error.value


def wrap(function: Any = MISSING, *_: Any) -> Any:
    coroutine = create(function)

    def resumed(*values: Any) -> Any:
        with CALLBACK:
            return coroutines.resume(coroutine, values)

    return resumed


def status(coroutine: Any = MISSING, *_: Any) -> str:
    return _coroutine(coroutine, "status").status


def running(*_: Any) -> Coroutine | None:
    return coroutines.running()


def isyieldable(*_: Any) -> bool:
    return coroutines.running() is not None


def yield_(*values: Any) -> Any:
    return coroutines.suspend(values)


def library(state: State) -> dict[str, Any]:
    """Returns the functions of the library."""
    functions = {"create": create, "resume": resume, "wrap": wrap, "status": status, "running": running}
    return {**functions, "isyieldable": isyieldable, "yield": yield_}
