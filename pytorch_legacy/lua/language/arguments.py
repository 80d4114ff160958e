"""Arguments of library functions, checked as Lua checks them."""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import is_method_call, raise_error, type_name
from .operators import format_number, tonumber
from .table import NESTING, TABLES, Table


class _Missing:
    """The class of `MISSING`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "no value"


MISSING: Any = _Missing()
"""An argument that was not given, which differs from nil."""
MAX_CALLBACKS = 200  # calls of functions of Lua by the library within each other, as in Lua (LUAI_MAXCCALLS)


def fail(number: int, function: str, message: str) -> NoReturn:
    """Raises the error of an argument. That before the colon of a method call is not counted."""
    if is_method_call():
        number -= 1
        if number == 0:
            raise_error(f"calling '{function}' on bad self")
    raise_error(f"bad argument #{number} to '{function}' ({message})")


def wrong_type(value: Any, number: int, function: str, expected: str) -> NoReturn:
    """Raises the error of an argument of a wrong type."""
    fail(number, function, f"{expected} expected, got {'no value' if value is MISSING else type_name(value)}")


def number(value: Any, position: int, function: str) -> float:
    """Returns a number, also of a string."""
    if value.__class__ is float:
        return value  # type: ignore[no-any-return]
    found = tonumber(value)
    if found is None:
        wrong_type(value, position, function, "number")
    return found


def integer(value: Any, position: int, function: str, default: int | None = None) -> int:
    """Returns a number without its fraction; `default`, if it is not None, for nil and for no value."""
    if default is not None and (value is None or value is MISSING):
        return default
    x = number(value, position, function)
    if x - x != 0:
        return -(2**31)  # as C converts infinity and NaN
    return int(x)


def string(value: Any, position: int, function: str) -> str:
    """Returns a string, also of a number."""
    if value.__class__ is str:
        return value  # type: ignore[no-any-return]
    if value.__class__ is float:
        return format_number(value)
    wrong_type(value, position, function, "string")


def table(value: Any, position: int, function: str) -> Table:
    """Returns a table."""
    if value.__class__ not in TABLES:
        wrong_type(value, position, function, "table")
    return value  # type: ignore[no-any-return]


class _Callback:
    """A block in which the library calls a function of Lua. It needs the stack of C, so that their depth is limited."""

    __slots__ = ()

    def __enter__(self) -> None:
        NESTING.callbacks += 1
        if NESTING.callbacks > MAX_CALLBACKS:
            NESTING.callbacks -= 1
            raise_error("C stack overflow")

    def __exit__(self, *_: object) -> None:
        NESTING.callbacks -= 1


CALLBACK = _Callback()
