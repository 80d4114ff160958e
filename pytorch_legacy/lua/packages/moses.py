"""The package ``moses``: functions of tables and of functions, as of its version 1.4.

Functions of scripts get the key first, then the value.
"""

from __future__ import annotations

import itertools
from functools import reduce
from itertools import chain, permutations, takewhile, zip_longest
from typing import TYPE_CHECKING, Any

from ..language.arguments import string
from ..language.errors import raise_error, type_name
from ..language.operators import add, eq, lt, many
from ..language.table import Table, fields, first, index, rawget, rawset, set_metatable
from .functions import function, functions, steps
from .values import (
    called,
    compared,
    equal,
    extended,
    filled,
    is_callable,
    is_table,
    items,
    kind_of,
    listed,
    place_of,
    replaced,
    table_of,
    truth,
    within,
)

if TYPE_CHECKING:
    from ..language.state import State

_MAX_DEPTH = 200  # tables within each other that `flatten` opens
_NOTHING: Any = object()

ALIASES = {
    **{"forEach": "each", "forEachi": "eachi", "collect": "map", "inject": "reduce", "foldl": "reduce"},
    **{"injectr": "reduceRight", "foldr": "reduceRight", "mapr": "mapReduce", "maprr": "mapReduceRight"},
    **{"any": "include", "some": "include", "contains": "include", "filter": "select", "every": "all"},
    **{"indexOf": "find", "takeWhile": "selectWhile", "rejectWhile": "dropWhile", "shift": "pop", "remove": "pull"},
    **{"rmRange": "removeRange", "chop": "removeRange", "sub": "slice", "head": "first", "take": "first"},
    **{"skip": "last", "tail": "rest", "without": "difference", "diff": "difference", "symdiff": "symmetricDifference"},
    **{"xor": "symmetricDifference", "uniq": "unique", "isuniq": "isunique", "transpose": "zip", "perm": "permutation"},
    **{"mirror": "invert", "join": "concat", "cache": "memoize", "juxt": "juxtapose", "bindn": "bind", "part": "partition"},
    **{"methods": "functions", "choose": "pick", "drop": "omit", "defaults": "template", "compare": "isEqual"},
    **{"matches": "isEqual", "uid": "uniqueId"},
}
"""Other names of functions."""


def _wanted(value: Any, *_: Any) -> Any:
    """Returns the test of a value: a function of a script, or equality with a value."""
    if is_callable(value) and not is_table(value):
        return lambda one: truth(called(value, one))
    return lambda one: equal(one, value)


def _transform(value: Any, position: int, name: str) -> Any:
    """Returns a function of a value: that of a script, or the field of a name."""
    if value.__class__ is str:
        return lambda one, *_: index(one, value)
    function(value, position, name)
    return lambda one, *rest: called(value, one, *rest)


def _same(one: Any, *_: Any) -> Any:
    return one


# ------------------------------------------------------------------------------------------------------ tables


def _each(pairs: list[Any], call: Any, *rest: Any) -> tuple[()]:
    for key, value in pairs:
        call(key, value, *rest)
    return ()


def _numbered(pairs: list[Any]) -> list[Any]:
    """Returns the pairs whose keys are whole numbers, in their order."""
    return sorted((pair for pair in pairs if pair[0].__class__ is float and pair[0].is_integer()), key=lambda pair: pair[0])


def _map(pairs: list[Any], function: Any, *rest: Any) -> Table:
    rows = [(key, many(function(key, value, *rest))) for key, value in pairs]
    return filled(row[:2] if len(row) > 1 and row[1] is not None else (key, first(row)) for key, row in rows)


def _states(values: list[Any], call: Any, *start: Any) -> list[Any]:
    """Returns the states of a reduction, the start first. Without a start the first value is the next state."""
    states = [start[0] if start else None]
    for value in values:
        states.append(value if states[-1] is None else call(states[-1], value))
    return states


def _extreme(less: Any) -> Any:
    def extreme(values: list[Any], transform: Any = None, *rest: Any) -> Any:
        best = None
        for one in [(transform or _same)(value, *rest) for value in values]:
            best = one if best is None or less(one, best) else best
        return best

    return extreme


