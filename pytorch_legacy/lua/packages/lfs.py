"""The package ``lfs``: attributes of files, and folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..language.errors import raise_error
from ..language.libraries.files import decoded
from ..language.libraries.os import failure
from ..language.table import Table, fields
from .functions import done, functions
from .values import is_table

if TYPE_CHECKING:
    from ..language.state import State

_MODES = (
    *(("file", stat.S_ISREG), ("directory", stat.S_ISDIR), ("link", stat.S_ISLNK), ("socket", stat.S_ISSOCK)),
    *(("named pipe", stat.S_ISFIFO), ("char device", stat.S_ISCHR), ("block device", stat.S_ISBLK)),
)
_NUMBERS = {
    **{name: f"st_{name}" for name in ("dev", "ino", "nlink", "uid", "gid", "size", "blocks", "blksize")},
    **{"access": "st_atime", "modification": "st_mtime", "change": "st_ctime"},
}


def _described(found: os.stat_result) -> dict[str, Any]:
    mode = next((name for name, test in _MODES if test(found.st_mode)), "other")
    numbers: dict[str, Any] = {name: float(int(getattr(found, field))) for name, field in _NUMBERS.items()}
    return {**numbers, "mode": mode, "permissions": stat.filemode(found.st_mode)[1:]}


def _attributes(read: Callable[[bytes], os.stat_result]) -> Any:
    def attributes(path: bytes, wanted: Any) -> Any:
        try:
            found = _described(read(path))
        except OSError as problem:
            words = f"cannot obtain information from file '{decoded(path)}': {problem.strerror}"
            return None, words, problem.errno or 0
        if wanted.__class__ is str:
            if wanted not in found:
                raise_error(f"invalid attribute name '{wanted}'")
            return found[wanted]
        table = wanted if is_table(wanted) else Table()
        table.__dict__.update(found)
        return table

    return "path any", attributes


def _dir(path: bytes) -> Iterator[str]:
    try:
        return iter([".", "..", *sorted(map(decoded, os.listdir(path)))])
    except OSError as problem:
        raise_error(f"cannot open {decoded(path)}: {problem.strerror}")


def _touch(path: bytes, access: float | None, modification: float | None) -> None:
    os.utime(path, None if access is None else (access, access if modification is None else modification))


_FUNCTIONS = functions({
    **{"attributes": _attributes(os.stat), "symlinkattributes": _attributes(os.lstat)},
    "dir": ("path", _dir),
    "currentdir": ("", os.getcwdb),
    "touch": done("path whole? whole?", _touch),
    "link": done("path path any", lambda old, new, isSymbolic: (os.symlink if isSymbolic is True else os.link)(old, new)),
    **{"mkdir": done("path", os.mkdir), "rmdir": done("path", os.rmdir), "chdir": done("path", os.chdir)},
}, lambda problem, _: failure(problem))  # fmt: skip


def library(state: State) -> Table:
    """Returns the package's table."""
    return fields(**state.outside("lfs", _FUNCTIONS, ("currentdir",)), _VERSION="LuaFileSystem 1.6.3")
