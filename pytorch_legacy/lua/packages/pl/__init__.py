"""Penlight: the parts of it that scripts use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...language.table import Table, fields, index, rawget, rawset
from ..values import is_table, with_metatable
from . import classes, files, functions, lapp, pretty, stringx, tablex, utils

if TYPE_CHECKING:
    from ...language.state import State

MODULES: dict[str, Callable[[State], Table]] = {
    "List": classes.list_library,
    "Map": classes.map_library,
    "OrderedMap": classes.ordered_map_library,
    "Set": classes.set_library,
    "class": classes.class_library,
    "dir": files.dir_library,
    "file": files.file_library,
    "lapp": lapp.library,
    "operator": functions.operator_library,
    "path": files.path_library,
    "pretty": pretty.library,
    "seq": classes.seq_library,
    "stringx": stringx.library,
    "tablex": tablex.library,
    "types": utils.types_library,
    "utils": utils.library,
}
"""The modules of ``pl``, by their names in it."""


def _lazy(state: State) -> Table:
    """Returns a table whose fields are the modules, which are opened when they are read."""

    def module(table: Any, name: Any = None, *_: Any) -> Any:
        if name not in MODULES:
            return None
        found = state.require(f"pl.{name}")
        rawset(table, name, found)
        return found

    return with_metatable(Table(), __index=module)


def library(state: State) -> Table:
    """Returns ``pl``. Its modules become globals where there is none of the name."""
    table = _lazy(state)
    for name in MODULES:
        module = index(table, name)
        if rawget(state.globals, name) is None:
            rawset(state.globals, name, module)
    return table


def import_into(state: State) -> Table:
    """Returns ``pl.import_into``: called, it returns ``pl``, or puts the modules into a table."""

    def call(_: Any, target: Any = None, *_rest: Any) -> Table:
        table = _lazy(state)
        if is_table(target):
            for name in MODULES:
                rawset(target, name, index(table, name))
            return target  # type: ignore[no-any-return]
        return table

    return with_metatable(fields(), __call=call)


PACKAGES: dict[str, Callable[[State], Table]] = {
    "pl": library,
    "pl.import_into": import_into,
    **{f"pl.{name}": one for name, one in MODULES.items()},
}
"""The functions that open packages, by the names that ``require`` takes."""
