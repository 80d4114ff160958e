"""Functions of ``moses`` for tables."""

from __future__ import annotations

from typing import Any

from ...language.arguments import MISSING
from ...language.arguments import table as checked
from ...language.operators import eq, lt, many
from ...language.table import Table, first, rawget, rawset
from ..values import called, compared, filled, is_table, items, listed, replaced, table_of, truth
from .helpers import equal, pairs_of, test_of, values_of


def each(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> tuple[()]:
    for key, value in pairs_of(table, "each"):
        called(function, key, value, *rest)
    return ()


def eachi(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> tuple[()]:
    numbered = [pair for pair in pairs_of(table, "eachi") if pair[0].__class__ is float and pair[0].is_integer()]
    for key, value in sorted(numbered, key=lambda pair: pair[0]):
        called(function, key, value, *rest)
    return ()


def at(table: Any = MISSING, *keys: Any) -> Table:
    return table_of(value for key in keys if (value := rawget(checked(table, 1, "at"), key)) is not None)


def count(table: Any = MISSING, value: Any = None, *_: Any) -> float:
    pairs = pairs_of(table, "count")
    return float(len(pairs) if value is None else sum(equal(one, value) for _key, one in pairs))


def countf(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> float:
    return float(sum(truth(called(function, key, value, *rest)) for key, value in pairs_of(table, "countf")))


def map_(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
    found = Table()
    for key, value in pairs_of(table, "map"):
        results = many(function(key, value, *rest))
        if len(results) > 1 and results[1] is not None:
            rawset(found, results[0], results[1])
        else:
            rawset(found, key, first(results))
    return found


def _folded(values: list[Any], function: Any, state: tuple[Any, ...]) -> list[Any]:
    """Returns the states of a reduction, the last one last."""
    found: list[Any] = []
    current = state[0] if state else None
    for value in values:
        current = value if current is None else called(function, current, value)
        found.append(current)
    return found


def reduce(table: Any = MISSING, function: Any = MISSING, *state: Any) -> Any:
    found = _folded([value for _key, value in pairs_of(table, "reduce")], function, state)
    return found[-1] if found else state[0] if state else None


def reduceRight(table: Any = MISSING, function: Any = MISSING, *state: Any) -> Any:
    found = _folded([value for _key, value in pairs_of(table, "reduceRight")][::-1], function, state)
    return found[-1] if found else state[0] if state else None


def mapReduce(table: Any = MISSING, function: Any = MISSING, *state: Any) -> Table:
    return table_of(_folded([value for _key, value in pairs_of(table, "mapReduce")], function, state))


def mapReduceRight(table: Any = MISSING, function: Any = MISSING, *state: Any) -> Table:
    return table_of(_folded([value for _key, value in pairs_of(table, "mapReduceRight")][::-1], function, state))


def include(table: Any = MISSING, wanted: Any = None, *_: Any) -> bool:
    return any(map(test_of(wanted), (value for _key, value in pairs_of(table, "include"))))


def detect(table: Any = MISSING, wanted: Any = None, *_: Any) -> Any:
    test = test_of(wanted)
    return next((key for key, value in pairs_of(table, "detect") if test(value)), None)


def _has(value: Any, wanted: Table) -> bool:
    return is_table(value) and all(equal(rawget(value, key), one) for key, one in items(wanted))


def where(table: Any = MISSING, wanted: Any = MISSING, *_: Any) -> Table:
    return table_of(value for _key, value in pairs_of(table, "where") if _has(value, checked(wanted, 2, "where")))


def findWhere(table: Any = MISSING, wanted: Any = MISSING, *_: Any) -> Any:
    return next((value for _key, value in pairs_of(table, "findWhere") if _has(value, checked(wanted, 2, "findWhere"))), None)


def select(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
    return table_of(value for key, value in pairs_of(table, "select") if truth(called(function, key, value, *rest)))


def reject(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
    return table_of(value for key, value in pairs_of(table, "reject") if not truth(called(function, key, value, *rest)))


def all_(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> bool:
    return all(truth(called(function, key, value, *rest)) for key, value in pairs_of(table, "all"))


def pluck(table: Any = MISSING, name: Any = MISSING, *_: Any) -> Table:
    found = (rawget(value, name) for _key, value in pairs_of(table, "pluck") if is_table(value))
    return table_of(value for value in found if value is not None)


def extreme(name: str, isFirst: bool) -> Any:
    def extreme(table: Any = MISSING, transform: Any = None, *rest: Any) -> Any:
        values = [value for _key, value in pairs_of(table, name)]
        if transform.__class__ is str:
            values = [rawget(value, transform) for value in values]
        elif transform is not None:
            values = [called(transform, value, *rest) for value in values]
        found = None
        for value in values:
            if found is None or (lt(value, found) if isFirst else lt(found, value)):
                found = value
        return found

    return extreme


def same(a: Any = MISSING, b: Any = MISSING, *_: Any) -> bool:
    one, other = [v for _k, v in pairs_of(a, "same")], [v for _k, v in items(checked(b, 2, "same"))]
    return all(any(equal(x, y) for y in other) for x in one) and all(any(equal(x, y) for y in one) for x in other)


def sort(table: Any = MISSING, less: Any = None, *_: Any) -> Table:
    return replaced(table, sorted(values_of(table, "sort"), key=compared(less)))


def sortBy(table: Any = MISSING, transform: Any = None, less: Any = None, *_: Any) -> Table:
    order = compared(less)

    def key(value: Any) -> Any:
        if transform.__class__ is str:
            return order(rawget(value, transform))
        return order(value if transform is None else called(transform, value))

    return table_of(sorted(values_of(table, "sortBy"), key=key))


def groupBy(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
    groups: list[tuple[Any, list[Any]]] = []
    for key, value in pairs_of(table, "groupBy"):
        name = called(function, key, value, *rest)
        known = next((values for other, values in groups if eq(other, name)), None)
        if known is None:
            groups.append((name, [value]))
        else:
            known.append(value)
    return filled((name, table_of(values)) for name, values in groups)


def countBy(table: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
    return filled((name, float(len(listed(values)))) for name, values in items(groupBy(table, function, *rest)))


def size(*values: Any) -> float:
    return float(len(items(values[0]))) if values and is_table(values[0]) else float(len(values))


def containsKeys(table: Any = MISSING, other: Any = MISSING, *_: Any) -> bool:
    return all(rawget(checked(table, 1, "containsKeys"), key) is not None for key, _value in items(other))


def sameKeys(a: Any = MISSING, b: Any = MISSING, *_: Any) -> bool:
    return containsKeys(a, checked(b, 2, "sameKeys")) and containsKeys(b, a)


def clear(table: Any = MISSING, *_: Any) -> Any:
    for key, _value in pairs_of(table, "clear"):
        rawset(table, key, None)
    return table


FUNCTIONS: dict[str, Any] = {
    **{"each": each, "eachi": eachi, "at": at, "count": count, "countf": countf, "map": map_, "reduce": reduce},
    **{"reduceRight": reduceRight, "mapReduce": mapReduce, "mapReduceRight": mapReduceRight, "include": include},
    **{"detect": detect, "where": where, "findWhere": findWhere, "select": select, "reject": reject, "all": all_},
    **{"pluck": pluck, "max": extreme("max", False), "min": extreme("min", True), "same": same, "sort": sort},
    **{"sortBy": sortBy, "groupBy": groupBy, "countBy": countBy, "size": size, "containsKeys": containsKeys},
    **{"sameKeys": sameKeys, "clear": clear},
}
"""The functions by their names in Lua."""
