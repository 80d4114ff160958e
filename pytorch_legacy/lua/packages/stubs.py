"""Empty packages, which stand in for those that a program requires and does not need."""

from __future__ import annotations

from typing import Any

from ..language.table import Table, fields, set_metatable


def _itself(stub: Any, *_: Any) -> Any:
    return stub


def stub(**values: Any) -> Table:
    """Returns a table of these values. Each other field, and the result of each call, is the table itself."""
    table = fields(**values)
    set_metatable(table, fields(__index=_itself, __call=_itself))
    return table
