"""The package ``env``: ``print`` shows what is in tables, as in Torch7's console ``th``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..language.table import Table, fields, first
from ..tensors import Storage, Tensor
from ..tensors.values import shape_of
from .values import is_table, items

if TYPE_CHECKING:
    from ..language.state import State

_DEEPEST = 5  # tables within each other that are shown


def _lines(state: State, table: Table, indent: str, depth: int) -> list[str]:
    """Returns the lines of a table."""
    rows = [indent + "{"]
    for key, value in items(table):
        head = f"{indent}  {first(state.tostring(key))} : "
        if not _isPlain(state, value):
            rows.append(head + _entry(state, value))
        elif depth >= _DEEPEST or not items(value):
            rows.append(head + "{...}")
        else:
            rows += [head, *_lines(state, value, indent + "    ", depth + 1)]
    return [*rows, indent + "}"]


def _entry(state: State, value: Any) -> str:
    """Returns an entry of a table as it prints there: type and sizes of a tensor or storage."""
    if value.__class__ is str:
        return f'"{value}"'
    if not isinstance(value, (Tensor, Storage)):
        return str(first(state.tostring(value)))
    shape = shape_of(value) if isinstance(value, Tensor) else value.vector.shape
    sizes = "x".join(map(str, shape))
    return f"{value.name.removeprefix('torch.')} - {f'size: {sizes}' if shape else 'empty'}"


def _isPlain(state: State, value: Any) -> bool:
    """Returns whether a value is a table that does not say itself how it prints."""
    if not is_table(value):
        return False
    metatable = state.metatable(value)
    return metatable is None or metatable.__dict__.get("__tostring") is None


def shown(state: State, value: Any) -> str:
    """Returns a value as it prints."""
    if _isPlain(state, value):
        return "\n".join(_lines(state, value, "", 0))
    return str(first(state.tostring(value)))


def library(state: State) -> Table:
    """Returns the package's table, and gives the globals another ``print``."""

    def print_(*values: Any) -> tuple[()]:
        parts = []
        for i, value in enumerate(values):
            end = "\n" if _isPlain(state, value) or i == len(values) - 1 else "\t"
            parts.append(shown(state, value) + end)
        state.write("".join(parts) or "\n")
        return ()

    state.globals.__dict__["print"] = print_
    return fields(print=print_)
