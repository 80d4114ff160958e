"""``pl.pretty``: tables as text that Lua reads."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from ...language.errors import value_of
from ...language.lexer import KEYWORDS, LuaSyntaxError
from ...language.operators import format_number
from ...language.table import Table, fields, first
from ..functions import functions
from ..values import called, is_table, items, listed, with_metatable
from .stringx import quoted
from .utils import FILES

if TYPE_CHECKING:
    from ...language.state import State

_MOST_NESTED = 200
_CODE = re.compile(r"\bfunction\b")
_TEXTS = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", re.DOTALL)


def shown_number(x: float) -> str:
    """Returns a number as `pretty` writes it."""
    if math.isinf(x):
        return "Inf" if x > 0 else "-Inf"
    if math.isnan(x):
        return "NaN"
    return str(int(x)) if x.is_integer() and abs(x) < 2**63 else format_number(x)


class _Writer:
    """The lines of a table that is written."""

    def __init__(self, state: State, space: str, isPlain: bool) -> None:
        self.state, self.space, self.isPlain = state, space, isPlain
        self.mark = " = " if space else "="
        self.open: set[int] = set()

    def text(self, value: Any, indent: str) -> str:
        """Returns a value that stands behind an indent."""
        if value.__class__ is str:
            return quoted(value)
        if value.__class__ is float:
            return shown_number(value)
        if not is_table(value):
            return str(first(self.state.tostring(value)))
        if id(value) in self.open or len(self.open) >= _MOST_NESTED:
            return "<cycle>"
        self.open.add(id(value))
        inner = indent + self.space
        parts = [inner + row for row in self._rows(value, inner)]
        self.open.discard(id(value))
        end = "\n" if self.space else ""
        return "{" + end + f",{end}".join(parts) + end + indent + "}" if parts else "{" + end + indent + "}"

    def _rows(self, table: Table, indent: str) -> list[str]:
        rows, count = [], 0
        if not self.isPlain:
            values = listed(table)
            count = len(values)
            rows = [self.text(value, indent) for value in values]
        for key, value in items(table):
            if key.__class__ is float and key.is_integer() and 1 <= key <= count:
                continue
            rows.append(self._key(key) + self.mark + self.text(value, indent))
        return rows

    def _key(self, key: Any) -> str:
        if key.__class__ is float:
            return f"[{shown_number(key)}]"
        text = key if key.__class__ is str else first(self.state.tostring(key))
        if not self.isPlain and key.__class__ is str and re.fullmatch(r"[A-Za-z_]\w*", key, re.ASCII) and key not in KEYWORDS:
            return text  # type: ignore[no-any-return]
        text = quoted(text)
        return f"[ {text} ]" if text.startswith("[") else f"[{text}]"


def _sized(x: float, names: tuple[str, ...], step: float, digits: int) -> str:
    if not step <= x < math.inf:
        return format_number(x) + names[0]
    place = min(int(math.log(x, step)), len(names) - 1)
    return f"{x / step**place:.{digits}f}{names[place]}"


def _number(x: float, kind: Any, digits: int) -> str:
    if kind == "T":
        return f"{int(x):,}" if math.isfinite(x) else format_number(x)
    names, step = (("B", "KiB", "MiB", "GiB"), 1024.0) if kind == "M" else (("", "K", "M", "B"), 1000.0)
    return _sized(x, names, step, digits)


def library(state: State) -> Table:
    """Returns the table of the module."""

    def write(table: Any, space: str | None = None, isPlain: bool = False) -> Any:
        text = _Writer(state, "  " if space is None else space, isPlain).text(table, "")
        return text if is_table(table) or table.__class__ is str else (text, "not a table")

    save = state.outside("pl.utils", FILES)["writefile"]

    def dump(table: Any, name: Any) -> Any:
        text = first(write(table))
        if name is not None:
            return save(name, text)
        state.write(text + "\n")
        return True

    def load(text: str, space: Table | None) -> Any:
        space = Table() if space is None else space
        try:
            found = called(state.load(text, "=tbl", space))
        except LuaSyntaxError as problem:
            return None, str(problem)
        except Exception as problem:
            return None, value_of(problem)
        return space if found is None else found

    def read(text: str) -> Any:
        text = re.sub(r"^\s*--[^\n]*\n", "", text)
        if not text.lstrip().startswith("{"):
            return None, "not a Lua table"
        if _CODE.search(_TEXTS.sub("", text)):
            return None, "cannot have functions in table definition"
        return load(f"return {text}", None)

    made = functions({
        "write": ("any string? truth", write),
        "dump": ("any any", dump),
        "read": ("string", read),
        "load": ("string table?", load),
        "number": ("number any count=1", _number),
    })  # fmt: skip
    return with_metatable(fields(**made), __call=lambda _, *arguments: made["dump"](*arguments))