def _has(value: Any, wanted: list[Any]) -> bool:
    return is_table(value) and all(equal(rawget(value, key), one) for key, one in wanted)


def _groups(pairs: list[Any], call: Any, *rest: Any) -> list[tuple[Any, list[Any]]]:
    groups: list[tuple[Any, list[Any]]] = []
    for key, value in pairs:
        name = call(key, value, *rest)
        place = place_of(name, (known for known, _values in groups))
        if place is None:
            groups.append((name, [value]))
        else:
            groups[place][1].append(value)
    return groups


def _clear(table: Table) -> Table:
    for key, _value in items(table):
        rawset(table, key, None)
    return table


def _has_keys(table: Table, other: Table) -> bool:
    return all(rawget(table, key) is not None for key, _value in items(other))


_TABLES: dict[str, Any] = {
    "each": ("pairs call *any", _each),
    "eachi": ("pairs call *any", lambda pairs, call, *rest: _each(_numbered(pairs), call, *rest)),
    "at": ("table *any", lambda table, *keys: [one for key in keys if (one := rawget(table, key)) is not None]),
    "count": ("values any", lambda values, one: len(values) if one is None else sum(equal(value, one) for value in values)),
    "countf": ("pairs test *any", lambda pairs, test, *rest: sum(test(key, value, *rest) for key, value in pairs)),
    "map": ("pairs function *any", _map),
    "reduce": ("values call *any", lambda values, call, *start: _states(values, call, *start)[-1]),
    "reduceRight": ("values call *any", lambda values, call, *start: _states(values[::-1], call, *start)[-1]),
    "mapReduce": ("values call *any", lambda values, call, *start: _states(values, call, *start)[1:]),
    "mapReduceRight": ("values call *any", lambda values, call, *start: _states(values[::-1], call, *start)[1:]),
    "include": ("values wanted", lambda values, test: any(map(test, values))),
    "detect": ("pairs wanted", lambda pairs, test: next((key for key, value in pairs if test(value)), None)),
    "where": ("values pairs", lambda values, wanted: [value for value in values if _has(value, wanted)]),
    "findWhere": ("values pairs", lambda values, wanted: next((value for value in values if _has(value, wanted)), None)),
    "select": ("pairs test *any", lambda pairs, test, *rest: [value for key, value in pairs if test(key, value, *rest)]),
    "reject": ("pairs test *any", lambda pairs, test, *rest: [value for key, value in pairs if not test(key, value, *rest)]),
    "all": ("pairs test *any", lambda pairs, test, *rest: all(test(key, value, *rest) for key, value in pairs)),
    "pluck": (
        "values any",
        lambda values, name: [one for value in values if is_table(value) and (one := rawget(value, name)) is not None],
    ),
    "max": ("values transform? *any", _extreme(lambda a, b: lt(b, a))),
    "min": ("values transform? *any", _extreme(lt)),
    "same": ("values values", lambda a, b: all(within(x, b) for x in a) and all(within(x, a) for x in b)),
    "sort": ("table function?", lambda table, less: replaced(table, sorted(listed(table), key=compared(less)))),
    "sortBy": (
        "list transform? function?",
        lambda values, transform, less: sorted(values, key=lambda value: compared(less)((transform or _same)(value))),
    ),
    "groupBy": ("pairs call *any", lambda *given: filled((name, table_of(values)) for name, values in _groups(*given))),
    "countBy": ("pairs call *any", lambda *given: filled((name, float(len(values))) for name, values in _groups(*given))),
    "size": ("*any", lambda *values: len(items(values[0])) if values and is_table(values[0]) else len(values)),
    "containsKeys": ("table table", _has_keys),
    "sameKeys": ("table table", lambda a, b: _has_keys(a, b) and _has_keys(b, a)),
    "clear": ("table", _clear),
}

# ------------------------------------------------------------------------------------------------------ arrays


def _fill(table: Table, value: Any, start: int, end: int | None) -> Table:
    for i in range(start, (len(listed(table)) if end is None else end) + 1):
        rawset(table, float(i), value)
    return table


def _leading(values: list[Any], test: Any, *rest: Any) -> int:
    """Returns how many values at the beginning pass a test."""
    return len(list(takewhile(lambda pair: test(float(pair[0]), pair[1], *rest), enumerate(values, 1))))


