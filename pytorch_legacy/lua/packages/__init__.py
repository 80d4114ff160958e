"""Packages that scripts require: each module has a function ``library(state)``, which returns the package's table.

A module belongs in `PACKAGES`. Functions of it that reach files, processes or the environment belong in `access.OUTSIDE`, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..language.errors import register
from ..language.table import Table
from . import (
    cjson,
    env,
    lfs,
    luaunit,
    moses,
    paths,
    pl,
    sys,
    tds,
    threads,
    totem,
    trepl,
    xlua,
)

if TYPE_CHECKING:
    from ..language.state import State

PACKAGES: dict[str, Callable[[State], Table]] = {
    "cjson": cjson.library,
    "cjson.safe": cjson.safe_library,
    "env": env.library,
    "lfs": lfs.library,
    "luaunit": luaunit.library,
    "moses": moses.library,
    "paths": paths.library,
    **pl.PACKAGES,
    "sys": sys.library,
    "tds": tds.library,
    "threads": threads.library,
    "totem": totem.library,
    "trepl": trepl.library,
    "trepl.colorize": trepl.colorize,
    "xlua": xlua.library,
}
"""The functions that open packages, by the names that ``require`` takes."""

GLOBALS = frozenset({
    "lfs",
    "paths",
    "pl",
    "sys",
    "totem",
    "xlua",
})  # fmt: skip
"""Packages whose table becomes a global when they are opened. Others are only what ``require`` returns."""


def add_packages(state: State) -> None:
    """``require`` finds the packages."""
    for name, library in PACKAGES.items():
        state.globals.package.preload.__dict__[name] = _opener(state, name, library)


def _opener(state: State, name: str, library: Callable[[State], Table]) -> Any:
    def open_package(*_: Any) -> Table:
        table = library(state)
        register(table.__dict__)
        if name in GLOBALS:
            state.globals.__dict__[name] = table
        return table

    return open_package
