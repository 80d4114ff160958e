"""The library ``table``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..arguments import CALLBACK, MISSING, integer, string, wrong_type
from ..arguments import table as table_of
from ..errors import raise_error, type_name
from ..operators import format_number, length, lt, next_
from ..table import TABLES, Table, border, first, rawget, rawset, sequence

if TYPE_CHECKING:
    from ..state import State

_get, _set = dict.get, dict.__setitem__
_MAX_UNPACKED = 10**6


def insert(table: Any = MISSING, position: Any = MISSING, value: Any = MISSING, *surplus: Any) -> tuple[()]:
    if table.__class__ not in TABLES:
        wrong_type(table, 1, "insert", "table")
    if value is MISSING and position is not MISSING:
        n = len(table)  # mostly all keys are 1 to n
        if _get(table, n) is None or _get(table, n + 1) is not None:
            n = border(table)
        if position is not None:
            _set(table, n + 1, position)
        return ()
    n = border(table) + 1
    if value is MISSING or surplus:
        raise_error("wrong number of arguments to 'insert'")
    place = integer(position, 2, "insert")
    for i in range(max(n, place), place, -1):
        rawset(table, i, _get(table, i - 1))
    rawset(table, place, value)
    return ()


def remove(table: Any = MISSING, position: Any = None, *_: Any) -> Any:
    n = border(table_of(table, 1, "remove"))
    place = integer(position, 2, "remove", n)
    if not 1 <= place <= n:
        return ()
    value = _get(table, place)
    for i in range(place, n):
        _set(table, i, _get(table, i + 1))
    rawset(table, n, None)
    return value


def concat(table: Any = MISSING, separator: Any = "", start: Any = None, end: Any = None, *_: Any) -> str:
    table = table_of(table, 1, "concat")
    between = string("" if separator is None else separator, 2, "concat")
    last = integer(end, 4, "concat", border(table))
    parts = []
    for i in range(integer(start, 3, "concat", 1), last + 1):
        value = _get(table, i)
        if value.__class__ is float:
            value = format_number(value)
        elif value.__class__ is not str:
            raise_error(f"invalid value ({type_name(value)}) at index {i} in table for 'concat'")
        parts.append(value)
    return between.join(parts)


def sort(table: Any = MISSING, compare: Any = None, *_: Any) -> tuple[()]:
    table = table_of(table, 1, "sort")
    if compare is not None and not callable(compare):
        wrong_type(compare, 2, "sort", "function")
    n = border(table)
    values = [_get(table, i) for i in range(1, n + 1)]
    kinds = {value.__class__ for value in values}
    if compare is None and len(kinds) == 1 and kinds < {float, str} and all(value == value for value in values):
        values.sort()
        _set_all(table, values)
        return ()
    values = [None, *values, None]
    try:
        with CALLBACK:
            _quicksort(values, _ordering(compare if compare is not None else lt), 1, n)
    finally:
        _set_all(table, values[1:-1])
    return ()


def _set_all(table: Table, values: list[Any]) -> None:
    for i, value in enumerate(values, 1):
        _set(table, i, value)


def _ordering(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    def isLess(a: Any, b: Any) -> bool:
        found = first(compare(a, b))
        return found is not None and found is not False

    return isLess


def _quicksort(a: list[Any], isLess: Callable[[Any, Any], bool], low: int, high: int) -> None:
    """Sorts a part of a list by Lua's algorithm, because elements that are equal get their order from it."""
    while low < high:
        if isLess(a[high], a[low]):
            a[low], a[high] = a[high], a[low]
        middle = (low + high) // 2
        if high - low > 1:
            if isLess(a[middle], a[low]):
                a[low], a[middle] = a[middle], a[low]
            elif isLess(a[high], a[middle]):
                a[high], a[middle] = a[middle], a[high]
        if high - low < 3:
            return
        i = _partition(a, isLess, low, high, middle)
        if i - low < high - i:
            _quicksort(a, isLess, low, i - 1)
            low = i + 1
        else:
            _quicksort(a, isLess, i + 1, high)
            high = i - 1


def _partition(a: list[Any], isLess: Callable[[Any, Any], bool], low: int, high: int, middle: int) -> int:
    """Divides a part of a list at the value in its middle. Returns where this value is then."""
    pivot = a[middle]
    a[middle], a[high - 1] = a[high - 1], pivot
    i, j = low, high - 1
    while True:
        i += 1
        while isLess(a[i], pivot):
            if i > high:
                raise_error("invalid order function for sorting")
            i += 1
        j -= 1
        while isLess(pivot, a[j]):
            if j < low:
                raise_error("invalid order function for sorting")
            j -= 1
        if j < i:
            a[high - 1], a[i] = a[i], a[high - 1]
            return i
        a[i], a[j] = a[j], a[i]


def pack(*values: Any) -> Table:
    table = sequence(*values)
    table.__dict__["n"] = float(len(values))
    return table


def maxn(table: Any = MISSING, *_: Any) -> float:
    numbers = (
        key for key, value in dict.items(table_of(table, 1, "maxn")) if key.__class__ in (int, float) and value is not None
    )
    return float(max(numbers, default=0.0))


def getn(table: Any = MISSING, *_: Any) -> float:
    return float(border(table_of(table, 1, "getn")))


def foreach(table: Any = MISSING, function: Any = MISSING, *_: Any) -> Any:
    table_of(table, 1, "foreach")
    if not callable(function):
        wrong_type(function, 2, "foreach", "function")
    item = next_(table)
    with CALLBACK:
        while item is not None:
            found = function(*item)
            if first(found) is not None:
                return found
            item = next_(table, item[0])
    return ()


def foreachi(table: Any = MISSING, function: Any = MISSING, *_: Any) -> Any:
    table_of(table, 1, "foreachi")
    if not callable(function):
        wrong_type(function, 2, "foreachi", "function")
    with CALLBACK:
        for i in range(1, border(table) + 1):
            found = function(float(i), rawget(table, i))
            if first(found) is not None:
                return found
    return ()


def library(state: State) -> dict[str, Any]:
    """Returns the functions of the library."""

    def unpack(table: Any = MISSING, start: Any = None, end: Any = None, *_: Any) -> Any:
        if table.__class__ not in TABLES and table.__class__ is not str:
            wrong_type(table, 1, "unpack", "table")
        low = integer(start, 2, "unpack", 1)
        high = integer(end, 3, "unpack") if end is not None else int(length(table))
        if high - low >= _MAX_UNPACKED:
            raise_error("too many results to unpack")
        if table.__class__ is Table:
            return tuple(_get(table, i) for i in range(low, high + 1))
        return tuple(state.index(table, float(i)) for i in range(low, high + 1))

    functions = {
        **{"insert": insert, "remove": remove, "concat": concat, "sort": sort, "pack": pack, "maxn": maxn, "getn": getn},
        **{"foreach": foreach, "foreachi": foreachi, "unpack": unpack},
    }
    return functions
