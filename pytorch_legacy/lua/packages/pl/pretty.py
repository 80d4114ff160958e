"""``pl.pretty``: tables as text that Lua reads."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from ...language.arguments import MISSING, number, string
from ...language.errors import value_of
from ...language.lexer import LuaSyntaxError
from ...language.operators import format_number
from ...language.table import Table, fields, first, sequence
from ..values import called, is_table, items, listed, with_metatable
from .stringx import quoted
from .utils import writefile

if TYPE_CHECKING:
    from ...language.state import State

_WORDS = frozenset(
    [
        "and",
        "break",
        "do",
        "else",
        "elseif",
        "end",
        "false",
        "for",
        "function",
        "if",
        "in",
        "local",
        "nil",
        "not",
        "or",
        "repeat",
        "return",
        "then",
        "true",
        "until",
        "while",
    ]
)
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
        if not self.isPlain and key.__class__ is str and re.fullmatch(r"[A-Za-z_]\w*", key, re.ASCII) and key not in _WORDS:
            return text  # type: ignore[no-any-return]
        text = quoted(text)
        return f"[ {text} ]" if text.startswith("[") else f"[{text}]"


def _sized(x: float, names: tuple[str, ...], step: float, digits: int) -> str:
    if x < step:
        return format_number(x) + names[0]
    place = min(int(math.log(x, step)), len(names) - 1)
    return f"{x / step**place:.{digits}f}{names[place]}"


def number_(value: Any = MISSING, kind: Any = None, digits: Any = 1.0, *_: Any) -> str:
    x, places = number(value, 1, "number"), int(1 if digits is None else digits)
    if kind == "T":
        return f"{int(x):,}"
    if kind == "M":
        return _sized(x, ("B", "KiB", "MiB", "GiB"), 1024.0, places)
    return _sized(x, ("", "K", "M", "B"), 1000.0, places)


def library(state: State) -> Table:
    """Returns the table of the module."""

    def write(table: Any = MISSING, space: Any = None, isPlain: Any = None, *_: Any) -> Any:
        writer = _Writer(state, "  " if space is None else string(space, 2, "write"), isPlain is True)
        text = writer.text(table, "")
        return text if is_table(table) or table.__class__ is str else (text, "not a table")

    def dump(table: Any = MISSING, name: Any = None, *_: Any) -> Any:
        text = first(write(table))
        if name is None:
            state.write(text + "\n")
            return True
        return writefile(name, text)

    def read(text: Any = MISSING, *_: Any) -> Any:
        text = re.sub(r"^\s*--[^\n]*\n", "", string(text, 1, "read"))
        if not text.lstrip().startswith("{"):
            return None, "not a Lua table"
        if _CODE.search(_TEXTS.sub("", text)):
            return None, "cannot have functions in table definition"
        return load(f"return {text}", None)

    def load(text: Any = MISSING, environment: Any = None, *_: Any) -> Any:
        space = Table() if environment is None else environment
        try:
            found = called(state.load(string(text, 1, "load"), "=tbl", space))
        except LuaSyntaxError as problem:
            return None, str(problem)
        except Exception as problem:
            return None, value_of(problem)
        return space if found is None else found

    table = fields(write=write, dump=dump, read=read, load=load, number=number_)
    return with_metatable(table, __call=lambda _, *arguments: dump(*arguments))


def types_library(state: State) -> Table:
    """Returns ``pl.types``."""
    utils = state.require("pl.utils").__dict__

    def is_integer(value: Any = None, *_: Any) -> bool:
        return value.__class__ is float and value.is_integer()

    def is_empty(value: Any = None, *_: Any) -> bool:
        return value is None or value == "" or (is_table(value) and not items(value))

    def is_iterable(value: Any = None, *_: Any) -> bool:
        return is_table(value)

    def to_bool(value: Any = None, *_: Any) -> bool:
        return value.lower() in ("yes", "y", "true", "t", "1") if value.__class__ is str else value not in (None, False, 0.0)

    made = {"is_integer": is_integer, "is_empty": is_empty, "is_iterable": is_iterable, "is_indexable": is_iterable}
    return fields(**made, is_writeable=is_iterable, is_callable=utils["is_callable"], is_type=utils["is_type"], to_bool=to_bool)


def seq_library(state: State) -> Table:
    """Returns the functions of ``pl.seq`` that read iterators."""
    lists = state.require("pl.List").__dict__

    def copy(source: Any = MISSING, *_: Any) -> Any:
        return lists["new"](sequence(*_drawn(source)))

    def sum_(source: Any = MISSING, *_: Any) -> float:
        return float(math.fsum(number(one, 1, "sum") for one in _drawn(source)))

    def range_(start: Any = MISSING, end: Any = MISSING, *_: Any) -> Any:
        rest = iter([float(i) for i in range(int(start), int(end) + 1)])
        return lambda *_: next(rest, None)

    return fields(copy=copy, sum=sum_, range=range_, list=lists["iterate"])


def _drawn(source: Any) -> list[Any]:
    """Returns the values of a table or of an iterator."""
    if is_table(source):
        return listed(source)
    found = []
    while (value := called(source)) is not None:
        found.append(value)
    return found
