"""``pl.stringx``: functions of strings as Python has them. Results that are lists are of ``pl.List``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...language.arguments import MISSING, integer, string
from ...language.libraries.string import find
from ...language.table import Table, set_metatable
from ..values import is_table, listed, table_of, truth
from .utils import parts, splitv

if TYPE_CHECKING:
    from ...language.state import State

_SPACES = " \t\n\r\f\v"


def _is_all(pattern: str, name: str) -> Any:
    form = re.compile(pattern)

    def test(text: Any = MISSING, *_: Any) -> bool:
        return form.fullmatch(string(text, 1, name)) is not None

    return test


def _affix(name: str, test: Callable[[str, str], bool]) -> Any:
    def called(text: Any = MISSING, affix: Any = MISSING, *_: Any) -> bool:
        text = string(text, 1, name)
        affixes = listed(affix) if is_table(affix) else [string(affix, 2, name)]
        return any(test(text, one) for one in affixes)

    return called


def join(separator: Any = MISSING, values: Any = MISSING, *_: Any) -> str:
    return string(separator, 1, "join").join(string(one, 2, "join") for one in listed(values))


def replace(text: Any = MISSING, old: Any = MISSING, new: Any = MISSING, most: Any = None, *_: Any) -> str:
    text, old, new = string(text, 1, "replace"), string(old, 2, "replace"), string(new, 3, "replace")
    return text.replace(old, new, -1 if most is None else int(most))


def count(text: Any = MISSING, part: Any = MISSING, mayOverlap: Any = None, *_: Any) -> float:
    text, part = string(text, 1, "count"), string(part, 2, "count")
    if truth(mayOverlap) and part:
        return float(sum(text.startswith(part, i) for i in range(len(text))))
    return float(text.count(part))


def lfind(text: Any = MISSING, part: Any = MISSING, start: Any = None, end: Any = None, *_: Any) -> Any:
    found = find(string(text, 1, "lfind"), string(part, 2, "lfind"), start, True)
    return None if found is None or (end is not None and found[1] > end) else found[0]


def rfind(text: Any = MISSING, part: Any = MISSING, start: Any = None, end: Any = None, *_: Any) -> Any:
    text, part = string(text, 1, "rfind"), string(part, 2, "rfind")
    place = text.rfind(part, integer(start, 3, "rfind", 1) - 1, integer(end, 4, "rfind", len(text)))
    return None if place < 0 else float(place + 1)


def _justified(name: str, sides: Callable[[int], tuple[int, int]]) -> Any:
    def justify(text: Any = MISSING, width: Any = MISSING, fill: Any = " ", *_: Any) -> str:
        text = string(text, 1, name)
        left, right = sides(max(integer(width, 2, name) - len(text), 0))
        fill = " " if fill is None else string(fill, 3, name)
        return fill * left + text + fill * right  # type: ignore[no-any-return]

    return justify


def _stripped(name: str, strip: Callable[[str, str], str]) -> Any:
    def stripped(text: Any = MISSING, characters: Any = None, *_: Any) -> str:
        return strip(string(text, 1, name), _SPACES if characters is None else string(characters, 2, name))

    return stripped


def partition(text: Any = MISSING, separator: Any = MISSING, *_: Any) -> tuple[str, str, str]:
    return string(text, 1, "partition").partition(string(separator, 2, "partition"))


def rpartition(text: Any = MISSING, separator: Any = MISSING, *_: Any) -> tuple[str, str, str]:
    return string(text, 1, "rpartition").rpartition(string(separator, 2, "rpartition"))


def at(text: Any = MISSING, place: Any = MISSING, *_: Any) -> str:
    text, i = string(text, 1, "at"), integer(place, 2, "at")
    return text[i - 1 : i] if i > 0 else text[len(text) + i : len(text) + i + 1] if i >= -len(text) and i else ""


def lines(text: Any = MISSING, *_: Any) -> Any:
    rest = iter(string(text, 1, "lines").removesuffix("\n").split("\n"))
    return lambda *_: next(rest, None)


def title(text: Any = MISSING, *_: Any) -> str:
    return re.sub(r"(\S)(\S*)", lambda match: match[1].upper() + match[2].lower(), string(text, 1, "title"))


def shorten(text: Any = MISSING, width: Any = MISSING, hasTail: Any = None, *_: Any) -> str:
    text, n = string(text, 1, "shorten"), integer(width, 2, "shorten")
    if len(text) <= n:
        return text
    if n < 3:
        return "..."[:n]
    return "..." + text[len(text) - n + 3 :] if truth(hasTail) else text[: n - 3] + "..."


def expandtabs(text: Any = MISSING, size: Any = None, *_: Any) -> str:
    return string(text, 1, "expandtabs").expandtabs(integer(size, 2, "expandtabs", 8))


def quote_string(text: Any = MISSING, *_: Any) -> str:
    return quoted(string(text, 1, "quote_string"))


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


def _list_functions(state: State) -> dict[str, Any]:
    """Returns the functions whose results are lists."""

    def made(values: list[str]) -> Table:
        table = table_of(values)
        set_metatable(table, state.require("pl.List"))
        return table

    def split(text: Any = MISSING, separator: Any = None, most: Any = None, *_: Any) -> Table:
        text = string(text, 1, "split")
        limit = None if most is None else int(most)
        if separator is None:
            return made(parts(text.lstrip(_SPACES), "%s+", False, limit))
        separator = string(separator, 2, "split")
        found = parts(text, separator, True, limit)
        if separator and text.endswith(separator) and (limit is None or limit > len(found)):
            found.append("")
        return made(found)

    def splitlines(text: Any = MISSING, keepsEnds: Any = None, *_: Any) -> Table:
        found = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", string(text, 1, "splitlines"))
        return made(found if truth(keepsEnds) else [line.rstrip("\r\n") for line in found])

    return {"split": split, "splitlines": splitlines}


def library(state: State) -> Table:
    """Returns the table of the module."""
    table = Table()

    def import_(*_: Any) -> tuple[()]:
        names = state.globals.string
        names.__dict__.update({name: one for name, one in table.__dict__.items() if name != "import"})
        return ()

    table.__dict__.update(
        {
            **{"isalpha": _is_all("[A-Za-z]+", "isalpha"), "isdigit": _is_all("[0-9]+", "isdigit")},
            **{"isalnum": _is_all("[A-Za-z0-9]+", "isalnum"), "isspace": _is_all(r"[ \t\n\r\f\v]+", "isspace")},
            **{"islower": _is_all(r"[a-z \t\n\r\f\v]+", "islower"), "isupper": _is_all(r"[A-Z \t\n\r\f\v]+", "isupper")},
            **{"startswith": _affix("startswith", str.startswith), "endswith": _affix("endswith", str.endswith)},
            **{"join": join, "replace": replace, "count": count, "lfind": lfind, "rfind": rfind, "splitv": splitv},
            **{"ljust": _justified("ljust", lambda n: (0, n)), "rjust": _justified("rjust", lambda n: (n, 0))},
            **{"center": _justified("center", lambda n: (n // 2, math.ceil(n / 2)))},
            **{"strip": _stripped("strip", str.strip), "lstrip": _stripped("lstrip", str.lstrip)},
            **{"rstrip": _stripped("rstrip", str.rstrip), "partition": partition, "rpartition": rpartition, "at": at},
            **{"lines": lines, "title": title, "capitalize": title, "shorten": shorten, "expandtabs": expandtabs},
            **{"quote_string": quote_string, "import": import_, **_list_functions(state)},
        }
    )
    return table
