"""Lua's tables in fields of modules: they are copied, converted and saved with the module, as what is in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy.arrays import tree

from ..language.table import TABLES, Table, key_of, keys, rawget, rawset, set_metatable
from ..tensors import Tensor, wrap
from .border import Object, decoded
from .homes import content


def _new(table: Any) -> Any:
    made = Table()
    if table.__class__ is not Table:
        set_metatable(made, table._metatable)
    return made


def _python(value: Any) -> Any:
    """Returns an entry as walks over fields know it: an array, an object, or a value of Lua that they leave as it is."""
    if isinstance(value, Tensor):
        return value.array
    return value.python if isinstance(value, Object) else value


def _entries(table: Any) -> list[tuple[Any, Any]]:
    found = ((key, rawget(table, key)) for key in map(key_of, keys(table)))
    return [(_python(key), _python(value)) for key, value in found if value is not None]


def _fill(new: Any, pairs: list[tuple[Any, Any]], old: Any) -> None:
    found = [(key, value) for key in map(key_of, keys(old)) if (value := rawget(old, key)) is not None]
    for (key, value), (newKey, newValue) in zip(found, pairs, strict=True):
        if newKey is None:
            return  # the walk only looks at the leaves
        rawset(new, _lua(key, newKey), _lua(value, newValue))


def _lua(old: Any, new: Any) -> Any:
    """Returns a new entry as Lua has it, in the place of an old one."""
    if isinstance(old, Tensor) and isinstance(new, np.ndarray):
        border = getattr(old.types, "border", None)
        return wrap(old.types, new) if border is None else border.tensor(new)
    if isinstance(old, Object) and new is not None:
        return old.border.object(new)
    return new


def _plain(table: Any) -> Any:
    found = content(table)
    if isinstance(found, list):
        return [_value(one) for one in found]
    return {_value(key): _value(one) for key, one in found.items()}


def _value(value: Any) -> Any:
    if value.__class__ is float and value.is_integer():
        return int(value)
    return decoded(value) if value.__class__ is str else _python(value)


for _kind in TABLES:
    tree.register(_kind, tree.Kind(_new, _entries, _fill, _plain))
