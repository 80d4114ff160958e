"""``pl.path``, ``pl.dir`` and ``pl.file``: names of files, folders, and files in one go."""

from __future__ import annotations

import fnmatch
import os
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...language.arguments import MISSING, string
from ...language.libraries.files import decoded, encoded
from ...language.libraries.os import tmpname
from ...language.table import Table, fields, set_metatable
from ..values import listed as values_of
from ..values import table_of
from .utils import readfile, readlines, writefile

if TYPE_CHECKING:
    from ...language.state import State


def _guarded(name: str, act: Callable[..., object]) -> Any:
    """Returns a function that returns true, or nil and a message."""

    def guarded(path: Any = MISSING, *rest: Any) -> Any:
        path = string(path, 1, name)
        others = [encoded(string(one, i, name)) for i, one in enumerate(rest[:1], 2) if one.__class__ is str]
        try:
            act(encoded(path), *others)
        except OSError as problem:
            return None, f"{path}: {problem.strerror}"
        return True

    return guarded


def _test(name: str, test: Callable[[bytes], bool]) -> Any:
    def tested(path: Any = MISSING, *_: Any) -> bool:
        return test(encoded(string(path, 1, name)))

    return tested


def _of_text(name: str, compute: Callable[[str], Any]) -> Any:
    def computed(path: Any = MISSING, *_: Any) -> Any:
        return compute(string(path, 1, name))

    return computed


def _number(name: str, read: Callable[[bytes], float]) -> Any:
    def number(path: Any = MISSING, *_: Any) -> Any:
        path = string(path, 1, name)
        try:
            return float(read(encoded(path)))
        except OSError as problem:
            return None, f"{path}: {problem.strerror}"

    return number


def _split(path: str) -> tuple[str, str]:
    folder, slash, name = path.rpartition("/")
    return (folder, name) if slash else ("", path)


def _split_end(path: str) -> tuple[str, str]:
    _stem, dot, end = _split(path)[1].rpartition(".")
    return (path[: len(path) - len(end) - 1], f".{end}") if dot else (path, "")


def join(*names: Any) -> str:
    found = string(names[0] if names else MISSING, 1, "join")
    for i, name in enumerate(names[1:], 2):
        name = string(name, i, "join")
        found = name if name.startswith("/") else found + ("" if not found or found.endswith("/") else "/") + name
    return found


def exists(path: Any = MISSING, *_: Any) -> Any:
    path = string(path, 1, "exists")
    return path if os.path.exists(encoded(path)) else None


def abspath(path: Any = MISSING, folder: Any = None, *_: Any) -> str:
    path = string(path, 1, "abspath").rstrip("/") or "/"
    return os.path.normpath(join(decoded(os.fsencode(os.getcwd())) if folder is None else folder, path))


def relpath(path: Any = MISSING, start: Any = None, *_: Any) -> str:
    return os.path.relpath(string(path, 1, "relpath"), None if start is None else string(start, 2, "relpath"))


def path_library(state: State) -> Table:
    """Returns ``pl.path``."""
    made = {"join": join, "exists": exists, "abspath": abspath, "relpath": relpath, "tmpname": tmpname}
    made |= {
        "isdir": _test("isdir", os.path.isdir),
        "isfile": _test("isfile", os.path.isfile),
        "rmdir": _guarded("rmdir", os.rmdir),
    }
    made |= {
        "mkdir": _guarded("mkdir", os.mkdir),
        "chdir": _guarded("chdir", os.chdir),
        "islink": _test("islink", os.path.islink),
    }
    made |= {"splitpath": _of_text("splitpath", _split), "splitext": _of_text("splitext", _split_end)}
    made |= {
        "dirname": _of_text("dirname", lambda path: _split(path)[0]),
        "isabs": _of_text("isabs", lambda path: path[:1] == "/"),
    }
    made |= {"basename": _of_text("basename", lambda path: _split(path)[1]), "normpath": _of_text("normpath", os.path.normpath)}
    made |= {"extension": _of_text("extension", lambda path: _split_end(path)[1]), "normcase": _of_text("normcase", str)}
    made |= {"expanduser": _of_text("expanduser", os.path.expanduser), "getsize": _number("getsize", os.path.getsize)}
    made |= {"getmtime": _number("getmtime", os.path.getmtime), "getatime": _number("getatime", os.path.getatime)}
    made["currentdir"] = lambda *_: decoded(os.fsencode(os.getcwd()))
    return fields(**made, sep="/", dirsep=":", is_windows=False)


