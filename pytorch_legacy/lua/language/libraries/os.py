"""The library ``os``."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any

from ..arguments import MISSING, integer, string
from ..arguments import table as table_of
from ..errors import raise_error
from ..operators import tonumber
from ..table import Table, rawget
from .files import decoded, system_name

if TYPE_CHECKING:
    from ..state import State

_FIELDS = ("year", "month", "day", "hour", "min", "sec")


def failure(problem: OSError, name: str = "") -> tuple[None, str, float]:
    """Returns what a function returns if the system refuses."""
    return None, (f"{name}: " if name else "") + str(problem.strerror), float(problem.errno or 0)


def clock(*_: Any) -> float:
    return time.process_time()


def time_(table: Any = None, *_: Any) -> Any:
    if table is None:
        return float(int(time.time()))
    table_of(table, 1, "time")
    values = []
    for name in _FIELDS:
        value = tonumber(rawget(table, name))
        if value is None and name in _FIELDS[:3]:
            raise_error(f"field '{name}' missing in date table")
        values.append(integer(value, 1, "time") if value is not None else 12 if name == "hour" else 0)
    year, month, day, hour, minute, second = values
    isSummer = rawget(table, "isdst")
    try:
        return float(
            int(time.mktime((year, month, day, hour, minute, second, 0, 0, -1 if isSummer is None else int(isSummer is True))))
        )
    except (OverflowError, ValueError):
        return None


def date(form: Any = "%c", moment: Any = None, *_: Any) -> Any:
    text = string("%c" if form is None else form, 1, "date").partition("\0")[0]  # C cuts it there.
    seconds = integer(moment, 2, "date", int(time.time()))
    isUtc = text.startswith("!")
    try:
        parts = time.gmtime(seconds) if isUtc else time.localtime(seconds)
    except (OSError, OverflowError, ValueError):
        return None
    text = text[isUtc:]
    if not text.startswith("*t"):
        return decoded(time.strftime(text, parts).encode())
    found = Table()
    numbers = (parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec)
    found.__dict__.update(zip(_FIELDS, map(float, numbers), strict=True))
    found.__dict__.update(wday=float((parts.tm_wday + 1) % 7 + 1), yday=float(parts.tm_yday), isdst=parts.tm_isdst > 0)
    return found


def difftime(end: Any = MISSING, start: Any = 0.0, *_: Any) -> float:
    return float(integer(end, 1, "difftime") - integer(start, 2, "difftime"))


def getenv(name: Any = MISSING, *_: Any) -> str | None:
    found = os.environb.get(system_name(string(name, 1, "getenv")))
    return None if found is None else decoded(found)


def remove(name: Any = MISSING, *_: Any) -> Any:
    path = string(name, 1, "remove")
    try:
        isFolder = os.path.isdir(system_name(path)) and not os.path.islink(system_name(path))
        (os.rmdir if isFolder else os.remove)(system_name(path))
    except OSError as problem:
        return failure(problem, path)
    return True


def rename(old: Any = MISSING, new: Any = MISSING, *_: Any) -> Any:
    path = string(old, 1, "rename")
    try:
        os.rename(system_name(path), system_name(string(new, 2, "rename")))
    except OSError as problem:
        return failure(problem, path)
    return True


def tmpname(*_: Any) -> str:
    descriptor, path = tempfile.mkstemp(prefix="lua_")
    os.close(descriptor)
    return decoded(os.fsencode(path))


def execute(command: Any = None, *_: Any) -> float:
    if command is None:
        return 1.0
    status = subprocess.run(system_name(string(command, 1, "execute")), shell=True).returncode
    return float(status << 8 if status >= 0 else -status)


def setlocale(locale: Any = None, *_: Any) -> str | None:
    return "C" if locale in (None, "", "C", "POSIX") else None


def library(state: State) -> dict[str, Any]:
    """Returns the functions of the library."""

    def execute_(command: Any = None, *_: Any) -> float:
        state.flush()
        return execute(command)

    def exit_(code: Any = 0.0, *_: Any) -> None:
        state.exit(0 if code is True else 1 if code is False else integer(code, 1, "exit", 0))

    functions = {"clock": clock, "time": time_, "date": date, "difftime": difftime, "exit": exit_, "setlocale": setlocale}
    system = {"getenv": getenv, "remove": remove, "rename": rename, "tmpname": tmpname, "execute": execute_}
    return {**functions, **state.outside("os", system)}
