"""Errors of modules in Torch7's words: ``In 2 module of nn.Sequential:`` before the message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytorch_legacy.errors import ShapeError, THNNError

from ..language.errors import LuaError, calling_place, chunk_of, traceback_of, value_of
from ..tensors.tensor import DTYPES

if TYPE_CHECKING:
    from .border import Border

_ENTRIES = re.compile(r"(?:[\w.]+: )*(\w+)\[\d+\]")
_PLACE = re.compile(r"in module (\d+)(?: \(.*\))? of (\S+)")
_TYPES = {str(dtype): word for word, dtype in DTYPES.items()}
_TYPE = "|".join(_TYPES)
_KINDS = {"int": "number", "float": "number", "str": "string", "bool": "boolean"}
_LUA_WORDS: tuple[tuple[str, Any], ...] = (
    (rf"\bx\.astype\(np\.({_TYPE})\)", lambda match: f"x:{_TYPES[match[1]].lower()}()"),
    (rf"\bnp\.array\(x, np\.({_TYPE})\)", lambda match: f"torch.{_TYPES[match[1]]}Tensor(x)"),
    (r"\bconvert the module: \.(\w+\(\))", r"convert the module: module:\1"),
    (rf"\b({_TYPE})( array\b)?", lambda match: f"torch.{_TYPES[match[1]]}Tensor"),
    (r"\b(got|is) None\b", r"\1 nil"),
    (r"\bgot (int|float|str|bool) (?=\S)", lambda match: f"got {_KINDS[match[1]]} "),
    (r"\ba (?:list|tuple|dict) of ", "a table of "),
)
"""Patterns of what messages say of arrays and values of Python, and what they say in Lua."""


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
        text = _in_lua(_counted(str(error.args[0])))
        value: Any = f"{calling_place()}{'size mismatch, ' if isinstance(error, ShapeError) else ''}{text}"
    else:
        value = value_of(error)
        if isinstance(value, str) and not isinstance(error, LuaError) and not _is_in_script(error):
            value = calling_place() + value
    if isinstance(value, str):
        value = _headed(places, value)
    return LuaError(value, getattr(error, "traceback", "") or traceback_of(error))


def _counted(text: str) -> str:
    """Returns a message whose argument, such as ``input[0]``, counts its entries from one."""
    match = _ENTRIES.match(text)
    if match is None:
        return text
    entries = rf"(?<=\b{match[1]})(?:\[\d+\])+"
    return re.sub(entries, lambda found: re.sub(r"\d+", lambda number: str(int(number[0]) + 1), found[0]), text)


def _in_lua(text: str) -> str:
    """Returns a message in words of Lua and Torch7."""
    for pattern, words in _LUA_WORDS:
        text = re.sub(pattern, words, text)
    return text


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
