"""Functions of ``moses`` for the values of a table from 1 on."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

from ...language.arguments import MISSING, number, string
from ...language.arguments import table as checked
from ...language.operators import eq
from ...language.table import Table, rawset
from ..values import called, filled, is_table, listed, replaced, table_of, truth
from .helpers import equal, flat, pairs_of, uniques, values_of


def toArray(*values: Any) -> Table:
    return table_of(values)


def find(array: Any = MISSING, value: Any = None, start: Any = 1.0, *_: Any) -> Any:
    values = values_of(array, "find")
    return next((float(i + 1) for i in range(int(start) - 1, len(values)) if equal(values[i], value)), None)


def last_index(array: Any = MISSING, value: Any = None, *_: Any) -> Any:
    values = values_of(array, "lastIndexOf")
    return next((float(i + 1) for i in reversed(range(len(values))) if equal(values[i], value)), None)


def reverse(array: Any = MISSING, *_: Any) -> Table:
    return table_of(values_of(array, "reverse")[::-1])


def fill(array: Any = MISSING, value: Any = None, start: Any = 1.0, end: Any = None, *_: Any) -> Any:
    last = len(values_of(array, "fill")) if end is None else int(end)
    for i in range(int(start), last + 1):
        rawset(array, float(i), value)
    return array


def _leading(array: Any, name: str, function: Any, rest: tuple[Any, ...]) -> int:
    """Returns how many values at the beginning pass a test."""
    values = values_of(array, name)
    return next((i for i, one in enumerate(values) if not truth(called(function, float(i + 1), one, *rest))), len(values))


def selectWhile(array: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
    return table_of(values_of(array, "selectWhile")[: _leading(array, "selectWhile", function, rest)])


def dropWhile(array: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
    return table_of(values_of(array, "dropWhile")[_leading(array, "dropWhile", function, rest) :])


def findIndex(array: Any = MISSING, function: Any = MISSING, *rest: Any) -> Any:
    values = values_of(array, "findIndex")
    return next((float(i) for i, one in enumerate(values, 1) if truth(called(function, float(i), one, *rest))), None)


def push(array: Any = MISSING, *values: Any) -> Table:
    return replaced(array, values_of(array, "push") + list(values))


def addTop(array: Any = MISSING, *values: Any) -> Table:
    return replaced(array, list(values)[::-1] + values_of(array, "addTop"))


def pop(array: Any = MISSING, n: Any = 1.0, *_: Any) -> Any:
    values = values_of(array, "pop")
    replaced(array, values[int(n) :])
    return tuple(values[: int(n)])


def unshift(array: Any = MISSING, n: Any = 1.0, *_: Any) -> Any:
    values = values_of(array, "unshift")
    kept = max(len(values) - int(n), 0)
    replaced(array, values[:kept])
    return tuple(values[kept:][::-1])


def pull(array: Any = MISSING, *wanted: Any) -> Table:
    return replaced(array, [value for value in values_of(array, "pull") if not any(equal(value, one) for one in wanted)])


def removeRange(array: Any = MISSING, start: Any = 1.0, end: Any = None, *_: Any) -> Table:
    values = values_of(array, "removeRange")
    return replaced(array, values[: int(start) - 1] + (values[int(end) :] if end is not None else []))


def chunk(array: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
    found: list[list[Any]] = []
    last: Any = None
    for i, value in enumerate(values_of(array, "chunk"), 1):
        mark = called(function, float(i), value, *rest)
        if not found or not eq(mark, last):
            found.append([])
        found[-1].append(value)
        last = mark
    return table_of(table_of(values) for values in found)


def slice_(array: Any = MISSING, start: Any = 1.0, end: Any = None, *_: Any) -> Table:
    values = values_of(array, "slice")
    return table_of(values[max(int(1 if start is None else start) - 1, 0) : None if end is None else int(end)])


def first_(array: Any = MISSING, n: Any = None, *_: Any) -> Table:
    return table_of(values_of(array, "first")[: int(1 if n is None else n)])


def initial(array: Any = MISSING, n: Any = None, *_: Any) -> Table:
    values = values_of(array, "initial")
    return table_of(values[: max(len(values) - int(1 if n is None else n), 0)])


def last_(array: Any = MISSING, n: Any = None, *_: Any) -> Table:
    values = values_of(array, "last")
    return table_of(values[-int(n) :] if n is not None and n > 0 else values[1:])


def rest_(array: Any = MISSING, start: Any = 1.0, *_: Any) -> Table:
    return table_of(values_of(array, "rest")[int(start) - 1 :])


def compact(array: Any = MISSING, *_: Any) -> Table:
    return table_of(value for value in values_of(array, "compact") if truth(value))


def flatten(array: Any = MISSING, isShallow: Any = None, *_: Any) -> Table:
    return table_of(flat(values_of(array, "flatten"), truth(isShallow)))


def difference(array: Any = MISSING, other: Any = MISSING, *_: Any) -> Table:
    known = listed(other) if is_table(other) else []
    return table_of(value for value in values_of(array, "difference") if not any(equal(value, one) for one in known))


def union(*arrays: Any) -> Table:
    return table_of(uniques([value for array in arrays for value in values_of(array, "union")]))


def intersection(array: Any = MISSING, *others: Any) -> Table:
    rows = [values_of(one, "intersection") for one in others]
    values = values_of(array, "intersection")
    return table_of(value for value in values if all(any(equal(value, one) for one in row) for row in rows))


def symmetricDifference(a: Any = MISSING, b: Any = MISSING, *_: Any) -> Table:
    return union(difference(a, b), difference(b, a))


def unique(array: Any = MISSING, *_: Any) -> Table:
    return table_of(uniques(values_of(array, "unique")))


def isunique(array: Any = MISSING, *_: Any) -> bool:
    return len(uniques(values_of(array, "isunique"))) == len(values_of(array, "isunique"))


def zip_(*arrays: Any) -> Table:
    rows = [values_of(array, "zip") for array in arrays]
    count = max(map(len, rows), default=0)
    return table_of(table_of(row[i] for row in rows if i < len(row)) for i in range(count))


def append(array: Any = MISSING, other: Any = MISSING, *_: Any) -> Table:
    return table_of(values_of(array, "append") + listed(checked(other, 2, "append")))


def interleave(*arrays: Any) -> Table:
    return table_of(value for row in listed(zip_(*arrays)) for value in listed(row))


def interpose(value: Any = None, array: Any = MISSING, *_: Any) -> Table:
    found = [part for one in values_of(array, "interpose") for part in (one, value)]
    return table_of(found[:-1])


def range_(*limits: Any) -> Table:
    values = [number(one, i, "range") for i, one in enumerate(limits, 1)]
    if not values:
        return Table()
    start, end = (0.0, values[0]) if len(values) == 1 else values[:2]
    step = values[2] if len(values) > 2 else 1.0 if end >= start else -1.0
    if step == 0:
        return Table()
    return table_of(start + step * i for i in range(int((end - start) / step + 1e-10) + 1))


def rep(value: Any = None, n: Any = MISSING, *_: Any) -> Table:
    return table_of([value] * int(number(n, 2, "rep")))


def windows(name: str, step: Callable[[int], int]) -> Any:
    def windows(array: Any = MISSING, n: Any = 1.0, pad: Any = None, *_: Any) -> Any:
        values, length = values_of(array, name), int(n)
        by = step(length)
        parts = [values[i : i + length] for i in range(0, len(values), by) if by == length or i == 0 or i + by < len(values)]
        rest = iter([part + [pad] * (length - len(part)) if pad is not None else part for part in parts])
        return lambda *_: table_of(part) if (part := next(rest, None)) is not None else None

    return windows


def permutation(array: Any = MISSING, *_: Any) -> Any:
    rest = permutations(values_of(array, "permutation"))
    return lambda *_: table_of(one) if (one := next(rest, None)) is not None else None


def invert(array: Any = MISSING, *_: Any) -> Table:
    return filled((value, key) for key, value in pairs_of(array, "invert"))


def concat(array: Any = MISSING, separator: Any = "", *_: Any) -> str:
    parts = (string(one, 1, "concat") if one.__class__ is not bool else str(one).lower() for one in values_of(array, "concat"))
    return ("" if separator is None else separator).join(parts)  # type: ignore[no-any-return]


FUNCTIONS: dict[str, Any] = {
    **{"toArray": toArray, "find": find, "lastIndexOf": last_index, "reverse": reverse, "fill": fill},
    **{"selectWhile": selectWhile, "dropWhile": dropWhile, "findIndex": findIndex, "push": push, "addTop": addTop},
    **{"pop": pop, "unshift": unshift, "pull": pull, "removeRange": removeRange, "chunk": chunk, "slice": slice_},
    **{"first": first_, "initial": initial, "last": last_, "rest": rest_, "compact": compact, "flatten": flatten},
    **{"difference": difference, "union": union, "intersection": intersection},
    **{"symmetricDifference": symmetricDifference, "unique": unique, "isunique": isunique, "zip": zip_},
    **{"append": append, "interleave": interleave, "interpose": interpose, "range": range_, "rep": rep},
    **{"partition": windows("partition", lambda n: n), "part": windows("part", lambda n: n)},
    **{"sliding": windows("sliding", lambda n: max(n - 1, 1)), "permutation": permutation, "invert": invert},
    **{"concat": concat},
}
"""The functions by their names in Lua."""
