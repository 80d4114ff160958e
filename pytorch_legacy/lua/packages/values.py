"""Values of Lua as packages handle them: lists, truth, and the functions that scripts hand over."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ..language.arguments import CALLBACK
from ..language.errors import Fault
from ..language.libraries.string import find
from ..language.operators import eq, lt
from ..language.table import (
    TABLES,
    Table,
    Userdata,
    border,
    call_through_c,
    first,
    key_of,
    keys,
    metamethod,
    rawget,
    rawset,
    sequence,
    set_metatable,
)


def truth(value: Any) -> bool:
    """Returns whether a value counts as true."""
    return value is not None and value is not False


def is_callable(value: Any) -> bool:
    """Returns whether a value can be called."""
    return callable(value) and (not isinstance(value, (Table, Userdata)) or metamethod(value, "__call") is not None)


def called(function: Any, *arguments: Any) -> Any:
    """Returns the first result of a function of a script."""
    if not is_callable(function):
        raise Fault("call", function)
    with CALLBACK:
        return first(function(*arguments))


def numbered(values: Iterable[Any]) -> list[tuple[float, Any]]:
    """Returns values with their numbers from 1 on."""
    return [(float(i), value) for i, value in enumerate(values, 1)]


def listed(table: Table) -> list[Any]:
    """Returns the values of a table from 1 on."""
    return [rawget(table, float(i)) for i in range(1, border(table) + 1)]


def table_of(values: Iterable[Any]) -> Table:
    """Returns a table of values from 1 on."""
    return sequence(*values)


def replaced(table: Table, values: list[Any]) -> Table:
    """Gives a table other values from 1 on. Returns it."""
    for i in range(len(values), len(listed(table))):
        rawset(table, float(i + 1), None)
    for i, value in enumerate(values, 1):
        rawset(table, float(i), value)
    return table


def items(table: Table) -> list[tuple[Any, Any]]:
    """Returns keys and values of a table, without metamethods, in the order of ``pairs``."""
    found = []
    for raw in keys(table):
        key = raw if raw.__class__ is str else key_of(raw)
        if (value := rawget(table, key)) is not None:
            found.append((key, value))
    return found


def filled(pairs: Iterable[tuple[Any, Any]]) -> Table:
    """Returns a table of keys and values."""
    return extended(Table(), pairs)


def extended(table: Table, pairs: Iterable[tuple[Any, Any]]) -> Table:
    """Adds keys and values to a table. Returns it."""
    for key, value in pairs:
        rawset(table, key, value)
    return table


def with_metatable(table: Table, **events: Any) -> Table:
    """Gives a table a new metatable of these events. Returns the table."""
    metatable = Table()
    metatable.__dict__.update(events)
    set_metatable(table, metatable)
    return table


def is_table(value: Any) -> bool:
    """Returns whether a value is a table."""
    return value.__class__ in TABLES


def equal(a: Any, b: Any, isSame: Callable[[Any, Any], bool] = eq) -> bool:
    """Returns whether two values, or all that two tables hold, are the same."""
    if not is_table(a) or not is_table(b):
        return isSame(a, b)
    if a is b:
        return True
    one, other = items(a), items(b)
    return len(one) == len(other) and all(call_through_c(equal, value, rawget(b, key), isSame) for key, value in one)


def within(value: Any, values: Iterable[Any]) -> bool:
    """Returns whether one of some values is equal to a value."""
    return any(equal(value, one) for one in values)


def place_of(value: Any, values: Iterable[Any], isSame: Callable[[Any, Any], bool] = eq) -> int | None:
    """Returns the first place, from 0 on, of a value among others, or None."""
    return next((i for i, one in enumerate(values) if isSame(one, value)), None)


def kind_of(table: Any) -> Any:
    """Returns the metatable of a table, or None."""
    return table._metatable if is_table(table) and table.__class__ is not Table else None


def compared(less: Any = None) -> Callable[[Any], Any]:
    """Returns the key by which Python sorts as a function of Lua says, ``<`` by default."""

    def order(a: Any, b: Any) -> int:
        if less is None:
            return -1 if lt(a, b) else 1 if lt(b, a) else 0
        return -1 if truth(called(less, a, b)) else 1 if truth(called(less, b, a)) else 0

    return functools.cmp_to_key(order)


def split_by_pattern(text: str, pattern: str) -> list[str]:
    """Returns what stands between the matches of a pattern of Lua, as ``sys.split``: an empty beginning and end are left out."""
    parts, begin = [], 0
    while (found := find(text, pattern, float(begin + 1))) is not None:
        start, end = int(found[0]), int(found[1])
        if end < start:  # an empty match would be found again
            break
        if start > 1:
            parts.append(text[begin : start - 1])
        begin = end
    if begin < len(text):
        parts.append(text[begin:])
    return parts
