"""``pl.stringx``: functions of strings as Python has them. Results that are lists are of ``pl.List``."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from ...language.arguments import string
from ...language.libraries.string import find
from ...language.table import Table, fields
from ..functions import functions
from ..values import is_table, listed
from .functions import lister
from .utils import parts, splitv

if TYPE_CHECKING:
    from ...language.state import State

_SPACES = " \t\n\r\f\v"


def _is_all(pattern: str) -> Any:
    form = re.compile(pattern)
    return "string", lambda text: form.fullmatch(text) is not None


def _affixes(value: Any, position: int, name: str) -> tuple[str, ...]:
    """Returns a string, or the strings of a table."""
    return tuple(string(one, position, name) for one in (listed(value) if is_table(value) else [value]))


def _count(text: str, part: str, mayOverlap: bool) -> int:
    return sum(text.startswith(part, i) for i in range(len(text))) if mayOverlap and part else text.count(part)


def _first_place(text: str, part: str, start: int | None, end: int | None) -> Any:
    found = find(text, part, None if start is None else float(start), True)
    return None if found is None or (end is not None and found[1] > end) else found[0]


def _last_place(text: str, part: str, start: int, end: int | None) -> Any:
    place = text.rfind(part, start - 1, end)
    return None if place < 0 else place + 1


def _justified(sides: Any) -> Any:
    def justify(text: str, width: int, fill: str) -> str:
        left, right = sides(max(width - len(text), 0))
        return str(fill * left + text + fill * right)

    return "string count string?", lambda text, width, fill: justify(text, width, " " if fill is None else fill)


def _stripped(strip: Any) -> Any:
    return "string string?", lambda text, characters: strip(text, _SPACES if characters is None else characters)


def _at(text: str, i: int) -> str:
    return text[i - 1 : i] if i > 0 else text[len(text) + i : len(text) + i + 1] if i >= -len(text) and i else ""


def _shorten(text: str, n: int, hasTail: bool) -> str:
    if len(text) <= n or n < 3:
        return text if len(text) <= n else "..."[:n]
    return "..." + text[len(text) - n + 3 :] if hasTail else text[: n - 3] + "..."


def quoted(text: str) -> str:
    """Returns a text as Lua reads it: in long brackets if it has several lines, in quotes otherwise."""
    if "\n" in text and "\r" not in text and "\0" not in text:
        level = max((len(match[1]) + 1 for match in re.finditer(r"[\[\]](=*)(?=[\[\]])", text)), default=0)
        return f"[{'=' * level}[\n{text}]{'=' * level}]"
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return '"' + re.sub(r"[\x00-\x1f\x7f](?=(\d?))", _escaped, text) + '"'


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\{code:03d}" if match[1] else f"\\{code}"


def _split(text: str, separator: str | None, limit: int | None) -> list[str]:
    if separator is None:
        return parts(text.lstrip(_SPACES), "%s+", False, limit)
    found = parts(text, separator, True, limit)
    isCut = separator and text.endswith(separator) and (limit is None or limit > len(found))
    return [*found, ""] if isCut else found


def _lines(text: str, keepsEnds: bool) -> list[str]:
    found = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)
    return found if keepsEnds else [line.rstrip("\r\n") for line in found]


_title = "string", lambda text: re.sub(r"(\S)(\S*)", lambda match: match[1].upper() + match[2].lower(), text)

_FUNCTIONS: dict[str, Any] = {
    **{"isalpha": _is_all("[A-Za-z]+"), "isdigit": _is_all("[0-9]+"), "isalnum": _is_all("[A-Za-z0-9]+")},
    **{"isspace": _is_all(f"[{_SPACES}]+"), "islower": _is_all(f"[a-z{_SPACES}]+"), "isupper": _is_all(f"[A-Z{_SPACES}]+")},
    **{"startswith": ("string affixes", str.startswith), "endswith": ("string affixes", str.endswith)},
    "join": ("string list", lambda separator, values: separator.join(string(one, 2, "join") for one in values)),
    "replace": ("string string string whole=-1", str.replace),
    "count": ("string string truth", _count),
    "lfind": ("string string whole? whole?", _first_place),
    "rfind": ("string string whole=1 whole?", _last_place),
    "splitv": splitv,
    "ljust": _justified(lambda n: (0, n)),
    "rjust": _justified(lambda n: (n, 0)),
    "center": _justified(lambda n: (n // 2, math.ceil(n / 2))),
    **{"strip": _stripped(str.strip), "lstrip": _stripped(str.lstrip), "rstrip": _stripped(str.rstrip)},
    **{"partition": ("string string", str.partition), "rpartition": ("string string", str.rpartition)},
    "at": ("string whole", _at),
    "lines": ("string", lambda text: iter(text.removesuffix("\n").split("\n"))),
    **{"title": _title, "capitalize": _title},
    "shorten": ("string count truth", _shorten),
    "expandtabs": ("string count=8", str.expandtabs),
    "quote_string": ("string", quoted),
}


def library(state: State) -> Table:
    """Returns the table of the module."""
    listing = lister(state)
    ofLists = {
        "split": ("string string? count?", lambda *given: listing(_split(*given))),
        "splitlines": ("string truth", lambda *given: listing(_lines(*given))),
    }
    made = functions({**_FUNCTIONS, **ofLists}, affixes=_affixes)
    return fields(**made, **{"import": lambda *_: state.globals.string.__dict__.update(made) or ()})
