"""Helpers that the functions of ``moses`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...language.arguments import table as checked
from ...language.errors import raise_error
from ...language.operators import eq
from ...language.table import rawget
from ..values import called, is_table, items, listed, truth


def equal(a: Any, b: Any) -> bool:
    """Returns whether two values, or all that two tables hold, are equal."""
    if not is_table(a) or not is_table(b):
        return eq(a, b)
    return len(items(a)) == len(items(b)) and all(equal(one, rawget(b, key)) for key, one in items(a))


def pairs_of(table: Any, name: str) -> list[tuple[Any, Any]]:
    """Returns keys and values as ``pairs`` gives them: numbers in their order first."""
    return items(checked(table, 1, name))


def values_of(table: Any, name: str) -> list[Any]:
    return listed(checked(table, 1, name))


def test_of(wanted: Any) -> Callable[[Any], bool]:
    """Returns the test of a value: a function of a script, or equality with a value."""
    if callable(wanted) and not is_table(wanted):
        return lambda value: truth(called(wanted, value))
    return lambda value: equal(value, wanted)


def uniques(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(equal(value, one) for one in found):
            found.append(value)
    return found


def flat(values: list[Any], isShallow: bool, depth: int = 0) -> list[Any]:
    if depth > 200:
        raise_error("the tables are nested too deeply")
    found: list[Any] = []
    for value in values:
        if is_table(value):
            found += listed(value) if isShallow else flat(listed(value), False, depth + 1)
        else:
            found.append(value)
    return found
