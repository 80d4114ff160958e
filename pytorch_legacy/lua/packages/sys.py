"""The package ``sys``: clocks, processes, colours of the terminal."""

from __future__ import annotations

import platform
import subprocess
import time
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, number, string
from ..language.errors import chunk_of, frame_at, raise_error
from ..language.libraries.files import decoded, encoded
from ..language.table import Table, fields
from . import paths
from .values import split_by_pattern, table_of, truth

if TYPE_CHECKING:
    from ..language.state import State

_SHADES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def colours() -> dict[str, str]:
    """Returns the escapes of a terminal by the names of colours: ``red`` is thin, ``Red`` bold, ``_red`` the background."""
    found = {"none": "\033[0m"}
    for form, code in (("{}", "0;3"), ("{}", "1;3"), ("_{}", "4")):
        for i, name in enumerate(_SHADES):
            found[form.format(name.capitalize() if code == "1;3" else name)] = f"\033[{code}{i}m"
    return found


def clock(*_: Any) -> float:
    return time.time()


def usleep(microseconds: Any = MISSING, *_: Any) -> tuple[()]:
    time.sleep(max(number(microseconds, 1, "usleep"), 0.0) / 1e6)
    return ()


def sleep(seconds: Any = MISSING, *_: Any) -> tuple[()]:
    time.sleep(max(number(seconds, 1, "sleep"), 0.0))
    return ()


def split(text: Any = MISSING, pattern: Any = MISSING, *_: Any) -> Table:
    return table_of(split_by_pattern(string(text, 1, "split"), string(pattern, 2, "split")))


def isNaN(value: Any = None, *_: Any) -> bool:
    return bool(value != value)


def uname(*_: Any) -> str:
    return {"Linux": "linux", "Darwin": "macos"}.get(platform.system(), "?")


def fpath(*_: Any) -> tuple[str, str]:
    frame = frame_at(1)
    chunk = chunk_of(frame) if frame is not None else None
    if chunk is None:
        raise_error("'fpath' not called from a Lua function")
    file = chunk.source.replace("@", "")
    if not file.startswith("/"):
        file = paths.concat(paths.cwd(), file)
    return paths.dirname(file), paths.basename(file)


def _listings(execute: Any) -> dict[str, Any]:
    """Returns the functions that list a folder as ``ls`` does."""

    def lister(command: str) -> Any:
        def listing(folder: Any = None, *_: Any) -> Any:
            return execute(f"{command} {'' if folder is None else string(folder, 1, 'ls')}")

        return listing

    return {"ls": lister("ls"), "ll": lister("ls -l"), "la": lister("ls -a"), "lla": lister("ls -la")}


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("paths")
    start: float | None = None

    def tic(*_: Any) -> tuple[()]:
        nonlocal start
        start = time.time()
        return ()

    def toc(isPrinted: Any = None, *_: Any) -> float:
        if start is None:
            raise_error("sys.toc: call sys.tic first")
        spent = time.time() - start
        if truth(isPrinted):
            state.globals.print(spent)
        return spent

    def execute(command: Any = MISSING, *_: Any) -> str:
        command = encoded(string(command, 1, "execute"))
        state.flush()
        done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return decoded(done.stdout).strip(" \t\n\r\f\v")

    made = {"clock": clock, "usleep": usleep, "sleep": sleep, "split": split, "isNaN": isNaN, "uname": uname, "fpath": fpath}
    made |= {"tic": tic, "toc": toc, "dirname": paths.dirname, "basename": paths.basename, "concat": paths.concat}
    system = {"execute": execute, "fexecute": execute, **_listings(execute), "filep": paths.filep, "dirp": paths.dirp}
    return fields(**made, **state.outside("sys", system), COLORS=fields(**colours()), OS=uname(), prefix="/usr")
