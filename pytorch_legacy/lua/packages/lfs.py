"""The package ``lfs``: attributes of files, and folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, number, string
from ..language.errors import raise_error
from ..language.libraries.files import decoded, encoded
from ..language.libraries.os import failure
from ..language.table import Table, fields
from .values import is_table

if TYPE_CHECKING:
    from ..language.state import State

_MODES = (
    ("file", stat.S_ISREG),
    ("directory", stat.S_ISDIR),
    ("link", stat.S_ISLNK),
    ("socket", stat.S_ISSOCK),
    ("named pipe", stat.S_ISFIFO),
    ("char device", stat.S_ISCHR),
    ("block device", stat.S_ISBLK),
)


def _described(found: os.stat_result) -> dict[str, Any]:
    mode = next((name for name, test in _MODES if test(found.st_mode)), "other")
    numbers = {"dev": found.st_dev, "ino": found.st_ino, "nlink": found.st_nlink, "uid": found.st_uid, "gid": found.st_gid}
    numbers |= {"access": int(found.st_atime), "modification": int(found.st_mtime), "change": int(found.st_ctime)}
    numbers |= {"size": found.st_size, "blocks": found.st_blocks, "blksize": found.st_blksize}
    named: dict[str, Any] = {name: float(value) for name, value in numbers.items()}
    return {**named, "mode": mode, "permissions": stat.filemode(found.st_mode)[1:]}


def _attributes(name: str, read: Callable[[bytes], os.stat_result]) -> Any:
    def attributes(path: Any = MISSING, wanted: Any = None, *_: Any) -> Any:
        path = string(path, 1, name)
        try:
            found = _described(read(encoded(path)))
        except OSError as problem:
            return None, f"cannot obtain information from file '{path}': {problem.strerror}", float(problem.errno or 0)
        if wanted.__class__ is str:
            if wanted not in found:
                raise_error(f"invalid attribute name '{wanted}'")
            return found[wanted]
        table = wanted if is_table(wanted) else Table()
        table.__dict__.update(found)
        return table

    return attributes


def _act(name: str, act: Callable[[bytes], object]) -> Any:
    """Returns a function that returns true, or nil, a message and a number."""

    def acted(path: Any = MISSING, *_: Any) -> Any:
        path = string(path, 1, name)
        try:
            act(encoded(path))
        except OSError as problem:
            return failure(problem)
        return True

    return acted


def dir_(path: Any = MISSING, *_: Any) -> Any:
    path = string(path, 1, "dir")
    try:
        names = [".", "..", *sorted(map(decoded, os.listdir(encoded(path))))]
    except OSError as problem:
        raise_error(f"cannot open {path}: {problem.strerror}")
    rest = iter(names)
    return lambda *_: next(rest, None)


def currentdir(*_: Any) -> str:
    return decoded(os.fsencode(os.getcwd()))


def touch(path: Any = MISSING, access: Any = None, modification: Any = None, *_: Any) -> Any:
    path = string(path, 1, "touch")
    times = None
    if access is not None:
        first = number(access, 2, "touch")
        times = (first, first if modification is None else number(modification, 3, "touch"))
    try:
        os.utime(encoded(path), times)
    except OSError as problem:
        return failure(problem)
    return True


def link(old: Any = MISSING, new: Any = MISSING, isSymbolic: Any = None, *_: Any) -> Any:
    make = os.symlink if isSymbolic is True else os.link
    try:
        make(encoded(string(old, 1, "link")), encoded(string(new, 2, "link")))
    except OSError as problem:
        return failure(problem)
    return True


def library(state: State) -> Table:
    """Returns the package's table."""
    made = {"attributes": _attributes("attributes", os.stat), "symlinkattributes": _attributes("symlinkattributes", os.lstat)}
    made |= {"dir": dir_, "touch": touch, "link": link, "mkdir": _act("mkdir", os.mkdir)}
    made |= {"rmdir": _act("rmdir", os.rmdir), "chdir": _act("chdir", os.chdir)}
    return fields(**state.outside("lfs", made), currentdir=currentdir, _VERSION="LuaFileSystem 1.6.3")
