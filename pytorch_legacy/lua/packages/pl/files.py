"""``pl.path``, ``pl.dir`` and ``pl.file``: names of files, folders, and files in one go."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ...language.arguments import string
from ...language.libraries.files import decoded
from ...language.libraries.os import tmpname
from ...language.table import Table, fields
from ..functions import done, functions
from .functions import lister
from .utils import FILES, refused

if TYPE_CHECKING:
    from ...language.state import State


def _split(path: str) -> tuple[str, str]:
    folder, slash, name = path.rpartition("/")
    return (folder, name) if slash else ("", path)


def _split_end(path: str) -> tuple[str, str]:
    _stem, dot, end = _split(path)[1].rpartition(".")
    return (path[: len(path) - len(end) - 1], f".{end}") if dot else (path, "")


def join(found: str, *names: str) -> str:
    """Returns names of folders, and of a file, as one name."""
    for name in names:
        found = name if name.startswith("/") else found + ("" if not found or found.endswith("/") else "/") + name
    return found


def _absolute(path: str, folder: str | None) -> str:
    return os.path.normpath(join(decoded(os.getcwdb()) if folder is None else folder, path.rstrip("/") or "/"))


_NAMES: dict[str, Any] = {
    "join": ("string *string", join),
    "abspath": ("string string?", _absolute),
    "relpath": ("string string?", os.path.relpath),
    **{"splitpath": ("string", _split), "splitext": ("string", _split_end)},
    "dirname": ("string", lambda path: _split(path)[0]),
    "basename": ("string", lambda path: _split(path)[1]),
    "extension": ("string", lambda path: _split_end(path)[1]),
    "isabs": ("string", lambda path: path[:1] == "/"),
    **{"normpath": ("string", os.path.normpath), "normcase": ("string", str)},
    "currentdir": ("", os.getcwdb),
}
_PATHS: dict[str, Any] = {
    "exists": ("path", lambda path: path if os.path.exists(path) else None),
    **{"isdir": ("path", os.path.isdir), "isfile": ("path", os.path.isfile), "islink": ("path", os.path.islink)},
    **{"mkdir": done("path", os.mkdir), "rmdir": done("path", os.rmdir), "chdir": done("path", os.chdir)},
    "expanduser": ("string", os.path.expanduser),
    "getsize": ("path", os.path.getsize),
    **{"getmtime": ("path", os.path.getmtime), "getatime": ("path", os.path.getatime)},
}


def path_library(state: State) -> Table:
    """Returns ``pl.path``."""
    system = state.outside("pl.path", {**functions(_PATHS, refused), "tmpname": tmpname})
    return fields(**functions(_NAMES, refused), **system, sep="/", dirsep=":", is_windows=False)


def _walk(folder: bytes) -> Iterator[tuple[str, list[str], list[str]]]:
    """Returns each folder below a folder with the names of its folders and files, which are sorted."""
    for root, folders, names in os.walk(folder):
        yield decoded(root), sorted(map(decoded, folders)), sorted(map(decoded, names))


def _tree(folder: bytes) -> Iterator[tuple[str, bool]]:
    for root, folders, names in _walk(folder):
        for one in [*folders, *names]:
            yield join(root, one), one in folders


def dir_library(state: State) -> Table:
    """Returns ``pl.dir``."""
    listing = lister(state)

    def matching(test: Callable[[bytes], bool]) -> Any:
        def found(folder: bytes, mask: str) -> Table:
            names = [name for name in sorted(os.listdir(folder)) if fnmatchcase(decoded(name), mask)]
            return listing([decoded(path) for name in names if test(path := os.path.join(folder, name))])

        return "path=. string=*", found

    def all_files(folder: bytes, mask: str) -> Table:
        return listing([join(root, name) for root, _, names in _walk(folder) for name in names if fnmatchcase(name, mask)])

    def filtered(names: list[Any], mask: str) -> Table:
        return listing([one for one in names if fnmatchcase(string(one, 1, "filter"), mask)])

    made = {
        **{"getfiles": matching(os.path.isfile), "getdirectories": matching(os.path.isdir)},
        "getallfiles": ("path=. string=*", all_files),
        "walk": ("path", lambda folder: ((root, listing(folders), listing(names)) for root, folders, names in _walk(folder))),
        "dirtree": ("path", _tree),
        "makepath": done("path", lambda path: os.makedirs(path, exist_ok=True)),
        "rmtree": done("path", shutil.rmtree),
        **{"copyfile": done("path path", shutil.copyfile), "movefile": done("path path", os.replace)},
    }
    names = {"fnmatch": ("string string", fnmatchcase), "filter": ("list string", filtered)}
    return fields(**state.outside("pl.dir", functions(made, refused)), **functions(names))


def file_library(state: State) -> Table:
    """Returns ``pl.file``."""
    made = {
        **{"delete": done("path", os.remove), "copy": done("path path", shutil.copyfile), "move": done("path path", os.replace)},
        **{"modified_time": ("path", os.path.getmtime), "access_time": ("path", os.path.getatime)},
    }
    own = {"read": FILES["readfile"], "write": FILES["writefile"], "readlines": FILES["readlines"]}
    return fields(**state.outside("pl.file", functions(made, refused) | own))
