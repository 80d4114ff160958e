"""Functions of packages as declarations, such as ``"first": ("list count=1", lambda values, n: values[:n])``.

A declaration is a text and a function of Python. The text has a word for each parameter, which is the name of a kind in `KINDS`.
A parameter of ``kind?`` is None for nil, that of ``kind=1`` is 1. The last word may be ``*kind``, for all further arguments.
Results become values of Lua: a list becomes a table, an iterator becomes a function that returns the next value.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ..language import arguments
from ..language.arguments import MISSING, fail, string, wrong_type
from ..language.errors import raise_error
from ..language.libraries.files import decoded, system_name
from ..language.table import sequence
from .values import called, is_callable, items, listed, truth

MAX_COUNT = 2**26
"""The largest number of values that a package makes, which is that of the largest table of Lua 5.1."""

Kind = Callable[[Any, int, str], Any]
"""Returns an argument as Python has it, or raises an error, which names the position and the function."""


def whole(value: Any, position: int, name: str) -> int:
    """Returns a number without its fraction."""
    x = arguments.number(value, position, name)
    if not math.isfinite(x):
        fail(position, name, f"whole number expected, got {x}")
    return int(x)


def count(value: Any, position: int, name: str) -> int:
    """Returns how many values are wanted, which is not negative."""
    n = whole(value, position, name)
    if n > MAX_COUNT:
        fail(position, name, f"at most {MAX_COUNT} expected, got {n}")
    return max(n, 0)


def size(value: Any, position: int, name: str) -> int:
    """Returns a number of values, which is 1 or more."""
    n = count(value, position, name)
    if n < 1:
        fail(position, name, f"1 or more expected, got {n}")
    return n


def function(value: Any, position: int, name: str) -> Any:
    """Returns a function, or another value that can be called."""
    if not is_callable(value):
        wrong_type(value, position, name, "function")
    return value


def _caller(value: Any, position: int, name: str) -> Any:
    function(value, position, name)
    return lambda *given: called(value, *given)


def _test(value: Any, position: int, name: str) -> Any:
    function(value, position, name)
    return lambda *given: truth(called(value, *given))


def _path(value: Any, position: int, name: str) -> bytes:
    return system_name(string(value, position, name))


def values(value: Any, position: int, name: str) -> list[Any]:
    """Returns the values of a table from 1 on."""
    return listed(arguments.table(value, position, name))


def pairs(value: Any, position: int, name: str) -> list[tuple[Any, Any]]:
    """Returns keys and values of a table in the order of ``pairs``."""
    return items(arguments.table(value, position, name))


KINDS: dict[str, Kind] = {
    "any": lambda value, *_: None if value is MISSING else value,
    "truth": lambda value, *_: value is not MISSING and truth(value),
    **{"number": arguments.number, "whole": whole, "count": count, "size": size, "string": string, "path": _path},
    **{"table": arguments.table, "list": values, "pairs": pairs},
    "values": lambda *given: [value for _key, value in pairs(*given)],
    **{"function": function, "call": _caller, "test": _test},
}
"""The kinds of arguments: ``call`` is a function that returns the first result, ``test`` one that returns a bool."""


class _Parameter(NamedTuple):
    kind: str
    isOptional: bool
    default: Any


@cache
def _parameters(text: str) -> tuple[tuple[_Parameter, ...], str | None]:
    """Returns the parameters of a text, and the kind of all further ones."""
    found, rest = [], None
    for word in text.split():
        kind, isGiven, default = word.rstrip("?").partition("=")
        if kind.startswith("*"):
            rest = kind[1:]
            continue
        value: Any = (float(default) if re.fullmatch(r"-?[\d.]*\d", default) else default) if isGiven else None
        found.append(_Parameter(kind, word.endswith("?"), value))
    return tuple(found), rest


def to_lua(value: Any) -> Any:
    """Returns a value of Python as Lua has it."""
    kind = value.__class__
    if kind is list:
        return sequence(*map(to_lua, value))
    if kind is tuple:
        return tuple(map(to_lua, value))
    if kind is int:
        return float(value)
    if kind is bytes:
        return decoded(value)
    if isinstance(value, Iterator):
        return lambda *_: to_lua(next(value, None))
    return value


def refuse(problem: OSError, first: Any) -> Any:
    """Raises the error of the system for a file."""
    name = problem.filename or first
    name = decoded(os.fsencode(name)) if isinstance(name, (bytes, str, os.PathLike)) else name
    raise_error(f"{name}: {problem.strerror or problem}")


def reader(name: str, text: str, kinds: Mapping[str, Kind] = KINDS) -> Callable[..., list[Any]]:
    """Returns a function of arguments that returns them as Python has them, the first of them at a position.

    Parameters
    ----------
    name : str
        The name of the function, which errors have.
    text : str
        The parameters.
    kinds : mapping
        The kinds of arguments.
    """
    parameters, rest = _parameters(text)
    converters = [(kinds[one.kind], one.isOptional, one.default) for one in parameters]
    further = None if rest is None else kinds[rest]

    def read(given: Sequence[Any], first: int = 1) -> list[Any]:
        found = []
        for i, (convert, isOptional, default) in enumerate(converters):
            value = given[i] if i < len(given) else MISSING
            if value is None or value is MISSING:
                value = value if default is None else default
            isNone = isOptional and (value is None or value is MISSING)
            found.append(None if isNone else convert(value, first + i, name))
        if further is not None:
            found += [further(value, i, name) for i, value in enumerate(given[len(found) :], first + len(found))]
        return found

    return read


def named(name: str, act: Callable[..., Any], owner: Any) -> Any:
    """Returns a function of a code of its own, by which errors and tracebacks know it.

    Parameters
    ----------
    name : str
        The name of the function.
    act : callable
        The function that is called.
    owner : object
        An object of the module that declares the function: functions of one name in two modules differ.
    """

    def library_function(*given: Any) -> Any:
        return act(*given)

    code = library_function.__code__
    library_function.__code__ = code.replace(co_name=f"{getattr(owner, '__module__', '')}.{name}")
    return library_function


def declared(name: str, text: str, compute: Callable[..., Any], kinds: Mapping[str, Kind] = KINDS, failing: Any = refuse) -> Any:
    """Returns a function of Lua. If the system refuses, it returns ``failing(problem, first argument)``; see `reader`."""
    read = reader(name, text, kinds)

    def act(*given: Any) -> Any:
        found = read(given)
        try:
            return to_lua(compute(*found))
        except OSError as problem:
            return to_lua(failing(problem, found[0] if found else ""))

    return named(name, act, compute)


def done(text: str, act: Callable[..., object]) -> Any:
    """Returns the declaration of a function that acts, and returns true."""
    return text, lambda *given: (act(*given), True)[1]


def functions(declarations: Mapping[str, Any], failing: Any = refuse, **kinds: Kind) -> dict[str, Any]:
    """Returns the functions of declarations by their names. Kinds of the package come in addition to `KINDS`; see `declared`."""
    known = {**KINDS, **kinds}
    return {name: declared(name, text, compute, known, failing) for name, (text, compute) in declarations.items()}


def steps(start: float, end: float, step: float | None = None) -> list[float]:
    """Returns the numbers from a start to an end; none for a step of 0."""
    step = (1.0 if end >= start else -1.0) if step is None else step
    n = count((end - start) / step + 1 + 1e-10, 2, "range") if step else 0
    return [start + step * i for i in range(n)]
