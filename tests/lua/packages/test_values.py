"""Values of the packages of scripts."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua.language.table import Table
from pytorch_legacy.lua.packages import PACKAGES


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_are_tables_of_values_of_lua(name: str) -> None:
    """No value that a table leads to is an object of Python that Lua does not know."""
    table = pl.lua.Session().execute(f"return require '{name}'")._table
    seen: set[int] = set()

    def visit(value: Any) -> None:
        if id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, Table):
            for one in [*dict.values(value), *value.__dict__.values()]:
                visit(one)
            if value.__class__ is not Table:
                visit(value._metatable)
            return
        kinds = (str, float, bool, FunctionType, type(None), pl.lua.language.table.Userdata)
        assert isinstance(value, kinds) or type(value).__name__ in ("File", "Console"), value

    visit(table)