def _number(places: range, values: list[Any], wanted: Any) -> int | None:
    """Returns the number of the first of some places that holds a value."""
    return next((i + 1 for i in places if equal(values[i], wanted)), None)


def _first_place(values: list[Any], test: Any, *rest: Any) -> int | None:
    return next((i for i, value in enumerate(values, 1) if test(float(i), value, *rest)), None)


def _pop(table: Table, n: int) -> Any:
    values = listed(table)
    replaced(table, values[n:])
    return tuple(values[:n])


def _unshift(table: Table, n: int) -> Any:
    values = listed(table)
    kept = max(len(values) - n, 0)
    replaced(table, values[:kept])
    return tuple(values[kept:][::-1])


def _remove_range(table: Table, start: int, end: int | None) -> Table:
    values = listed(table)
    return replaced(table, values[: max(start - 1, 0)] + ([] if end is None else values[max(end, start - 1, 0) :]))


def _chunk(values: list[Any], call: Any, *rest: Any) -> list[list[Any]]:
    chunks: list[list[Any]] = []
    last: Any = None
    for i, value in enumerate(values, 1):
        mark = call(float(i), value, *rest)
        if not chunks or not eq(mark, last):
            chunks.append([])
        chunks[-1].append(value)
        last = mark
    return chunks


def _flat(values: list[Any], isShallow: bool, depth: int = 0) -> list[Any]:
    if depth > _MAX_DEPTH:
        raise_error("the tables are nested too deeply")
    found: list[Any] = []
    for value in values:
        if not is_table(value):
            found.append(value)
        else:
            found += listed(value) if isShallow else _flat(listed(value), False, depth + 1)
    return found


def _unique(values: Any) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not within(value, found):
            found.append(value)
    return found


def _difference(values: list[Any], other: list[Any] | None) -> list[Any]:
    return [value for value in values if not within(value, other or ())]


def _rows(*arrays: list[Any]) -> list[list[Any]]:
    rows = zip_longest(*arrays, fillvalue=_NOTHING)
    return [[value for value in row if value is not _NOTHING] for row in rows]


def _range(*limits: float) -> list[float]:
    if not limits:
        return []
    start, end = limits[:2] if len(limits) > 1 else (0.0, limits[0])
    return steps(start, end, *limits[2:3])


def _windows(shift: Any) -> Any:
    def windows(values: list[Any], n: int, pad: Any) -> Any:
        by = shift(n)
        for i in range(0, len(values), by):
            if by == n or i == 0 or i + by < len(values):
                part = values[i : i + n]
                yield part if pad is None else part + [pad] * (n - len(part))

    return windows


def _concat(values: list[Any], separator: str) -> str:
    return separator.join(str(one).lower() if one.__class__ is bool else string(one, 1, "concat") for one in values)


