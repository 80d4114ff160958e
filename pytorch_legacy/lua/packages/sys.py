"""The package ``sys``: clocks, processes, colours of the terminal."""

from __future__ import annotations

import platform
import subprocess
import time
from typing import TYPE_CHECKING, Any

from ..language.errors import chunk_of, frame_at, raise_error
from ..language.libraries.files import encoded
from ..language.table import Table, fields
from . import paths
from .functions import functions
from .values import split_by_pattern, truth

if TYPE_CHECKING:
    from ..language.state import State

_SHADES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_UNAME = {"Linux": "linux", "Darwin": "macos"}.get(platform.system(), "?")
_LONGEST = 1e9
"""The longest time, in seconds, that a program waits."""


def colours() -> dict[str, str]:
    """Returns the escapes of a terminal by the names of colours: ``red`` is thin, ``Red`` bold, ``_red`` the background."""
    found = {"none": "\033[0m"}
    for form, code in (("{}", "0;3"), ("{}", "1;3"), ("_{}", "4")):
        for i, name in enumerate(_SHADES):
            found[form.format(name.capitalize() if code == "1;3" else name)] = f"\033[{code}{i}m"
    return found


def _sleep(seconds: float) -> tuple[()]:
    if seconds != seconds:
        raise_error("sys.sleep: expected a number of seconds, got nan")
    time.sleep(min(max(seconds, 0.0), _LONGEST))
    return ()


def _fpath() -> tuple[str, str]:
    frame = frame_at(1)
    chunk = chunk_of(frame) if frame is not None else None
    if chunk is None:
        raise_error("'fpath' not called from a Lua function")
    file = chunk.source.replace("@", "")
    file = file if file.startswith("/") else paths.concat(file)
    return paths.dirname(file), paths.basename(file)


_FUNCTIONS: dict[str, Any] = {
    "clock": ("", time.time),
    "usleep": ("number", lambda microseconds: _sleep(microseconds / 1e6)),
    "sleep": ("number", _sleep),
    "split": ("string string", split_by_pattern),
    "isNaN": ("any", lambda value: bool(value != value)),
    "uname": ("", lambda: _UNAME),
    "fpath": ("", _fpath),
}


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("paths")
    start: float | None = None

    def tic() -> tuple[()]:
        nonlocal start
        start = time.time()
        return ()

    def toc(isPrinted: Any) -> float:
        if start is None:
            raise_error("sys.toc: call sys.tic first")
        spent = time.time() - start
        if truth(isPrinted):
            state.globals.print(spent)
        return spent

    def execute(command: bytes) -> bytes:
        state.flush()
        done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.strip(b" \t\n\r\f\v")

    def listing(command: str) -> Any:
        return "path=", lambda folder: execute(b"%s %s" % (encoded(command), folder))

    system = functions({
        **dict.fromkeys(("execute", "fexecute"), ("path", execute)),
        **{"ls": listing("ls"), "ll": listing("ls -l"), "la": listing("ls -a"), "lla": listing("ls -la")},
    })  # fmt: skip
    system |= {name: paths.OF_FILES[name] for name in ("dirname", "basename", "concat", "filep", "dirp")}
    made = functions({**_FUNCTIONS, "tic": ("", tic), "toc": ("any", toc)})
    made |= state.outside("sys", system, ("dirname", "basename", "concat"))
    return fields(**made, COLORS=fields(**colours()), OS=_UNAME, prefix="/usr")
