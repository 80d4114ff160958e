"""The library ``string``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..arguments import CALLBACK, MISSING, fail, integer, wrong_type
from ..arguments import string as text_of
from ..errors import LuaError, raise_error, type_name
from ..operators import format_number
from ..table import TABLES, first
from .format import formatted
from .patterns import Pattern, compiled

if TYPE_CHECKING:
    from ..state import State

_SPECIAL = re.compile(r"[\^$*+?.(\[%-]")
_LOWER = {i: i + 32 for i in range(65, 91)}
_UPPER = {i: i - 32 for i in range(97, 123)}
_MAX_LENGTH = 2**31
_REPLACED = re.compile(r"%(.?)", re.DOTALL)


def _span(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the places that Lua's two indices stand for, as those of a slice."""
    n = len(text)
    start = start if start > 0 else max(n + start + 1, 1) if start else 1
    end = end if end >= 0 else n + end + 1
    return start - 1, max(end, start - 1)


def sub(text: Any = MISSING, start: Any = MISSING, end: Any = -1.0, *_: Any) -> str:
    if text.__class__ is not str:
        text = text_of(text, 1, "sub")
    if start.__class__ is float and end.__class__ is float and start >= 1.0 and end >= start and end < _MAX_LENGTH:
        return text[int(start) - 1 : int(end)]  # type: ignore[no-any-return]
    low, high = _span(text, integer(start, 2, "sub"), integer(end, 3, "sub", -1))
    return text[low:high]  # type: ignore[no-any-return]


def byte(text: Any = MISSING, start: Any = None, end: Any = None, *_: Any) -> Any:
    text = text_of(text, 1, "byte")
    begin = integer(start, 2, "byte", 1)
    low, high = _span(text, begin, integer(end, 3, "byte", begin))
    return tuple(float(ord(c)) for c in text[low:high])


def char(*codes: Any) -> str:
    for i, code in enumerate(codes, 1):
        if not 0 <= integer(code, i, "char") <= 255:
            fail(i, "char", "invalid value")
    return "".join(chr(integer(code, 1, "char")) for code in codes)


def length(text: Any = MISSING, *_: Any) -> float:
    return float(len(text_of(text, 1, "len")))


def lower(text: Any = MISSING, *_: Any) -> str:
    return text_of(text, 1, "lower").translate(_LOWER)


def upper(text: Any = MISSING, *_: Any) -> str:
    return text_of(text, 1, "upper").translate(_UPPER)


def reverse(text: Any = MISSING, *_: Any) -> str:
    return text_of(text, 1, "reverse")[::-1]


def rep(text: Any = MISSING, count: Any = MISSING, separator: Any = "", *_: Any) -> str:
    text, n = text_of(text, 1, "rep"), integer(count, 2, "rep")
    between = text_of("" if separator is None else separator, 3, "rep")
    if n > 0 and (len(text) + len(between)) * n > _MAX_LENGTH:
        raise LuaError("not enough memory")
    return between.join([text] * n) if between else text * n


def _begin(text: str, start: Any, function: str) -> int:
    i = integer(start, 3, function, 1)
    return min(max(i - 1 if i > 0 else len(text) + i if i else 0, 0), len(text))


def find(text: Any = MISSING, pattern: Any = MISSING, start: Any = None, plain: Any = None, *_: Any) -> Any:
    text, pattern = text_of(text, 1, "find"), text_of(pattern, 2, "find")
    begin = _begin(text, start, "find")
    if (plain is not None and plain is not False) or not _SPECIAL.search(pattern):
        i = text.find(pattern, begin)
        return (float(i + 1), float(i + len(pattern))) if i >= 0 else None
    form = compiled(pattern)
    match = form.find(text, begin)
    return (float(match.start() + 1), float(match.end()), *form.captures(match, hasWhole=False)) if match else None


def match(text: Any = MISSING, pattern: Any = MISSING, start: Any = None, *_: Any) -> Any:
    text, form = text_of(text, 1, "match"), compiled(text_of(pattern, 2, "match"))
    found = form.find(text, _begin(text, start, "match"))
    return form.captures(found) if found else None


def gmatch(text: Any = MISSING, pattern: Any = MISSING, *_: Any) -> Any:
    text, form = text_of(text, 1, "gmatch"), compiled(text_of(pattern, 2, "gmatch"), mayAnchor=False)
    position = 0

    def following(*_: Any) -> Any:
        nonlocal position
        found = form.matcher.search(text, position) if position <= len(text) else None
        if found is None:
            position = len(text) + 1
            return None
        position = found.end() + (found.end() == found.start())
        return form.captures(found)

    return following


def _replacement(found: Any, form: Pattern, new: str) -> str:
    """Returns a text in which ``%1`` stands for a capture."""
    captures = form.captures(found)

    def capture(escape: re.Match[str]) -> str:
        digit = escape[1]
        if digit == "0":
            return str(found[0])
        if not digit.isdigit():
            return digit
        if int(digit) > len(captures):
            raise_error("invalid capture index")
        value = captures[int(digit) - 1]
        return value if isinstance(value, str) else format_number(value)

    return _REPLACED.sub(capture, new)


def library(state: State) -> dict[str, Any]:
    """Returns the functions of the library."""

    def replaced(found: Any, form: Pattern, new: Any) -> str:
        if new.__class__ is str:
            return _replacement(found, form, new) if "%" in new else new
        captures = form.captures(found)
        if new.__class__ in TABLES:
            value = state.index(new, captures[0])
        else:
            with CALLBACK:
                value = first(new(*captures))
        if value is None or value is False:
            return found[0]  # type: ignore[no-any-return]
        if value.__class__ is float:
            return format_number(value)
        if value.__class__ is not str:
            raise_error(f"invalid replacement value (a {type_name(value)})")
        return value  # type: ignore[no-any-return]

    def gsub(text: Any = MISSING, pattern: Any = MISSING, new: Any = MISSING, count: Any = None, *_: Any) -> Any:
        text, form = text_of(text, 1, "gsub"), compiled(text_of(pattern, 2, "gsub"))
        if new.__class__ is float:
            new = format_number(new)
        if new.__class__ is not str and new.__class__ not in TABLES and not callable(new):
            wrong_type(new, 3, "gsub", "string/function/table")
        limit = len(text) + 1 if count is None else integer(count, 4, "gsub")
        parts, position, done = [], 0, 0
        while done < limit:
            found = form.find(text, position)
            if found is None:
                break
            done += 1
            parts += [text[position : found.start()], replaced(found, form, new)]
            position = found.end()
            if found.end() == found.start():
                parts.append(text[position : position + 1])
                position += 1
            if form.isAnchored or position > len(text):
                break
        return "".join([*parts, text[position:]]), float(done)

    def format(form: Any = MISSING, *values: Any) -> str:
        return formatted(text_of(form, 1, "format"), values, state.tostring)

    def dump(function: Any = MISSING, *_: Any) -> Any:
        raise_error("unable to dump given function")

    functions = {
        **{"sub": sub, "byte": byte, "char": char, "len": length, "lower": lower, "upper": upper, "reverse": reverse},
        **{"rep": rep, "find": find, "match": match, "gmatch": gmatch, "gfind": gmatch, "gsub": gsub, "format": format},
    }
    return {**functions, "dump": dump}
