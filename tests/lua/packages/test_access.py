"""The list of functions that reach files and processes."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua.language.table import Table
from pytorch_legacy.lua.packages import PACKAGES, access


@pytest.mark.parametrize("name", access.OUTSIDE)
def test_listed_functions_exist(name: str) -> None:
    session = pl.lua.Session(requires=[name])
    table = session.execute(f"return require '{name}'")
    for function in access.OUTSIDE[name]:
        assert function in table, function


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


@pytest.mark.parametrize("name", sorted({library.__module__ for library in PACKAGES.values()}))
def test_modules_that_use_files_list_functions(name: str) -> None:
    """A module that imports what reaches out has an entry."""
    module = import_module(name)
    imported = set()
    for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text())):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
    package = next(key for key, library in PACKAGES.items() if library.__module__ == name)
    if imported & {"os", "subprocess", "tempfile", "shutil", "pathlib"}:
        assert access.OUTSIDE.get(package), package
