"""The package ``moses``: functions of tables and of functions, as of its version 1.4.

Functions of scripts get the key first, then the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...language.arguments import MISSING
from ...language.arguments import table as checked
from ...language.table import Table, fields
from ..values import called, filled, items, listed, table_of
from . import arrays, functions, objects, tables

if TYPE_CHECKING:
    from ...language.state import State

ALIASES = {
    **{"forEach": "each", "forEachi": "eachi", "collect": "map", "inject": "reduce", "foldl": "reduce"},
    **{"injectr": "reduceRight", "foldr": "reduceRight", "mapr": "mapReduce", "maprr": "mapReduceRight"},
    **{"any": "include", "some": "include", "contains": "include", "filter": "select", "every": "all"},
    **{"indexOf": "find", "takeWhile": "selectWhile", "rejectWhile": "dropWhile", "shift": "pop", "remove": "pull"},
    **{"rmRange": "removeRange", "chop": "removeRange", "sub": "slice", "head": "first", "take": "first"},
    **{"skip": "last", "tail": "rest", "without": "difference", "diff": "difference", "symdiff": "symmetricDifference"},
    **{"xor": "symmetricDifference", "uniq": "unique", "isuniq": "isunique", "transpose": "zip", "perm": "permutation"},
    **{"mirror": "invert", "join": "concat", "cache": "memoize", "juxt": "juxtapose", "bindn": "bind"},
    **{"methods": "functions", "choose": "pick", "drop": "omit", "defaults": "template", "compare": "isEqual"},
    **{"matches": "isEqual"},
}
"""Other names of functions."""


def _random(state: State) -> dict[str, Any]:
    """Returns the functions that draw by ``math.random``."""

    def draw(n: int) -> int:
        return int(called(state.globals.math.random, float(n)))

    def shuffle(array: Any = MISSING, seed: Any = None, *_: Any) -> Table:
        if seed is not None:
            called(state.globals.math.randomseed, seed)
        found: list[Any] = []
        for i, value in enumerate(listed(checked(array, 1, "shuffle"))):
            place = draw(i + 1) - 1
            found.append(value)
            found[i], found[place] = found[place], value
        return table_of(found)

    def sample(array: Any = MISSING, n: Any = 1.0, seed: Any = None, *_: Any) -> Any:
        found = listed(shuffle(array, seed))[: int(n)]
        return found[0] if n == 1.0 and found else table_of(found)

    return {"shuffle": shuffle, "sample": sample}


def _counting(state: State) -> dict[str, Any]:
    """Returns the functions that look up methods, and count."""
    count = 0.0

    def uniqueId(form: Any = None, *_: Any) -> Any:
        nonlocal count
        count += 1.0
        if form is None:
            return count
        return called(state.globals.string.format, form, count) if form.__class__ is str else called(form, count)

    def invoke(table: Any = MISSING, method: Any = MISSING, *rest: Any) -> Table:
        def one(value: Any) -> Any:
            return called(state.index(value, method) if method.__class__ is str else method, value, *rest)

        return filled((key, one(value)) for key, value in items(checked(table, 1, "invoke")))

    def bindAll(table: Any = MISSING, *names: Any) -> Any:
        for name in names:
            state.setindex(table, name, functions.bind(state.index(table, name), table))
        return table

    def result(table: Any = MISSING, method: Any = MISSING, *rest: Any) -> Any:
        found = state.index(table, method) if method.__class__ is str else method
        return called(found, table, *rest) if callable(found) else found

    return {"uniqueId": uniqueId, "uid": uniqueId, "invoke": invoke, "bindAll": bindAll, "result": result}


def noop(*_: Any) -> tuple[()]:
    return ()


def library(state: State) -> Table:
    """Returns the package's table."""
    made = {**tables.FUNCTIONS, **arrays.FUNCTIONS, **functions.FUNCTIONS, **objects.FUNCTIONS}
    made |= {**_random(state), **_counting(state), "noop": noop}
    return fields(**made, **{alias: made[name] for alias, name in ALIASES.items()})