def _walk(folder: str) -> list[tuple[str, list[str], list[str]]]:
    found = os.walk(encoded(folder))
    return [(decoded(root), sorted(map(decoded, folders)), sorted(map(decoded, names))) for root, folders, names in found]


def dir_library(state: State) -> Table:
    """Returns ``pl.dir``."""

    def as_list(values: list[Any]) -> Table:
        table = table_of(values)
        set_metatable(table, state.require("pl.List"))
        return table

    def listing(name: str, test: Callable[[bytes], bool]) -> Any:
        def listed(folder: Any = None, mask: Any = None, *_: Any) -> Any:
            folder = "." if folder is None else string(folder, 1, name)
            try:
                names = sorted(map(decoded, os.listdir(encoded(folder))))
            except OSError as problem:
                return None, f"{folder}: {problem.strerror}"
            form = "*" if mask is None else string(mask, 2, name)
            paths = [join(folder, one) for one in names if fnmatch.fnmatchcase(one, form)]
            return as_list([path for path in paths if test(encoded(path))])

        return listed

    def getallfiles(folder: Any = None, mask: Any = None, *_: Any) -> Table:
        form = "*" if mask is None else string(mask, 2, "getallfiles")
        rows = _walk("." if folder is None else string(folder, 1, "getallfiles"))
        return as_list([join(root, name) for root, _folders, names in rows for name in names if fnmatch.fnmatchcase(name, form)])

    def walk(folder: Any = MISSING, *_: Any) -> Any:
        rest = iter([(root, as_list(folders), as_list(names)) for root, folders, names in _walk(string(folder, 1, "walk"))])
        return lambda *_: next(rest, None)

    def dirtree(folder: Any = MISSING, *_: Any) -> Any:
        rows = _walk(string(folder, 1, "dirtree"))
        paths = [(join(root, one), one in folders) for root, folders, names in rows for one in [*folders, *names]]
        rest = iter(paths)
        return lambda *_: next(rest, None)

    def matches(name: Any = MISSING, mask: Any = MISSING, *_: Any) -> bool:
        return fnmatch.fnmatchcase(string(name, 1, "fnmatch"), string(mask, 2, "fnmatch"))

    def filter_(names: Any = MISSING, mask: Any = MISSING, *_: Any) -> Table:
        return as_list([one for one in values_of(names) if fnmatch.fnmatchcase(one, string(mask, 2, "filter"))])

    made = {"getfiles": listing("getfiles", os.path.isfile), "getdirectories": listing("getdirectories", os.path.isdir)}
    made |= {"getallfiles": getallfiles, "walk": walk, "dirtree": dirtree, "fnmatch": matches, "filter": filter_}
    made |= {"makepath": _guarded("makepath", lambda path: os.makedirs(path, exist_ok=True))}
    made |= {"rmtree": _guarded("rmtree", shutil.rmtree), "copyfile": _guarded("copyfile", shutil.copyfile)}
    return fields(**made, movefile=_guarded("movefile", os.replace))


def file_library(state: State) -> Table:
    """Returns ``pl.file``."""
    made = {"read": readfile, "write": writefile, "readlines": readlines, "delete": _guarded("delete", os.remove)}
    made |= {"copy": _guarded("copy", shutil.copyfile), "move": _guarded("move", os.replace)}
    made |= {"modified_time": _number("modified_time", os.path.getmtime), "access_time": _number("access_time", os.path.getatime)}
    return fields(**made)
