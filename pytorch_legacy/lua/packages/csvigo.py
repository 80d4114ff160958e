"""The package ``csvigo``: files of comma-separated values, whose fields are strings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, string, wrong_type
from ..language.errors import raise_error, register
from ..language.operators import format_number
from ..language.table import Table, fields, first, rawget, rawset
from ..tensors.registry import constructor_of, new_class, object_maker
from ..tensors.signatures import described
from .functions import functions
from .values import called, items, listed, table_of, truth, with_metatable

if TYPE_CHECKING:
    from ..language.state import State

_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_MODES = ("raw", "tidy", "query", "large")
_SHOWN = 10  # rows at each end of a large table that print shows, of at least 30


def split(line: str, separator: str) -> list[str]:
    """Returns the fields of a line. The separator " " is any white space."""
    line = line.replace("\r", "")
    ends = re.compile(r"\s" if separator == " " else re.escape(separator))
    if '"' not in line:
        return ends.split(line)
    found, place = [], 0
    while place <= len(line):
        if line.startswith('"', place):
            quoted = _QUOTED.match(line, place)
            if quoted is None:
                raise_error('unmatched "')
            found.append(quoted[1].replace('""', '"'))
            end = ends.search(line, quoted.end())
        else:
            end = ends.search(line, place)
            found.append(line[place : end.start() if end else None])
        place = end.end() if end else len(line) + 1
    return found


def join(values: list[Any], separator: str, nanIsMissing: bool) -> str:
    """Returns a line of strings and numbers. A field with a separator or a quote is quoted."""
    texts = []
    for i, value in enumerate(values, 1):
        isMissing = nanIsMissing and value != value
        text = "" if isMissing else format_number(value) if value.__class__ is float else string(value, i, "write")
        texts.append('"' + text.replace('"', '""') + '"' if '"' in text or separator in text else text)
    return separator.join(texts)


def _file(value: Any, position: int, name: str) -> Table:
    if not isinstance(value, Table):
        wrong_type(value, position, name, "csvigo.File")
    return value


def _parameter(name: str, kind: str, text: str, default: Any = None, isNeeded: bool = False) -> Table:
    return fields(arg=name, type=kind, help=text, default=default, req=isNeeded)


_COMMON = (
    _parameter("separator", "string", "separator (one character)", ","),
    _parameter("mode", "string", "mode: raw | tidy | query | large", "tidy"),
    _parameter("header", "boolean", "the first line has the names of the variables", True),
    _parameter("verbose", "boolean", "say what is done", True),
)
_LOAD = (
    _parameter("path", "string", "path to file", isNeeded=True),
    *_COMMON,
    _parameter("skip", "number", "number of lines at the start that are left out", 0.0),
    _parameter("column_order", "boolean", "return the names in their order, too", False),
)
_SAVE = (
    _parameter("path", "string", "path to file", isNeeded=True),
    _parameter("data", "table", "table to save", isNeeded=True),
    _COMMON[0],
    _parameter("mode", "string", "mode: raw | tidy | query", "autodetect"),
    *_COMMON[2:],
    _parameter("column_order", "table", "names of the variables in the order in which they are written"),
    _parameter("nan_as_missing", "boolean", "write NaN as an empty field", False),
)
_QUERY = (
    _parameter("query", "string", "query: all | help | vars | inter | union", "all"),
    _parameter("vars", "table", "values of variables: {var1 = {1}, var2 = {2, 3}}"),
)


class _Package:
    """The functions of a session's package."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.open = state.globals.io.open
        self.unpack = state.require("xlua").unpack
        self.metatable = new_class(state.types, "csvigo.File", None)
        methods = {"__init": self.begin, "close": self.close, "lines": self.lines, "read": self.read, "readall": self.read_all}
        methods |= {"write": self.write, "writeall": self.write_all}
        made = functions({name: ("file *any", method) for name, method in methods.items()}, file=_file)
        register(made)
        self.metatable.__dict__.update(made)
        self.File = constructor_of(self.metatable, object_maker(self.metatable))

    def begin(self, file: Table, path: Any = MISSING, mode: Any = MISSING, separator: Any = None, *options: Any) -> Any:
        path = string(path, 1, "File")
        found = self.open(path, string(mode, 2, "File"))
        if found.__class__ is tuple:
            raise_error(found[1])
        isMissing = truth(options[0] if options else None)
        file.__dict__.update(filepath=path, file=found, separator=separator or ",", nan_as_missing=isMissing)
        return ()

    def do(self, file: Table, name: str, *arguments: Any) -> Any:
        """Calls a method of the stream of a file."""
        stream = file.file
        return self.state.index(stream, name)(stream, *arguments)

    def close(self, file: Table, *_: Any) -> Any:
        self.do(file, "close")
        return ()

    def lines(self, file: Table, *_: Any) -> Any:
        return self.do(file, "lines")

    def read(self, file: Table, *_: Any) -> Any:
        line = first(self.do(file, "read", "*l"))
        return None if line is None else table_of(split(line, file.separator))

    def read_all(self, file: Table, mode: Any = None, *_: Any) -> Table:
        lines = first(self.do(file, "read", "*a")).split("\n")
        lines = lines[:-1] if not lines[-1] else lines
        return self.large(lines, file.separator) if mode == "large" else table_of(self.rows(lines, file.separator))

    def rows(self, lines: list[str], separator: str) -> list[Table]:
        return [table_of(split(line, separator)) for line in lines]

    def large(self, lines: list[str], separator: str) -> Table:
        """Returns a table of lines, which splits a line whenever it is read."""

        def index(_: Any, place: Any = None, *_rest: Any) -> Table:
            if place.__class__ is not float or not 1 <= place <= len(lines):
                raise_error(f"index out of bounds: {first(self.state.tostring(place))}")
            return table_of(split(lines[int(place) - 1], separator))

        def refuse(*_: Any) -> Any:
            raise_error("attempt to update a read-only table")

        def pairs(table: Any, *_: Any) -> Any:
            rows = iter(range(1, len(lines) + 1))

            def following(*_: Any) -> Any:
                place = next(rows, None)
                return None if place is None else (float(place), index(table, float(place)))

            return following, table, None

        def shown(*_: Any) -> str:
            ends = lines if len(lines) < 30 else [*lines[:_SHOWN], *[".. " * 9] * _SHOWN, *lines[-_SHOWN - 1 :]]
            return "".join(f"{line}\n" for line in ends)

        events = {"__index": index, "__newindex": refuse, "__len": lambda *_: float(len(lines)), "__tostring": shown}
        return with_metatable(Table(), **events, __pairs=pairs, __ipairs=pairs)

    def write(self, file: Table, row: Any = None, *_: Any) -> Any:
        if not isinstance(row, Table):
            wrong_type(row, 2, "write", "table")
        self.do(file, "write", join([value for _key, value in items(row)], file.separator, truth(file.nan_as_missing)) + "\n")
        return ()

    def write_all(self, file: Table, rows: Any = None, *_: Any) -> bool:
        if not isinstance(rows, Table):
            wrong_type(rows, 2, "writeall", "table")
        for row in listed(rows):
            self.write(file, row)
        return True

    def arguments(self, given: Any, name: str, parameters: tuple[Table, ...]) -> Table:
        """Returns arguments by their names. The path may begin with ~."""
        found: Table = self.unpack(table_of(given), name, None, *parameters)[0]
        if found.path.__class__ is str and found.path.startswith("~"):
            rawset(found, "path", str(first(self.state.globals.os.getenv("HOME"))) + found.path[1:])
        return found

    def saying(self, options: Table) -> Callable[[str], Any]:
        """Returns a function that prints what is done, if it is asked for."""
        return lambda text: self.state.globals.print("<csv>", text) if truth(options.verbose) else ()

    def load(self, *given: Any) -> Any:
        options = self.arguments(given, "csvigo.load", _LOAD)
        say, mode = self.saying(options), options.mode
        if mode not in _MODES:
            raise_error(f"csvigo.load: mode: expected one of {', '.join(_MODES)}, got {first(self.state.tostring(mode))}")
        say(f"parsing file: {first(self.state.tostring(options.path))}")
        file = called(self.File, options.path, "r", options.separator)
        rows = self.read_all(file, mode)
        self.close(file)
        if mode in ("raw", "large"):
            say("parsing done")
            return rows
        say("tidying up entries")
        entries = [listed(row) for row in listed(rows)][int(options.skip) :]
        if not entries:
            raise_error(f"csvigo.load: {options.path}: expected a line, got none")
        names = entries[0] if truth(options.header) else [f"var_{i}" for i in range(1, len(entries[0]) + 1)]
        columns: dict[str, list[str]] = {name: [] for name in names}
        for i, entry in enumerate(entries[1:] if truth(options.header) else entries, 1):
            if len(entry) > len(names):
                raise_error(
                    f"csvigo.load: {options.path}: row {i}: expected {len(names)} fields, as in the first, got {len(entry)}"
                )
            for name, value in zip(names, entry, strict=False):
                columns[name].append(value)
        tidy = Table()
        for name, column in columns.items():
            rawset(tidy, name, table_of(column))
        if mode == "tidy":
            say("returning tidy table")
            return (table_of(names), tidy) if truth(options.column_order) else tidy
        say("generating reversed index for fast queries")
        say("returning query closure, type query('help') to get help")
        return self.queries(tidy, columns)

    def queries(self, tidy: Table, columns: dict[str, list[str]]) -> Callable[..., Any]:
        """Returns a function that returns a part of a tidy table."""

        def query(*given: Any) -> Any:
            options = self.arguments(given or (fields(query="all"),), "query", _QUERY)
            if options.query == "help":
                return self.state.globals.print(options.usage)
            if options.query == "vars":
                return table_of(columns)
            if options.query == "all":
                return tidy
            matches = []
            for name, wanted in items(options.vars):
                if name not in columns:
                    raise_error(f"csvigo: query: there is no variable '{first(self.state.tostring(name))}'")
                values = listed(wanted) if isinstance(wanted, Table) else [wanted]
                texts = {first(self.state.tostring(value)) for value in values}
                matches.append({i for i, value in enumerate(columns[name]) if value in texts})
            chosen = set().union(*matches) if options.query == "union" else set.intersection(*matches) if matches else set()
            found = Table()
            for name, column in columns.items():
                rawset(found, name, table_of(column[i] for i in sorted(chosen) if i < len(column)))
            return found

        return functions({"query": ("*any", query)})["query"]

    def save(self, *given: Any) -> Any:
        options = self.arguments(given, "csvigo.save", _SAVE)
        say, data = self.saying(options), options.data
        mode = options.mode
        if mode == "autodetect":
            mode = "query" if not isinstance(data, Table) else "tidy" if rawget(data, 1.0) is None else "raw"
        if mode not in _MODES[:3]:
            raise_error(f"csvigo.save: mode: expected one of {', '.join(_MODES[:3])}, got {first(self.state.tostring(mode))}")
        say(f"writing to file: {first(self.state.tostring(options.path))}")
        data = called(data, "all") if mode == "query" else data
        if not isinstance(data, Table):
            raise_error(f"csvigo.save: data: expected a table, got {described(data)}")
        rows = listed(data) if mode == "raw" else self.untidied(data, options, say)
        file = called(self.File, options.path, "w", options.separator, options.nan_as_missing)
        self.write_all(file, table_of(rows))
        say("writing done")
        self.close(file)
        return ()

    def untidied(self, tidy: Table, options: Table, say: Callable[[str], Any]) -> list[Table]:
        """Returns the rows of a tidy table."""
        say("exporting tidy table to raw CSV")
        names = [name for name, _ in items(tidy)] if options.column_order is None else listed(options.column_order)
        columns = []
        for name in names:
            column = rawget(tidy, name)
            if not isinstance(column, Table):
                raise_error(f"csvigo.save: expected a table of values for '{first(self.state.tostring(name))}'")
            columns.append(listed(column))
        length = max(map(len, columns), default=0)
        rows = [table_of(column[i] for column in columns if i < len(column)) for i in range(length)]
        return [table_of(names), *rows] if truth(options.header) else rows


def library(state: State) -> Table:
    """Returns the package's table."""
    for name in ("torch", "dok"):
        state.require(name)
    package = _Package(state)
    made = functions({"load": ("*any", package.load), "save": ("*any", package.save)})
    return fields(**state.outside("csvigo", made), File=package.File)
