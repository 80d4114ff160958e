"""``pl.tablex``: functions of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...language.arguments import MISSING
from ...language.arguments import table as checked
from ...language.errors import raise_error
from ...language.operators import eq, length, many
from ...language.table import Table, metamethod, rawget, rawset, set_metatable
from ..values import called, compared, filled, is_table, items, listed, replaced, table_of, truth
from .functions import function_of

if TYPE_CHECKING:
    from ...language.state import State


def deepcopy(value: Any = None, *_: Any) -> Any:
    return _copied(value, {})


def _copied(value: Any, known: dict[int, Table]) -> Any:
    if not is_table(value):
        return value
    if id(value) not in known:
        made = known[id(value)] = Table()
        for key, one in items(value):
            rawset(made, _copied(key, known), _copied(one, known))
        if (metatable := value._metatable if value.__class__ is not Table else None) is not None:
            set_metatable(made, metatable)
    return known[id(value)]


def deepcompare(a: Any = None, b: Any = None, ignores: Any = None, eps: Any = None, *_: Any) -> bool:
    if not is_table(a) or not is_table(b):
        if eps is not None and a.__class__ is float and b.__class__ is float:
            return bool(abs(a - b) < eps)
        return eq(a, b)
    if not truth(ignores) and metamethod(a, "__eq") is not None:
        return eq(a, b)
    if any(rawget(a, key) is None for key, _one in items(b)):
        return False
    return all(deepcompare(one, rawget(b, key), ignores, eps) for key, one in items(a))


def _slice(values: list[Any], first: Any, last: Any) -> tuple[int, int]:
    """Returns the range that two indices stand for, as those of a slice."""
    n = len(values)
    begin = 1 if first is None else int(first) if first >= 0 else n + int(first) + 1
    end = n if last is None else int(last) if last >= 0 else n + int(last) + 1
    return max(begin - 1, 0), max(end, begin - 1, 0)


def size(table: Any = MISSING, *_: Any) -> float:
    return float(len(items(checked(table, 1, "size"))))


def update(table: Any = MISSING, other: Any = MISSING, *_: Any) -> Table:
    for key, value in items(checked(other, 2, "update")):
        rawset(checked(table, 1, "update"), key, value)
    return table  # type: ignore[no-any-return]


def copy(table: Any = MISSING, *_: Any) -> Table:
    return filled(items(checked(table, 1, "copy")))


def find(table: Any = MISSING, value: Any = None, start: Any = None, *_: Any) -> Any:
    values = listed(checked(table, 1, "find"))
    begin = 0 if start is None else _slice(values, start, None)[0]
    return next((float(i + 1) for i in range(begin, len(values)) if eq(values[i], value)), None)


def rfind(table: Any = MISSING, value: Any = None, start: Any = None, *_: Any) -> Any:
    values = listed(checked(table, 1, "rfind"))
    end = len(values) if start is None else _slice(values, start, None)[0] + 1
    return next((float(i + 1) for i in reversed(range(min(end, len(values)))) if eq(values[i], value)), None)


def range_(start: Any = MISSING, end: Any = MISSING, step: Any = None, *_: Any) -> Table:
    step = (1.0 if end >= start else -1.0) if step is None else step
    count = int((end - start) / step + 1e-10) + 1
    return table_of(start + i * step for i in range(count))


def new(n: Any = MISSING, value: Any = None, *_: Any) -> Table:
    return (
        table_of([value] * int(n))
        if not callable(value) or is_table(value)
        else table_of(called(value, float(i)) for i in range(1, int(n) + 1))
    )


def set_(table: Any = MISSING, value: Any = None, first: Any = None, last: Any = None, *_: Any) -> tuple[()]:
    end = len(listed(checked(table, 1, "set"))) if last is None else int(last)
    for i in range(1 if first is None else int(first), end + 1):
        rawset(table, float(i), called(value, float(i)) if callable(value) and not is_table(value) else value)
    return ()


def clear(table: Any = MISSING, start: Any = None, *_: Any) -> tuple[()]:
    values = listed(checked(table, 1, "clear"))
    replaced(table, values[: 0 if start is None else int(start) - 1])
    return ()


def insertvalues(table: Any = MISSING, *rest: Any) -> Table:
    known, added = listed(checked(table, 1, "insertvalues")), listed(checked(rest[-1] if rest else MISSING, 2, "insertvalues"))
    place = len(known) if len(rest) < 2 else int(rest[0]) - 1
    return replaced(table, known[:place] + added + known[place:])


def removevalues(table: Any = MISSING, first: Any = None, last: Any = None, *_: Any) -> Table:
    values = listed(checked(table, 1, "removevalues"))
    begin, end = _slice(values, first, last)
    return replaced(table, values[:begin] + values[end:])


def icopy(table: Any = MISSING, source: Any = MISSING, place: Any = 1.0, start: Any = 1.0, count: Any = None, *_: Any) -> Table:
    values, begin = listed(checked(source, 2, "icopy")), int(start) - 1
    added = values[begin:] if count is None else values[begin : begin + int(count)]
    return replaced(table, listed(checked(table, 1, "icopy"))[: int(place) - 1] + added)


def search(table: Any = MISSING, value: Any = None, exclude: Any = None, *_: Any) -> Any:
    seen = {id(one) for _key, one in items(exclude)} if is_table(exclude) else set()
    return _searched(checked(table, 1, "search"), value, seen | {id(table)})


def _searched(table: Table, value: Any, seen: set[int]) -> Any:
    pairs = items(table)
    for key, one in pairs:
        if one is value or (one.__class__ in (float, str) and one == value):
            return key
    for key, one in pairs:
        if is_table(one) and id(one) not in seen:
            seen.add(id(one))
            if (found := _searched(one, value, seen)) is not None:
                return f"{key}.{found}" if key.__class__ is str else f"[{int(key)}]{found}"
    return None


def readonly(table: Any = MISSING, *_: Any) -> Table:
    checked(table, 1, "readonly")

    def refused(*_: Any) -> None:
        raise_error("Attempt to modify read-only table")

    made, metatable = Table(), Table()
    metatable.__dict__.update(__index=table, __newindex=refused, __len=lambda *_: length(table), __metatable=False)
    set_metatable(made, metatable)
    return made


def _sorting() -> dict[str, Any]:
    def iterator(pairs: list[tuple[Any, Any]]) -> Any:
        rest = iter(pairs)
        return lambda *_: next(rest, None)

    def sort(table: Any = MISSING, less: Any = None, *_: Any) -> Any:
        order = compared(less)
        return iterator(sorted(items(checked(table, 1, "sort")), key=lambda pair: order(pair[0])))

    def sortv(table: Any = MISSING, less: Any = None, *_: Any) -> Any:
        order = compared(less)
        return iterator(sorted(items(checked(table, 1, "sortv")), key=lambda pair: order(pair[1])))

    return {"sort": sort, "sortv": sortv}


class _Kinds:
    """Tables that have the metatable of ``pl.List``, ``pl.Map`` and ``pl.Set``."""

    def __init__(self, state: State) -> None:
        self.state = state

    def of(self, table: Table, name: str) -> Table:
        """Gives a table the metatable of a class of Penlight."""
        set_metatable(table, self.state.require(f"pl.{name}"))
        return table

    def like(self, table: Table, source: Any, name: str | None = None) -> Table:
        """Gives a table the metatable of another, or of a class if that has none."""
        metatable = source._metatable if is_table(source) and source.__class__ is not Table else None
        if metatable is not None:
            set_metatable(table, metatable)
        elif name is not None:
            self.of(table, name)
        return table


def _mapping(state: State, kinds: _Kinds) -> dict[str, Any]:
    """Returns the functions that apply one to all values."""

    def map_(function: Any = MISSING, table: Any = MISSING, *rest: Any) -> Table:
        function = function_of(state, 1, function)
        return kinds.like(filled((k, called(function, v, *rest)) for k, v in items(checked(table, 2, "map"))), table)

    def imap(function: Any = MISSING, table: Any = MISSING, *rest: Any) -> Table:
        function = function_of(state, 1, function)
        values = (called(function, v, *rest) for v in listed(checked(table, 2, "imap")))
        return kinds.like(table_of(False if v is None else v for v in values), table, "List")

    def map2(function: Any = MISSING, table: Any = MISSING, other: Any = MISSING, *rest: Any) -> Table:
        function = function_of(state, 1, function)
        pairs = items(checked(table, 2, "map2"))
        return kinds.like(filled((k, called(function, v, rawget(other, k), *rest)) for k, v in pairs), table, "List")

    def mapn(function: Any = MISSING, *tables: Any) -> Table:
        function = function_of(state, 1, function)
        rows = zip(*(listed(checked(one, i, "mapn")) for i, one in enumerate(tables, 2)), strict=False)
        return table_of(called(function, *row) for row in rows)

    def zip_(*tables: Any) -> Table:
        return mapn(lambda *row: table_of(row), *tables)

    def reduce(function: Any = MISSING, table: Any = MISSING, *start: Any) -> Any:
        function, values = function_of(state, 1, function), listed(checked(table, 2, "reduce"))
        values = [*start[:1], *values]
        found = values[0] if values else None
        for value in values[1:]:
            found = called(function, found, value)
        return found

    def transform(function: Any = MISSING, table: Any = MISSING, *rest: Any) -> tuple[()]:
        function = function_of(state, 1, function)
        for key, value in items(checked(table, 2, "transform")):
            rawset(table, key, called(function, value, *rest))
        return ()

    def pairmap(function: Any = MISSING, table: Any = MISSING, *rest: Any) -> Table:
        function, found, n = function_of(state, 1, function), Table(), 0
        for key, value in items(checked(table, 2, "pairmap")):
            new, name, *_others = (*many(function(key, value, *rest)), None, None)
            if not truth(name):
                n += 1
                name = float(n)
            rawset(found, name, new)
        return found

    def foreach(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> tuple[()]:
        function = function_of(state, 2, function)
        for key, value in items(checked(table, 1, "foreach")):
            called(function, value, key, *rest)
        return ()

    def foreachi(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> tuple[()]:
        function = function_of(state, 2, function)
        for i, value in enumerate(listed(checked(table, 1, "foreachi")), 1):
            called(function, value, float(i), *rest)
        return ()

    made = {"map": map_, "imap": imap, "map2": map2, "imap2": mapn, "mapn": mapn, "zip": zip_, "reduce": reduce}
    return {**made, "transform": transform, "pairmap": pairmap, "foreach": foreach, "foreachi": foreachi}


def _choosing(state: State, kinds: _Kinds) -> dict[str, Any]:
    """Returns the functions that look for values."""

    def filter_(table: Any = MISSING, test: Any = MISSING, argument: Any = None, *_: Any) -> Table:
        test = function_of(state, 2, test)
        return kinds.like(
            table_of(v for v in listed(checked(table, 1, "filter")) if truth(called(test, v, argument))), table, "List"
        )

    def find_if(table: Any = MISSING, test: Any = MISSING, argument: Any = None, *_: Any) -> Any:
        test = function_of(state, 2, test)
        for key, value in items(checked(table, 1, "find_if")):
            if truth(found := called(test, value, argument)):
                return key, found
        return None

    def compare(a: Any = MISSING, b: Any = MISSING, test: Any = MISSING, *_: Any) -> bool:
        test = function_of(state, 3, test)
        one, other = listed(checked(a, 1, "compare")), listed(checked(b, 2, "compare"))
        return len(one) == len(other) and all(truth(called(test, x, y)) for x, y in zip(one, other, strict=True))

    def compare_no_order(a: Any = MISSING, b: Any = MISSING, test: Any = None, *_: Any) -> bool:
        one, other = listed(checked(a, 1, "compare_no_order")), listed(checked(b, 2, "compare_no_order"))
        equal = eq if test is None else function_of(state, 3, test)
        for value in one:
            place = next((i for i, y in enumerate(other) if truth(called(equal, value, y))), None)
            if place is None:
                return False
            del other[place]
        return not other

    def count_map(table: Any = MISSING, *_: Any) -> Table:
        found = Table()
        for value in listed(checked(table, 1, "count_map")):
            rawset(found, value, (rawget(found, value) or 0.0) + 1.0)
        return kinds.of(found, "Map")

    return {
        "filter": filter_,
        "find_if": find_if,
        "compare": compare,
        "compare_no_order": compare_no_order,
        "count_map": count_map,
    }


def _making(kinds: _Kinds) -> dict[str, Any]:
    """Returns the functions that make tables of tables."""

    def keys(table: Any = MISSING, *_: Any) -> Table:
        return kinds.of(table_of(key for key, _value in items(checked(table, 1, "keys"))), "List")

    def values(table: Any = MISSING, *_: Any) -> Table:
        return kinds.of(table_of(value for _key, value in items(checked(table, 1, "values"))), "List")

    def index_map(table: Any = MISSING, *_: Any) -> Table:
        return kinds.of(filled((v, float(i)) for i, v in enumerate(listed(checked(table, 1, "index_map")), 1)), "Map")

    def makeset(table: Any = MISSING, *_: Any) -> Table:
        return kinds.of(filled((v, True) for v in listed(checked(table, 1, "makeset"))), "Set")

    def index_by(table: Any = MISSING, names: Any = MISSING, *_: Any) -> Table:
        return kinds.like(table_of(rawget(checked(table, 1, "index_by"), one) for one in listed(names)), table, "List")

    def sub(table: Any = MISSING, first: Any = None, last: Any = None, *_: Any) -> Table:
        values = listed(checked(table, 1, "sub"))
        begin, end = _slice(values, first, last)
        return kinds.like(table_of(values[begin:end]), table, "List")

    def merge(a: Any = MISSING, b: Any = MISSING, isUnion: Any = None, *_: Any) -> Table:
        one, other = items(checked(a, 1, "merge")), items(checked(b, 2, "merge"))
        kept = one + other if truth(isUnion) else [pair for pair in one if rawget(b, pair[0]) is not None]
        return kinds.like(filled(kept), a, "Map")

    def union(a: Any = MISSING, b: Any = MISSING, *_: Any) -> Table:
        return merge(a, b, True)

    def intersection(a: Any = MISSING, b: Any = MISSING, *_: Any) -> Table:
        return merge(a, b)

    def difference(a: Any = MISSING, b: Any = MISSING, isSymmetric: Any = None, *_: Any) -> Table:
        kept = [pair for pair in items(checked(a, 1, "difference")) if rawget(checked(b, 2, "difference"), pair[0]) is None]
        if truth(isSymmetric):
            kept += [pair for pair in items(b) if rawget(a, pair[0]) is None]
        return kinds.like(filled(kept), a, "Map")

    made = {"keys": keys, "values": values, "index_map": index_map, "makeset": makeset, "index_by": index_by, "sub": sub}
    return {**made, "merge": merge, "union": union, "intersection": intersection, "difference": difference}


def library(state: State) -> Table:
    """Returns the table of the module."""
    kinds, table = _Kinds(state), Table()
    table.__dict__.update(
        {
            **{"deepcopy": deepcopy, "deepcompare": deepcompare, "size": size, "update": update, "copy": copy, "find": find},
            **{"rfind": rfind, "range": range_, "new": new, "set": set_, "clear": clear, "insertvalues": insertvalues},
            **{"removevalues": removevalues, "icopy": icopy, "move": icopy, "search": search, "readonly": readonly},
            **{**_sorting(), **_mapping(state, kinds), **_choosing(state, kinds), **_making(kinds)},
        }
    )
    return table
