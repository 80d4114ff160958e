"""Functions of ``moses`` for functions."""

from __future__ import annotations

from typing import Any

from ...language.arguments import MISSING, number
from ...language.operators import many
from ...language.table import Table, rawget, rawset
from ..values import called, table_of, truth


def identity(value: Any = None, *_: Any) -> Any:
    return value


def constant(value: Any = None, *_: Any) -> Any:
    return lambda *_: value


def once(function: Any = MISSING, *_: Any) -> Any:
    given: list[tuple[Any, ...]] = []

    def run(*arguments: Any) -> Any:
        given.append(arguments)
        return function(*given[0])

    return run


def memoize(function: Any = MISSING, hash: Any = None, *_: Any) -> Any:
    known = Table()

    def run(*arguments: Any) -> Any:
        key = called(hash, *arguments) if hash is not None else arguments[0] if arguments else None
        if (found := rawget(known, key)) is None:
            found = called(function, *arguments)
            rawset(known, key, found)
        return found

    return run


def after(function: Any = MISSING, count: Any = MISSING, *_: Any) -> Any:
    calls = 0

    def run(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return function(*arguments) if calls >= count else None

    return run


def compose(*functions: Any) -> Any:
    def run(*arguments: Any) -> Any:
        for function in functions[::-1]:
            arguments = many(function(*arguments))
        return arguments

    return run


def pipe(value: Any = None, *functions: Any) -> Any:
    return compose(*functions[::-1])(value)


def complement(function: Any = MISSING, *_: Any) -> Any:
    return lambda *arguments: not truth(called(function, *arguments))


def juxtapose(value: Any = None, *functions: Any) -> Any:
    return tuple(called(function, value) for function in functions)


def wrap(function: Any = MISSING, wrapper: Any = MISSING, *_: Any) -> Any:
    return lambda *arguments: wrapper(function, *arguments)


def times(n: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
    return table_of(called(function, float(i), *rest) for i in range(1, int(number(n, 1, "times")) + 1))


def bind(function: Any = MISSING, *values: Any) -> Any:
    return lambda *rest: function(*values, *rest)


def bind2(function: Any = MISSING, value: Any = None, *_: Any) -> Any:
    return lambda *rest: function(*rest[:1], value, *rest[1:])


def partial(function: Any = MISSING, *values: Any) -> Any:
    def run(*rest: Any) -> Any:
        left = list(rest)
        filled_ = [left.pop(0) if one == "_" and left else one for one in values]
        return function(*filled_, *left)

    return run


def flip(function: Any = MISSING, *_: Any) -> Any:
    return lambda *arguments: function(*arguments[::-1])


def over(*functions: Any) -> Any:
    return lambda *arguments: table_of(called(function, *arguments) for function in functions)


FUNCTIONS: dict[str, Any] = {
    **{"identity": identity, "constant": constant, "once": once, "memoize": memoize, "after": after, "compose": compose},
    **{"pipe": pipe, "complement": complement, "juxtapose": juxtapose, "wrap": wrap, "times": times, "bind": bind},
    **{"bind2": bind2, "partial": partial, "flip": flip, "over": over},
}
"""The functions by their names in Lua."""
