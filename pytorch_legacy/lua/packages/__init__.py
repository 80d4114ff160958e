"""Packages that scripts require: each module has a function ``library(state)``, which returns the package's table.

A module belongs in `PACKAGES`. Functions of it that reach files, processes or the environment go through `State.outside`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..language.errors import register
from ..language.table import Table, rawset
from . import (
    cjson,
    csvigo,
    cunn,
    cutorch,
    display,
    env,
    gnuplot,
    hdf5,
    image,
    lfs,
    luaunit,
    moses,
    nninit,
    optnet,
    paths,
    pl,
    qt,
    stn,
    sys,
    tds,
    threads,
    totem,
    trepl,
    xlua,
)
from .stubs import stub

if TYPE_CHECKING:
    from ..language.state import State

PACKAGES: dict[str, Callable[[State], Table]] = {
    "cjson": cjson.library,
    "cjson.safe": cjson.safe_library,
    "csvigo": csvigo.library,
    "cunn": cunn.library,
    "cutorch": cutorch.library,
    "display": display.library,
    "dok": xlua.dok,
    "env": env.library,
    "gnuplot": gnuplot.library,
    "hdf5": hdf5.library,
    "image": image.library,
    "lfs": lfs.library,
    "luaunit": luaunit.library,
    "moses": moses.library,
    "nninit": nninit.library,
    "optnet": optnet.library,
    "paths": paths.library,
    **pl.PACKAGES,
    **dict.fromkeys(("qt", "qtcore", "qtgui", "qttorch", "qtuiloader", "qtwidget"), qt.library),
    "spy": stn.spy,
    "stn": stn.library,
    "sys": sys.library,
    "tds": tds.library,
    "threads": threads.library,
    "totem": totem.library,
    "trepl": trepl.library,
    "trepl.colorize": trepl.colorize,
    "xlua": xlua.library,
}
"""The functions that open packages, by the names that ``require`` takes."""


def _extend_torch(state: State, table: Table) -> None:
    paths.extend_torch(state, table)
    totem.extend_torch(state, table)


EXTENSIONS: dict[str, Callable[[State, Table], Any]] = {
    "cudnn": cunn.extend_cudnn,
    "optim": lambda state, _: state.require("xlua"),
    "torch": _extend_torch,
}
"""Functions that add to torch and the packages of classes when they are opened."""

GLOBALS = frozenset({
    "csvigo",
    "cutorch",
    "dok",
    "gnuplot",
    "hdf5",
    "image",
    "lfs",
    "paths",
    "pl",
    "qt",
    "qtuiloader",
    "qtwidget",
    "sys",
    "totem",
    "xlua",
})  # fmt: skip
"""Packages whose table becomes a global when they are opened. Others are only what ``require`` returns."""


def add_packages(state: State) -> None:
    """``require`` finds the packages. Those of classes are there before."""
    for name, library in PACKAGES.items():
        state.globals.package.preload.__dict__[name] = _opener(state, name, library)
    for name, extend in EXTENSIONS.items():
        preload = state.globals.package.preload.__dict__
        preload[name] = _extended(state, preload[name], extend)


def add_stubs(state: State, names: Sequence[str]) -> None:
    """``require`` finds packages that stand in for others, and for what is in them: each field, and the result of each call, is
    the package itself."""
    if not names:
        return
    for name in names:
        state.globals.package.preload.__dict__[name] = _stub_opener(state, name)
    loaders = state.globals.package.loaders

    def from_stub(name: str) -> Any:
        parent = name.rpartition(".")[0]
        while parent and parent not in names:
            parent = parent.rpartition(".")[0]
        return (lambda *_: state.require(parent)) if parent else ""

    rawset(loaders, float(len(loaders) + 1), from_stub)


def _stub_opener(state: State, name: str) -> Any:
    def open_stub(*_: Any) -> Table:
        found = stub()
        state.globals.__dict__[name] = found
        return found

    return open_stub


def _extended(state: State, opener: Any, extend: Callable[[State, Table], Any]) -> Any:
    def open_package(*arguments: Any) -> Any:
        table = opener(*arguments)
        before = dict(table.__dict__)
        extend(state, table)
        register({name: one for name, one in table.__dict__.items() if name not in before})
        return table

    return open_package


def _opener(state: State, name: str, library: Callable[[State], Table]) -> Any:
    def open_package(*_: Any) -> Table:
        table = library(state)
        register(table.__dict__)
        if name in GLOBALS:
            state.globals.__dict__[name] = table
        return table

    return open_package
