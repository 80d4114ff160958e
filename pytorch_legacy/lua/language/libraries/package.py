"""``require``, ``module`` and the library ``package``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..arguments import CALLBACK, MISSING, string
from ..arguments import table as table_of
from ..errors import CHUNK, LuaError, chunk_of, frame_at, raise_error
from ..lexer import LuaSyntaxError
from ..table import TABLES, Table, Userdata, first, metamethod, rawget, rawset, sequence, set_metatable

if TYPE_CHECKING:
    from ..state import State


def _loaders(state: State, package: Table) -> Table:
    """Returns the functions that find the function of a package."""

    def from_preload(name: Any = MISSING, *_: Any) -> Any:
        found = rawget(package.preload, string(name, 1, "require"))
        return f"\n\tno field package.preload['{name}']" if found is None else found

    def from_path(name: Any = MISSING, *_: Any) -> Any:
        path, tried = package.path, ""
        if path.__class__ is not str:
            raise_error("'package.path' must be a string")
        for form in path.split(";"):
            file = form.replace("?", string(name, 1, "require").replace(".", os.sep))
            if not state.can_read(file):
                tried += f"\n\tno file '{file}'"
                continue
            return _loaded(state, name, file)
        return tried

    def from_library(*_: Any) -> str:
        return ""  # there are no libraries of C

    return sequence(from_preload, from_path, from_library, from_library)


def _beside(state: State, name: str) -> str | None:
    """Returns the file of a package that is named relative to the file that calls ``require``, None if there is none.

    The console ``th`` takes names such as ``./layers`` and ``../layers`` so.
    """
    frame = frame_at(1)
    chunk = None if frame is None else chunk_of(frame)
    folder = os.path.dirname(chunk.source[1:]) if chunk is not None and chunk.source.startswith("@") else ""
    for end in (".lua", "", "/init.lua"):
        file = os.path.normpath(os.path.join(folder, name + end))
        if state.can_read(file):
            return file
    return None


def _loaded(state: State, name: str, file: str) -> Any:
    """Returns the function of a package's file."""
    try:
        return state.load(state.read_file(file), f"@{file}")
    except (LuaSyntaxError, OSError) as problem:
        raise_error(f"error loading module '{name}' from file '{file}':\n\t{problem}")


def _searched(package: Table, name: str) -> Any:
    """Returns the function that loads a package."""
    loaders = package.loaders
    if loaders.__class__ not in TABLES:
        raise_error("'package.loaders' must be a table")
    messages, i = "", 1
    while (loader := rawget(loaders, i)) is not None:
        with CALLBACK:
            found = first(loader(name))
        if callable(found):
            return found
        messages += found if found.__class__ is str else ""
        i += 1
    known = ", ".join(sorted(name for name, one in package.preload.__dict__.items() if one is not None))
    raise_error(
        f"module '{name}' not found:{messages}"
        + (f"\n\tknown packages: {known} (--stub NAME or Session(stubs=[NAME]) stands in for another)" if known else "")
    )


def _modules(state: State) -> dict[str, Any]:
    loaded = state.loaded

    def module(name: Any = MISSING, *options: Any) -> tuple[()]:
        name = string(name, 1, "module")
        table = rawget(loaded, name)
        if table.__class__ not in TABLES:
            table = _found_table(state.globals, name)
            rawset(loaded, name, table)
        if rawget(table, "_NAME") is None:
            rawset(table, "_M", table)
            rawset(table, "_NAME", name)
            rawset(table, "_PACKAGE", name[: name.rfind(".") + 1])
        frame = frame_at(1)
        if frame is None or CHUNK not in frame.f_globals:
            raise_error("'module' not called from a Lua function")
        frame.f_globals["G"] = table
        for option in options:
            option(table)
        return ()

    def seeall(table: Any = MISSING, *_: Any) -> tuple[()]:
        table_of(table, 1, "seeall")
        if metamethod(table, "__index") is None:
            metatable = state.metatable(table) or Table()
            rawset(metatable, "__index", state.globals)
            set_metatable(table, metatable)
        return ()

    return {"module": module, "seeall": seeall}


def loadlib(*_: Any) -> Any:
    return None, "dynamic libraries not enabled; no support for target OS", "absent"


def library(state: State) -> dict[str, Any]:
    """Returns the functions of the library, and ``require`` and ``module``."""
    package, loaded, loading = Table(), state.loaded, Userdata()

    def require(name: Any = MISSING, *_: Any) -> Any:
        name = string(name, 1, "require")
        file = _beside(state, name) if name.startswith(("./", "../")) else None
        name = file or name
        if (found := rawget(loaded, name)) is not None and found is not False:
            if found is loading:
                raise_error(f"loop or previous error loading module '{name}'")
            return found
        loader = _loaded(state, name, file) if file else _searched(package, name)
        rawset(loaded, name, loading)
        try:
            with CALLBACK:
                found = first(loader(name))
        except BaseException:
            rawset(loaded, name, None)
            raise
        if found is not None:
            rawset(loaded, name, found)
        elif rawget(loaded, name) is loading:
            rawset(loaded, name, True)
        return rawget(loaded, name)

    modules = _modules(state)
    functions = {"seeall": modules["seeall"], "loadlib": loadlib, "loaders": _loaders(state, package), "loaded": loaded}
    functions |= {"preload": Table(), "path": "./?.lua;./?/init.lua", "cpath": "", "config": "/\n;\n?\n!\n-\n"}
    package.__dict__.update(functions)
    return {"package": package, "require": require, "module": modules["module"]}


def _found_table(table: Table, name: str) -> Table:
    """Returns the table ``a.b`` of the globals, which is made if there is none."""
    for part in name.split("."):
        inner = rawget(table, part)
        if inner is None:
            inner = Table()
            rawset(table, part, inner)
        elif inner.__class__ not in TABLES:
            raise LuaError(f"name conflict for module '{name}'")
        table = inner
    return table
