"""The package ``paths``: names of files and folders, and what is in folders."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..language.errors import chunk_of, frame_at, raise_error, register
from ..language.libraries.files import decoded, encoded, system_name
from ..language.libraries.os import failure, getenv, remove
from ..language.libraries.string import find
from ..language.table import Table, fields
from .functions import declared, functions
from .values import called, is_callable, truth

if TYPE_CHECKING:
    from ..language.state import State


def _last_slash(name: str) -> int:
    """Returns the place of the last slash with a name behind it, or -1."""
    return name.rstrip("/").rfind("/")


def dirname(name: str) -> str:
    """Returns the folder of a name."""
    place = _last_slash(name)
    return name[: max(place, 1)] if place >= 0 else name if name.startswith("/") else "."


def basename(name: str, suffix: str | None = None) -> str:
    """Returns the last part of a name, without a suffix."""
    found = name[_last_slash(name) + 1 :].partition("/")[0]
    end = "." if suffix is None else "." + suffix.removeprefix(".")
    return found[: -len(end)] if end != "." and found.endswith(end) else found


def _joined(folder: str, name: str) -> str:
    parts = [] if name.startswith("/") else [part for part in folder.split("/") if part]
    for part in name.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def concat(*names: str) -> str:
    """Returns names of folders, and of a file, as one absolute name."""
    found = decoded(os.getcwdb())
    for name in names:
        found = _joined(found, name)
    return found


def is_file(path: bytes) -> bool:
    """Returns whether there is a file, which is no folder."""
    return os.path.exists(path) and not os.path.isdir(path)


def _mkdir(path: bytes) -> bool:
    os.makedirs(encoded(dirname(decoded(path))), exist_ok=True)
    os.mkdir(path)
    return True


def _rmdir(path: bytes) -> bool:
    os.rmdir(path)
    return True


def _remove_all(path: bytes, more: Any) -> Any:
    name = decoded(path)
    if more != "yes":
        return None, "missing second argument ('yes')"
    if os.path.islink(path) or is_file(path):
        return remove(name)
    if not os.path.isdir(path):
        return None, "not a file or directory", name
    for inner in sorted(os.listdir(path)):
        inner = path.rstrip(b"/") + b"/" + inner
        done = OF_FILES["rmall"](decoded(inner), "yes")
        if done is not True:
            return done[0], done[1], decoded(inner)
    return _rmdir(path)


def _names(folder: bytes) -> list[str]:
    """Returns the sorted names in a folder; none if it cannot be read."""
    try:
        return [".", "..", *sorted(map(decoded, os.listdir(folder)))]
    except OSError:
        return []


def _files(folder: bytes, wanted: Any) -> Iterator[str]:
    if wanted is not None and wanted.__class__ is not str and not is_callable(wanted):
        raise_error("Expecting pattern or filtering function")
    if wanted.__class__ is str:
        return iter([name for name in _names(folder) if find(name, wanted) is not None])
    return iter([name for name in _names(folder) if wanted is None or truth(called(wanted, name))])


def _within(test: Any) -> Any:
    """Returns the declaration of an iterator over the names in a folder that pass a test."""
    return "path", lambda folder: (name for name in _names(folder)[2:] if test(folder + b"/" + encoded(name)))


def _tmpname() -> bytes:
    descriptor, path = tempfile.mkstemp(prefix="luatmp")
    os.close(descriptor)
    return os.fsencode(path)


def _program(*names: str) -> str | None:
    folders = [folder for folder in (getenv("PATH") or ".").split(":") if folder]
    found = (concat(folder, name) for name in names for folder in folders)
    return next((path for path in found if is_file(system_name(path))), None)


OF_FILES = functions({
    "dirname": ("string", dirname),
    "basename": ("string string?", basename),
    "extname": ("string", lambda name: name.rpartition(".")[2] if "." in name else ()),
    "cwd": ("", os.getcwdb),
    "concat": ("*string", concat),
    "filep": ("path", is_file),
    "dirp": ("path", os.path.isdir),
    "mkdir": ("path", _mkdir),
    "rmdir": ("path", _rmdir),
    "rmall": ("path any", _remove_all),
    "dir": ("path", lambda folder: _names(folder) or None),
    "files": ("path any", _files),
    "iterdirs": _within(os.path.isdir),
    "iterfiles": _within(is_file),
    "symlinkp": ("path", os.path.islink),
    "tmpname": ("", _tmpname),
    "uname": ("", lambda: (platform.system(), platform.node(), platform.machine())),
    "is_win": ("", lambda: None),
    "is_mac": ("", lambda: "Darwin" if platform.system() == "Darwin" else None),
    "execdir": ("", lambda: None),
    "findprogram": ("*string", _program),
}, lambda problem, path: failure(problem, decoded(path)))  # fmt: skip
"""The functions that know no file that calls them."""
_HARMLESS = ("dirname", "basename", "extname", "cwd", "concat", "is_win", "is_mac", "execdir")


def _caller(level: int) -> str | None:
    """Returns the absolute name of the file whose function calls the library, None if it is in no file."""
    frame = frame_at(level)
    chunk = chunk_of(frame) if frame is not None else None
    return concat(chunk.source[1:]) if chunk is not None and chunk.source.startswith("@") else None


def _beside(name: str, depth: int) -> str:
    """Returns the name of a file that is beside the one that calls the library."""
    file = _caller(depth - 1)
    return name if file is None else concat(dirname(file), name)


def _this_file(name: Any, depth: int) -> str | None:
    return _beside(name, depth) if name.__class__ is str else _caller(depth - 1)


def library(state: State) -> Table:
    """Returns the package's table."""
    thisfile = declared("thisfile", "any whole=2", _this_file)
    dofile = declared("dofile", "path whole=2", lambda name, depth: state.globals.dofile(_beside(decoded(name), depth)))
    home = (getenv("HOME") if state.folders is None else None) or "."
    return fields(**state.outside("paths", OF_FILES, _HARMLESS), thisfile=thisfile, dofile=dofile, home=home)


def extend_torch(state: State, table: Table) -> None:
    """Adds to torch what it brings for files: the package ``paths``, and functions that run files of packages."""
    run = state.require("paths").__dict__["dofile"]

    def folder_of(package: str) -> str | None:
        files = (form.replace("?", package) for form in state.globals.package.path.split(";"))
        return next((dirname(file) for file in files if state.can_read(file)), None)

    def include_of(package: str, name: str) -> tuple[()]:
        if (folder := folder_of(package)) is None:
            raise_error(f"package '{package}' has no folder in package.path")
        state.globals.dofile(f"{folder}/{name}")
        return ()

    def include(name: str, depth: int) -> tuple[()]:
        run(name, 3.0 + depth)
        return ()

    beside = functions({"include": ("string whole=0", include)})
    register(beside)
    state.globals.__dict__.update(beside)
    table.__dict__.update(functions({"packageLuaPath": ("string=torch", folder_of), "include": ("string string", include_of)}))