_ARRAYS: dict[str, Any] = {
    "toArray": ("*any", lambda *values: list(values)),
    "find": ("list any whole=1", lambda values, one, start: _number(range(max(start - 1, 0), len(values)), values, one)),
    "lastIndexOf": ("list any", lambda values, one: _number(range(len(values))[::-1], values, one)),
    "reverse": ("list", lambda values: values[::-1]),
    "fill": ("table any whole=1 count?", _fill),
    "selectWhile": ("list test *any", lambda values, test, *rest: values[: _leading(values, test, *rest)]),
    "dropWhile": ("list test *any", lambda values, test, *rest: values[_leading(values, test, *rest) :]),
    "findIndex": ("list test *any", _first_place),
    "push": ("table *any", lambda table, *values: replaced(table, [*listed(table), *values])),
    "addTop": ("table *any", lambda table, *values: replaced(table, [*values[::-1], *listed(table)])),
    "pop": ("table count=1", _pop),
    "unshift": ("table count=1", _unshift),
    "pull": ("table *any", lambda table, *wanted: replaced(table, [one for one in listed(table) if not within(one, wanted)])),
    "removeRange": ("table whole=1 whole?", _remove_range),
    "chunk": ("list call *any", _chunk),
    "slice": ("list whole=1 count?", lambda values, start, end: values[max(start - 1, 0) : end]),
    "first": ("list count=1", lambda values, n: values[:n]),
    "initial": ("list count=1", lambda values, n: values[: max(len(values) - n, 0)]),
    "last": ("list count=0", lambda values, n: values[-n:] if n else values[1:]),
    "rest": ("list whole=1", lambda values, start: values[max(start - 1, 0) :]),
    "compact": ("list", lambda values: [value for value in values if truth(value)]),
    "flatten": ("list truth", _flat),
    "difference": ("list list?", _difference),
    "union": ("*list", lambda *arrays: _unique(chain(*arrays))),
    "intersection": ("list *list", lambda values, *rows: [one for one in values if all(within(one, row) for row in rows)]),
    "symmetricDifference": ("list list", lambda a, b: _unique(_difference(a, b) + _difference(b, a))),
    "unique": ("list", _unique),
    "isunique": ("list", lambda values: len(_unique(values)) == len(values)),
    "zip": ("*list", _rows),
    "append": ("list list", lambda values, other: values + other),
    "interleave": ("*list", lambda *arrays: list(chain(*_rows(*arrays)))),
    "interpose": ("any list", lambda value, values: [part for one in values for part in (one, value)][:-1]),
    "range": ("*number", _range),
    "rep": ("any count", lambda value, n: [value] * n),
    "partition": ("list size=1 any", _windows(lambda n: n)),
    "sliding": ("list size=1 any", _windows(lambda n: max(n - 1, 1))),
    "permutation": ("list", lambda values: map(list, permutations(values))),
    "invert": ("pairs", lambda pairs: filled((value, key) for key, value in pairs)),
    "concat": ("list string=", _concat),
    "sum": ("list", lambda values: reduce(add, values, 0.0)),
}

# ------------------------------------------------------------------------------------------------------ functions


def _once(function: Any) -> Any:
    given: list[tuple[Any, ...]] = []

    def run(*arguments: Any) -> Any:
        given.append(arguments)
        return function(*given[0])

    return run


def _memoize(call: Any, hash: Any) -> Any:
    known = Table()

    def run(*arguments: Any) -> Any:
        key = hash(*arguments) if hash is not None else arguments[0] if arguments else None
        if (found := rawget(known, key)) is None:
            found = call(*arguments)
            rawset(known, key, found)
        return found

    return run


