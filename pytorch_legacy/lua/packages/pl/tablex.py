"""``pl.tablex``: functions of tables."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from ...language.arguments import MISSING
from ...language.errors import raise_error, type_name
from ...language.operators import eq, format_number, length, many
from ...language.table import Table, call_through_c, fields, metamethod, rawget, rawset, set_metatable
from ..functions import functions, steps, values, whole
from ..values import (
    called,
    compared,
    extended,
    filled,
    is_callable,
    is_table,
    items,
    kind_of,
    listed,
    numbered,
    place_of,
    replaced,
    truth,
    with_metatable,
)
from .functions import lister, of_class, of_penlight

if TYPE_CHECKING:
    from ...language.state import State


def _copied(value: Any, known: dict[int, Table]) -> Any:
    if not is_table(value):
        return value
    if id(value) not in known:
        made = known[id(value)] = Table()
        for key, one in items(value):
            rawset(made, _copied(key, known), _copied(one, known))
        if (metatable := kind_of(value)) is not None:
            set_metatable(made, metatable)
    return known[id(value)]


def _is_equal(a: Any, b: Any, ignores: Any, eps: Any) -> bool:
    if not is_table(a) or not is_table(b):
        isNear = eps is not None and a.__class__ is float and b.__class__ is float
        return bool(abs(a - b) < eps) if isNear else eq(a, b)
    if not truth(ignores) and metamethod(a, "__eq") is not None:
        return eq(a, b)
    one, other = items(a), items(b)
    return len(one) == len(other) and all(call_through_c(_is_equal, value, rawget(b, key), ignores, eps) for key, value in one)


def _slice(values: list[Any], first: int | None, last: int | None) -> slice:
    """Returns the range that two indices stand for; negative ones count from the end."""
    begin, end = (n if n is None or n >= 0 else len(values) + n + 1 for n in (first, last))
    begin = max((1 if begin is None else begin) - 1, 0)
    return slice(begin, len(values) if end is None else max(end, begin))


def _found(values: list[Any], wanted: Any, start: int | None) -> int | None:
    begin = _slice(values, start, None).start
    place = place_of(wanted, values[begin:])
    return None if place is None else begin + place + 1


def _found_last(values: list[Any], wanted: Any, start: int | None) -> int | None:
    end = len(values) if start is None else _slice(values, start, None).start + 1
    place = place_of(wanted, values[:end][::-1])
    return None if place is None else min(end, len(values)) - place


def _values_of(value: Any, numbers: range) -> list[Any]:
    """Returns a value for each number, or what a function returns for the numbers."""
    isFunction = is_callable(value) and not is_table(value)
    return [called(value, float(i)) if isFunction else value for i in numbers]


def _set(known: Table, value: Any, first: int, last: int | None) -> tuple[()]:
    numbers = range(first, (len(listed(known)) if last is None else last) + 1)
    extended(known, zip(map(float, numbers), _values_of(value, numbers), strict=True))
    return ()


def _clear(known: Table, start: int) -> tuple[()]:
    replaced(known, listed(known)[: max(start - 1, 0)])
    return ()


def _insert(known: Table, *rest: Any) -> Table:
    """Inserts values before a place, which may be left out."""
    place = max(whole(rest[0], 2, "insertvalues") - 1, 0) if len(rest) > 1 else len(listed(known))
    added = values(rest[-1] if rest else MISSING, max(len(rest), 1) + 1, "insertvalues")
    return replaced(known, listed(known)[:place] + added + listed(known)[place:])


def _remove(known: Table, first: int | None, last: int | None) -> Table:
    values = listed(known)
    del values[_slice(values, first, last)]
    return replaced(known, values)


def _copy_into(known: Table, source: list[Any], place: int, start: int, count: int | None) -> Table:
    added = source[max(start - 1, 0) :]
    return replaced(known, listed(known)[: max(place - 1, 0)] + (added if count is None else added[:count]))


def _searched(known: Table, value: Any, seen: set[int]) -> Any:
    """Returns the keys that lead to a value, as a text, or None."""
    pairs = items(known)
    for key, one in pairs:
        if one is value or (one.__class__ in (float, str) and one == value):
            return key
    for key, one in pairs:
        if is_table(one) and id(one) not in seen:
            seen.add(id(one))
            if (found := _searched(one, value, seen)) is not None:
                name = format_number(key) if key.__class__ is float else type_name(key)
                return f"{key}.{found}" if key.__class__ is str else f"[{name}]{found}"
    return None


def _readonly(known: Table) -> Table:
    def refused(*_: Any) -> None:
        raise_error("Attempt to modify read-only table")

    return with_metatable(Table(), __index=known, __newindex=refused, __len=lambda *_: length(known), __metatable=False)


def _by(place: int) -> Any:
    """Returns the declaration of an iterator in the order of keys or values."""
    return "pairs function?", lambda pairs, less: iter(sorted(pairs, key=lambda pair: compared(less)(pair[place])))


_PURE: dict[str, Any] = {
    "deepcopy": ("any", lambda value: _copied(value, {})),
    "deepcompare": ("any any any number?", _is_equal),
    "size": ("pairs", len),
    "update": ("table pairs", extended),
    "copy": ("pairs", filled),
    "find": ("list any whole?", _found),
    "rfind": ("list any whole?", _found_last),
    "range": ("number number number?", steps),
    "new": ("count any", lambda n, value: _values_of(value, range(1, n + 1))),
    "set": ("table any whole=1 count?", _set),
    "clear": ("table whole=1", _clear),
    "insertvalues": ("table *any", _insert),
    "removevalues": ("table whole? whole?", _remove),
    **dict.fromkeys(("icopy", "move"), ("table list whole=1 whole=1 count?", _copy_into)),
    "search": ("table any values?", lambda known, value, exclude: _searched(known, value, {id(known), *map(id, exclude or ())})),
    "readonly": ("table", _readonly),
    "sort": _by(0),
    "sortv": _by(1),
}


def _pairmap(function: Any, known: Table, *rest: Any) -> Table:
    found, n = Table(), 0
    for key, value in items(known):
        new, name, *_others = (*many(function(key, value, *rest)), None, None)
        if not truth(name):
            n += 1
            name = float(n)
        rawset(found, name, new)
    return found


def _transform(call: Any, known: Table, *rest: Any) -> tuple[()]:
    extended(known, [(key, call(value, *rest)) for key, value in items(known)])
    return ()


def _foreach(pairs: Any, call: Any, *rest: Any) -> tuple[()]:
    for key, value in pairs:
        call(value, key, *rest)
    return ()


def _find_if(pairs: list[Any], call: Any, argument: Any) -> Any:
    rows = ((key, call(value, argument)) for key, value in pairs)
    return next((row for row in rows if truth(row[1])), None)


def _is_permuted(a: list[Any], b: list[Any], isSame: Any) -> bool:
    for value in a:
        place = place_of(value, b, lambda one, wanted: truth(isSame(wanted, one)))
        if place is None:
            return False
        del b[place]
    return not b


def _of_state(state: State) -> dict[str, Any]:
    """Returns the declarations of functions that take functions, or return tables of classes."""
    listing = lister(state)

    def like(pairs: Any, source: Any, name: str = "") -> Table:
        return of_class(state, filled(pairs), name, source)

    def merge(a: Table, b: Table, isUnion: bool = False) -> Table:
        kept = items(a) + items(b) if isUnion else [(key, one) for key, one in items(a) if rawget(b, key) is not None]
        return like(kept, a, "Map")

    def difference(a: Table, b: Table, isSymmetric: bool) -> Table:
        kept = [pair for pair in items(a) if rawget(b, pair[0]) is None]
        return like(kept + [pair for pair in items(b) if isSymmetric and rawget(a, pair[0]) is None], a, "Map")

    def count_map(values: list[Any]) -> Table:
        found = Table()
        for value in values:
            rawset(found, value, (rawget(found, value) or 0.0) + 1.0)
        return of_class(state, found, "Map")

    return {
        "map": ("call table *any", lambda call, t, *rest: like([(key, call(one, *rest)) for key, one in items(t)], t)),
        "imap": (
            "call table *any",
            lambda call, t, *rest: listing([False if (one := call(v, *rest)) is None else one for v in listed(t)], t),
        ),
        "map2": (
            "call table table *any",
            lambda call, t, other, *rest: like([(key, call(one, rawget(other, key), *rest)) for key, one in items(t)], t, "List"),
        ),
        **dict.fromkeys(("imap2", "mapn"), ("call *list", lambda call, *rows: [call(*row) for row in zip(*rows, strict=False)])),
        "zip": ("*list", lambda *rows: [list(row) for row in zip(*rows, strict=False)]),
        "reduce": ("call list any", lambda call, v, start: reduce(call, v if start is None else [start, *v]) if v else start),
        "transform": ("call table *any", _transform),
        "pairmap": ("function table *any", _pairmap),
        "foreach": ("pairs call *any", _foreach),
        "foreachi": ("list call *any", lambda v, call, *rest: _foreach(numbered(v), call, *rest)),
        "filter": ("table test any", lambda t, test, argument: listing([one for one in listed(t) if test(one, argument)], t)),
        "find_if": (
            "pairs call any",
            lambda pairs, call, argument: next(
                (row for key, one in pairs if truth((row := (key, call(one, argument)))[1])), None
            ),
        ),
        "compare": ("list list test", lambda a, b, test: len(a) == len(b) and all(map(test, a, b))),
        "compare_no_order": ("list list call?", lambda a, b, call: _is_permuted(a, b, call or eq)),
        "count_map": ("list", count_map),
        "keys": ("pairs", lambda pairs: listing([key for key, _value in pairs])),
        "values": ("values", listing),
        "index_map": ("list", lambda values: like([(one, float(i)) for i, one in enumerate(values, 1)], None, "Map")),
        "makeset": ("list", lambda values: like([(one, True) for one in values], None, "Set")),
        "index_by": ("table list", lambda t, keys: listing([rawget(t, key) for key in keys], t)),
        "sub": ("table whole? whole?", lambda t, first, last: listing(listed(t)[_slice(listed(t), first, last)], t)),
        "merge": ("table table truth", merge),
        "union": ("table table", lambda a, b: merge(a, b, True)),
        "intersection": ("table table", merge),
        "difference": ("table table truth", difference),
    }


def library(state: State) -> Table:
    """Returns the table of the module."""
    return fields(**functions(_PURE), **of_penlight(state, _of_state(state)))
