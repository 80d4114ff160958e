"""Errors of modules in Torch7's words: ``In 2 module of nn.Sequential:`` before the message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytorch_legacy.errors import ShapeError, THNNError

from ..language.errors import LuaError, chunk_of, frame_at, place, traceback_of, value_of

if TYPE_CHECKING:
    from .border import Border

_ENTRIES = re.compile(r"(?:[\w.]+: )*\w+((?:\[\d+\])+)")
_PLACE = re.compile(r"in module (\d+)(?: \(.*\))? of (\S+)")


@contextmanager
def failing(border: Border, thing: Any) -> Iterator[None]:
    """An error of Python, or of a script that Python called, is an error of Lua that says in which module it was."""
    try:
        yield
    except Exception as error:
        border.homes.leave()
        raise as_lua(error) from error


def as_lua(error: Exception) -> LuaError:
    """Returns an error as Lua has it."""
    places = [*reversed(getattr(error, "__notes__", ()))]
    if isinstance(error, THNNError):
        places += error.where
        text = _counted(str(error.args[0])).replace(" is None ", " is nil ")
        value: Any = f"{place(frame_at(0))}size mismatch, {text}" if isinstance(error, ShapeError) else place(frame_at(0)) + text
    else:
        value = value_of(error)
        if isinstance(value, str) and not isinstance(error, LuaError) and not _is_in_script(error):
            value = place(frame_at(0)) + value
    if isinstance(value, str):
        value = _headed(places, value)
    return LuaError(value, getattr(error, "traceback", "") or traceback_of(error))


def _counted(text: str) -> str:
    """Returns a message whose argument, such as ``input[0]``, counts its entries from one."""
    match = _ENTRIES.match(text)
    if match is None:
        return text
    entries = re.sub(r"\d+", lambda number: str(int(number[0]) + 1), match[1])
    return text[: match.start(1)] + entries + text[match.end(1) :]


def _is_in_script(error: Exception) -> bool:
    """True if the error came through a function of Lua."""
    trace = error.__traceback__
    while trace is not None:
        if chunk_of(trace.tb_frame) is not None:
            return True
        trace = trace.tb_next
    return False


def _headed(places: list[str], text: str) -> str:
    """Returns a message after the places of containers, the outermost first."""
    lines = []
    for one in places:
        if match := _PLACE.fullmatch(one):
            lines.append(f"In {match[1]} module of {match[2]}:\n")
        else:
            text = f"{one}: {text}"
    return "".join(lines) + text
