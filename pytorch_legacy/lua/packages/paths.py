"""The package ``paths``: names of files and folders, and what is in folders."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, string
from ..language.errors import chunk_of, frame_at, raise_error
from ..language.libraries.files import decoded, encoded
from ..language.libraries.os import failure, getenv, remove
from ..language.libraries.string import find
from ..language.table import Table, fields
from .values import called, table_of, truth

if TYPE_CHECKING:
    from ..language.state import State


def _split(name: str) -> int:
    """Returns the place of the last slash with a name behind it, or -1."""
    return name.rstrip("/").rfind("/")


def dirname(name: Any = MISSING, *_: Any) -> str:
    name = string(name, 1, "dirname")
    place = _split(name)
    if place < 0:
        return name if name.startswith("/") else "."
    return name[: max(place, 1)]


def basename(name: Any = MISSING, suffix: Any = None, *_: Any) -> str:
    name = string(name, 1, "basename")
    found = name[_split(name) + 1 :].partition("/")[0]
    if suffix is not None:
        end = "." + string(suffix, 2, "basename").removeprefix(".")
        if end != "." and found.endswith(end):
            found = found[: -len(end)]
    return found


def extname(name: Any = MISSING, *_: Any) -> Any:
    _start, dot, end = string(name, 1, "extname").rpartition(".")
    return end if dot else ()


def cwd(*_: Any) -> str:
    return decoded(os.fsencode(os.getcwd()))


def _joined(folder: str, name: str) -> str:
    parts = [] if name.startswith("/") else [part for part in folder.split("/") if part]
    for part in name.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def concat(*names: Any) -> str:
    found = cwd()
    for i, name in enumerate(names, 1):
        found = _joined(found, string(name, i, "concat"))
    return found


def filep(name: Any = MISSING, *_: Any) -> bool:
    path = encoded(string(name, 1, "filep"))
    return os.path.exists(path) and not os.path.isdir(path)


def dirp(name: Any = MISSING, *_: Any) -> bool:
    return os.path.isdir(encoded(string(name, 1, "dirp")))


def mkdir(name: Any = MISSING, *_: Any) -> Any:
    path = string(name, 1, "mkdir")
    try:
        os.makedirs(encoded(dirname(path)), exist_ok=True)
        os.mkdir(encoded(path))
    except OSError as problem:
        return failure(problem, path)
    return True


def rmdir(name: Any = MISSING, *_: Any) -> Any:
    path = string(name, 1, "rmdir")
    try:
        os.rmdir(encoded(path))
    except OSError as problem:
        return failure(problem, path)
    return True


def rmall(name: Any = MISSING, more: Any = None, *_: Any) -> Any:
    path = string(name, 1, "rmall")
    if more != "yes":
        return None, "missing second argument ('yes')"
    if symlinkp(path) or filep(path):
        return remove(path)
    if not dirp(path):
        return None, "not a file or directory", path
    for inner in _names(path) or []:
        if inner not in (".", ".."):
            inner = f"{path.rstrip('/')}/{inner}"
            done = rmall(inner, "yes")
            if done is not True:
                return done[0], done[1], inner
    return rmdir(path)


def _names(folder: str) -> list[str] | None:
    try:
        return [".", "..", *sorted(map(decoded, os.listdir(encoded(folder))))]
    except OSError:
        return None


def dir_(folder: Any = MISSING, *_: Any) -> Table | None:
    found = _names(string(folder, 1, "dir"))
    return None if found is None else table_of(found)


def _iterator(names: list[str] | None, isWanted: Callable[[str], bool]) -> Any:
    wanted = iter([name for name in names or [] if isWanted(name)])

    def following(*_: Any) -> str | None:
        return next(wanted, None)

    return following


def files(folder: Any = MISSING, wanted: Any = None, *_: Any) -> Any:
    names = _names(string(folder, 1, "files"))
    if wanted is None:
        return _iterator(names, lambda name: True)
    if wanted.__class__ is str:
        return _iterator(names, lambda name: find(name, wanted) is not None)
    if not callable(wanted):
        raise_error("Expecting pattern or filtering function")
    return _iterator(names, lambda name: truth(called(wanted, name)))


def iterdirs(folder: Any = MISSING, *_: Any) -> Any:
    folder = string(folder, 1, "iterdirs")
    return _iterator(_names(folder), lambda name: name not in (".", "..") and dirp(f"{folder}/{name}"))


def iterfiles(folder: Any = MISSING, *_: Any) -> Any:
    folder = string(folder, 1, "iterfiles")
    return _iterator(_names(folder), lambda name: filep(f"{folder}/{name}"))


def symlinkp(name: Any = MISSING, *_: Any) -> bool:
    return os.path.islink(encoded(string(name, 1, "symlinkp")))


def tmpname(*_: Any) -> str:
    descriptor, path = tempfile.mkstemp(prefix="luatmp")
    os.close(descriptor)
    return decoded(os.fsencode(path))


def uname(*_: Any) -> tuple[str, str, str]:
    return platform.system(), platform.node(), platform.machine()


def is_win(*_: Any) -> None:
    return None


def is_mac(*_: Any) -> str | None:
    return "Darwin" if platform.system() == "Darwin" else None


def execdir(*_: Any) -> None:
    return None


def findprogram(*names: Any) -> str | None:
    for name in names:
        for folder in (getenv("PATH") or ".").split(":"):
            path = concat(folder, name)
            if folder and filep(path):
                return path
    return None


def _caller(level: int) -> str | None:
    """Returns the absolute name of the file whose function calls the library, None if it is in no file."""
    frame = frame_at(level)
    chunk = chunk_of(frame) if frame is not None else None
    return concat(chunk.source[1:]) if chunk is not None and chunk.source.startswith("@") else None


def thisfile(name: Any = None, depth: Any = 2.0, *_: Any) -> str | None:
    file = _caller(int(depth) - 1)
    if name.__class__ is not str:
        return file
    return name if file is None else concat(dirname(file), name)  # type: ignore[no-any-return]


def library(state: State) -> Table:
    """Returns the package's table."""

    def dofile(name: Any = MISSING, depth: Any = 2.0, *_: Any) -> Any:
        name = string(name, 1, "dofile")
        file = _caller(int(depth) - 1)
        return state.globals.dofile(name if file is None else concat(dirname(file), name))

    made = {"dirname": dirname, "basename": basename, "extname": extname, "cwd": cwd, "concat": concat, "is_win": is_win}
    made |= {"is_mac": is_mac, "execdir": execdir, "thisfile": thisfile, "dofile": dofile}
    system = {"filep": filep, "dirp": dirp, "mkdir": mkdir, "rmdir": rmdir, "rmall": rmall, "dir": dir_, "files": files}
    system |= {"iterdirs": iterdirs, "iterfiles": iterfiles, "symlinkp": symlinkp, "tmpname": tmpname, "uname": uname}
    system["findprogram"] = findprogram
    home = (getenv("HOME") if state.folders is None else None) or "."
    return fields(**made, **state.outside("paths", system), home=home)