def _after(function: Any, limit: float) -> Any:
    calls = 0

    def run(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return function(*arguments) if calls >= limit else None

    return run


def _compose(*chain: Any) -> Any:
    def run(*arguments: Any) -> Any:
        return reduce(lambda given, function: many(function(*given)), chain[::-1], arguments)

    return run


def _partial(function: Any, *values: Any) -> Any:
    def run(*rest: Any) -> Any:
        left = list(rest)
        return function(*[left.pop(0) if one == "_" and left else one for one in values], *left)

    return run


_FUNCTIONS: dict[str, Any] = {
    "noop": ("", lambda: ()),
    "identity": ("any", _same),
    "constant": ("any", lambda value: lambda *_: value),
    "once": ("function", _once),
    "memoize": ("call call?", _memoize),
    "after": ("function number", _after),
    "compose": ("*function", _compose),
    "pipe": ("any *function", lambda value, *chain: _compose(*chain[::-1])(value)),
    "complement": ("test", lambda test: lambda *given: not test(*given)),
    "juxtapose": ("any *call", lambda value, *calls: tuple(call(value) for call in calls)),
    "wrap": ("function function", lambda function, wrapper: lambda *given: wrapper(function, *given)),
    "times": ("count call *any", lambda n, call, *rest: [call(float(i), *rest) for i in range(1, n + 1)]),
    "bind": ("function *any", lambda function, *values: lambda *rest: function(*values, *rest)),
    "bind2": ("function any", lambda function, value: lambda *rest: function(*rest[:1], value, *rest[1:])),
    "partial": ("function *any", _partial),
    "flip": ("function", lambda function: lambda *given: function(*given[::-1])),
    "over": ("*call", lambda *calls: lambda *given: table_of(call(*given) for call in calls)),
}

# ------------------------------------------------------------------------------------------------------ objects


def _clone(table: Any, isShallow: bool, depth: int = 0) -> Any:
    if not is_table(table):
        return table
    if depth > _MAX_DEPTH:
        raise_error("the tables are nested too deeply")
    found = filled((key, one if isShallow else _clone(one, False, depth + 1)) for key, one in items(table))
    if table.__class__ is not Table:
        set_metatable(found, kind_of(table))
    return found


def _template(table: Table, defaults: Any) -> Table:
    missing = [(key, one) for key, one in items(defaults) if rawget(table, key) is None] if is_table(defaults) else []
    return extended(table, missing)


def _picked(table: Table, keys: list[Any]) -> Table:
    return filled((key, one) for key in keys if (one := rawget(table, key)) is not None)


def _omit(pairs: list[Any], *keys: Any) -> Table:
    left = _flat(list(keys), False)
    return filled((key, value) for key, value in pairs if not any(eq(key, one) for one in left))


def _is_kind(kind: str) -> Any:
    return "any", lambda value: type_name(value) == kind


_OBJECTS: dict[str, Any] = {
    "keys": ("pairs", lambda pairs: [key for key, _value in pairs]),
    "values": ("values", list),
    "extend": ("table *pairs", lambda table, *others: extended(table, chain(*others))),
    "functions": (
        "pairs",
        lambda pairs: sorted(key for key, one in pairs if type_name(one) == "function" and key.__class__ is str),
    ),
    "clone": ("any truth", _clone),
    "pick": ("table *any", lambda table, *keys: _picked(table, _flat(list(keys), False))),
    "omit": ("pairs *any", _omit),
    "template": ("table any", _template),
    "isEqual": ("any any", equal),
    "isEmpty": ("any", lambda value: value is None or value == "" or (is_table(value) and not items(value))),
    "isArray": ("any", lambda value: is_table(value) and len(listed(value)) == len(items(value))),
    "isFinite": ("any", lambda value: value.__class__ is float and value - value == 0),
    "isNaN": ("any", lambda value: value.__class__ is float and value != value),
    "isInteger": ("any", lambda value: value.__class__ is float and value.is_integer()),
    "isCallable": ("any", is_callable),
    **{f"is{kind.title()}": _is_kind(kind) for kind in ("table", "string", "function", "nil", "number", "boolean")},
}


def _of_state(state: State) -> dict[str, Any]:
    """Returns the functions that draw by ``math.random``, look up methods, and count."""
    numbers = itertools.count(1.0)

    def shuffle(values: list[Any], seed: Any) -> list[Any]:
        if seed is not None:
            called(state.globals.math.randomseed, seed)
        found: list[Any] = []
        for i, value in enumerate(values):
            place = int(called(state.globals.math.random, float(i + 1))) - 1
            found.append(value)
            found[i], found[place] = found[place], value
        return found

    def sample(values: list[Any], n: int, seed: Any) -> Any:
        found = shuffle(values, seed)[:n]
        return found[0] if n == 1 and found else found

    def uniqueId(form: Any) -> Any:
        number = next(numbers)
        if form is None:
            return number
        return called(state.globals.string.format, form, number) if form.__class__ is str else called(form, number)

    def method(value: Any, name: Any) -> Any:
        return state.index(value, name) if name.__class__ is str else name

    def bindAll(table: Any, *names: Any) -> Any:
        for name in names:
            function = state.index(table, name)
            state.setindex(table, name, lambda *rest, function=function: function(table, *rest))
        return table

    def result(table: Any, name: Any, *rest: Any) -> Any:
        found = method(table, name)
        return called(found, table, *rest) if is_callable(found) else found

    return {
        "shuffle": ("list any", shuffle),
        "sample": ("list count=1 any", sample),
        "uniqueId": ("any", uniqueId),
        "invoke": (
            "pairs any *any",
            lambda pairs, name, *rest: filled((key, called(method(one, name), one, *rest)) for key, one in pairs),
        ),
        "bindAll": ("any *any", bindAll),
        "result": ("any any *any", result),
    }


def library(state: State) -> Table:
    """Returns the package's table."""
    declarations = {**_TABLES, **_ARRAYS, **_FUNCTIONS, **_OBJECTS, **_of_state(state)}
    made = functions(declarations, wanted=_wanted, transform=_transform)
    return fields(**made, **{alias: made[name] for alias, name in ALIASES.items()})
