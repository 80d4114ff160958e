"""Functions of ``moses`` for the fields of tables, and tests of values."""

from __future__ import annotations

from typing import Any

from ...language.arguments import MISSING
from ...language.arguments import table as checked
from ...language.errors import type_name
from ...language.operators import add, eq
from ...language.table import Table, rawget, rawset, set_metatable
from ..values import filled, is_table, items, listed, table_of, truth
from .helpers import equal, flat, pairs_of, values_of


def keys(table: Any = MISSING, *_: Any) -> Table:
    return table_of(key for key, _value in pairs_of(table, "keys"))


def values_(table: Any = MISSING, *_: Any) -> Table:
    return table_of(value for _key, value in pairs_of(table, "values"))


def extend(table: Any = MISSING, *others: Any) -> Any:
    for other in others:
        for key, value in items(checked(other, 2, "extend")):
            rawset(checked(table, 1, "extend"), key, value)
    return table


def functions_(table: Any = MISSING, *_: Any) -> Table:
    return table_of(sorted(key for key, value in pairs_of(table, "functions") if type_name(value) == "function"))


def clone(table: Any = MISSING, isShallow: Any = None, *_: Any) -> Any:
    if not is_table(table):
        return table
    found = filled((k, v if truth(isShallow) else clone(v)) for k, v in items(table))
    if table.__class__ is not Table:
        set_metatable(found, table._metatable)
    return found


def _names(keys: tuple[Any, ...]) -> list[Any]:
    return flat(list(keys), False)


def pick(table: Any = MISSING, *keys: Any) -> Table:
    return filled((k, rawget(checked(table, 1, "pick"), k)) for k in _names(keys) if rawget(table, k) is not None)


def omit(table: Any = MISSING, *keys: Any) -> Table:
    left = _names(keys)
    return filled((k, v) for k, v in pairs_of(table, "omit") if not any(eq(k, one) for one in left))


def template(table: Any = MISSING, defaults: Any = None, *_: Any) -> Any:
    for key, value in items(defaults) if is_table(defaults) else []:
        if rawget(checked(table, 1, "template"), key) is None:
            rawset(table, key, value)
    return table


def isEqual(a: Any = None, b: Any = None, *_: Any) -> bool:
    return equal(a, b)


def isEmpty(value: Any = None, *_: Any) -> bool:
    return value is None or value == "" or (is_table(value) and not items(value))


def isArray(value: Any = None, *_: Any) -> bool:
    return is_table(value) and len(listed(value)) == len(items(value))


def isFinite(value: Any = None, *_: Any) -> bool:
    return value.__class__ is float and value - value == 0


def isNaN(value: Any = None, *_: Any) -> bool:
    return bool(value.__class__ is float and value != value)


def isInteger(value: Any = None, *_: Any) -> bool:
    return value.__class__ is float and value.is_integer()


def isCallable(value: Any = None, *_: Any) -> bool:
    return callable(value) and (
        not is_table(value) or rawget(getattr(value, "_metatable", None) or Table(), "__call") is not None
    )


def is_kind(kind: str) -> Any:
    def test(value: Any = None, *_: Any) -> bool:
        return type_name(value) == kind

    return test


def sum_(array: Any = MISSING, *_: Any) -> Any:
    found: Any = 0.0
    for value in values_of(array, "sum"):
        found = add(found, value)
    return found


FUNCTIONS: dict[str, Any] = {
    **{"sum": sum_, "keys": keys, "values": values_, "extend": extend, "functions": functions_, "clone": clone},
    **{"pick": pick, "omit": omit, "template": template, "isEqual": isEqual, "isEmpty": isEmpty, "isArray": isArray},
    **{"isFinite": isFinite, "isNaN": isNaN, "isInteger": isInteger, "isCallable": isCallable},
    **{"isTable": is_kind("table"), "isString": is_kind("string"), "isFunction": is_kind("function")},
    **{"isNil": is_kind("nil"), "isNumber": is_kind("number"), "isBoolean": is_kind("boolean")},
}
"""The functions by their names in Lua."""
