"""``pl.utils``: files in one go, splitting, arguments, and functions out of texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...language.arguments import MISSING, string
from ...language.errors import raise_error, type_name
from ...language.libraries.files import Console, decoded, encoded
from ...language.libraries.os import execute
from ...language.libraries.string import find
from ...language.table import Table, fields, metamethod, rawset, sequence
from ..values import called, is_table, items, table_of, truth, with_metatable
from .functions import function_of, string_lambda

if TYPE_CHECKING:
    from ...language.state import State


def escape(text: Any = MISSING, *_: Any) -> str:
    return re.sub(r"[-.+\[\]()$^%?*]", lambda match: "%" + match[0], string(text, 1, "escape"))


def parts(text: str, pattern: str, isPlain: bool = False, most: int | None = None) -> list[str]:
    """Returns the parts of a text between the matches of a pattern, without an empty last one."""
    if pattern == "":
        return [text]
    found: list[str] = []
    begin = 0
    while (match := find(text, pattern, float(begin + 1), isPlain)) is not None:
        start, end = int(match[0]), int(match[1])
        if end < start:
            break
        found.append(text[begin : start - 1])
        if most is not None and len(found) == most:
            found[-1] = text[begin:]
            return found
        begin = end
    if text[begin:]:
        found.append(text[begin:])
    return [] if found == [""] else found


def split(text: Any = MISSING, pattern: Any = None, isPlain: Any = None, most: Any = None, *_: Any) -> Table:
    pattern = r"%s+" if pattern is None else pattern
    return table_of(parts(string(text, 1, "split"), pattern, truth(isPlain), None if most is None else int(most)))


def splitv(text: Any = MISSING, pattern: Any = None, *_: Any) -> Any:
    return tuple(parts(string(text, 1, "splitv"), r"%s+" if pattern is None else pattern))


def choose(condition: Any = None, yes: Any = None, no: Any = None, *_: Any) -> Any:
    return yes if truth(condition) else no


def is_callable(value: Any = None, *_: Any) -> bool:
    return callable(value) and (not is_table(value) or metamethod(value, "__call") is not None)


def readfile(name: Any = MISSING, *_: Any) -> Any:
    name = string(name, 1, "readfile")
    try:
        with open(encoded(name), "rb") as file:
            return decoded(file.read())
    except OSError as problem:
        return None, f"{name}: {problem.strerror}"


def writefile(name: Any = MISSING, text: Any = MISSING, *_: Any) -> Any:
    name, text = string(name, 1, "writefile"), string(text, 2, "writefile")
    try:
        with open(encoded(name), "wb") as file:
            file.write(encoded(text))
    except OSError as problem:
        return None, f"{name}: {problem.strerror}"
    return True


def readlines(name: Any = MISSING, *_: Any) -> Any:
    found = readfile(string(name, 1, "readlines"))
    if found.__class__ is tuple:
        return found
    lines = found.split("\n")
    return table_of(lines[:-1] if lines[-1] == "" else lines)


def pack(*values: Any) -> Table:
    found = sequence(*values)
    found.__dict__["n"] = float(len(values))
    return found


def bind1(function: Any = MISSING, value: Any = None, *_: Any) -> Any:
    return lambda *rest: function(value, *rest)


def bind2(function: Any = MISSING, value: Any = None, *_: Any) -> Any:
    return lambda *rest: function(*rest[:1], value, *rest[1:])


def is_type(value: Any = None, kind: Any = MISSING, *_: Any) -> bool:
    if kind.__class__ is str:
        return type_name(value) == kind
    return kind is not None and getattr(value, "_metatable", None) is kind and not isinstance(value, str)


def assert_arg(n: Any = MISSING, value: Any = None, kind: Any = MISSING, verify: Any = None, words: Any = None, *_: Any) -> Any:
    if type_name(value) != kind:
        raise_error(f"argument {int(n)} expected a '{kind}' got a '{type_name(value)}'")
    if verify is not None and not truth(called(verify, value)):
        raise_error(f"argument {int(n)}: '{value}' {words}")
    return value


def assert_string(n: Any = MISSING, value: Any = None, *_: Any) -> Any:
    return assert_arg(n, value, "string")


def _printing(state: State) -> dict[str, Any]:
    def format(*values: Any) -> str:
        return str(state.index(state.globals.string, "format")(*values))

    def printf(*values: Any) -> tuple[()]:
        state.write(format(*values))
        return ()

    def fprintf(file: Any = MISSING, *values: Any) -> tuple[()]:
        state.method(file, "write")(file, format(*values))
        return ()

    def quit(code: Any = None, *values: Any) -> None:
        errors = Console("stderr")
        if code.__class__ is str:
            code, values = -1.0, (code, *values)
        if values:
            errors.write(format(*values) + "\n")
        raise SystemExit(0 if code is None or code is True else int(code))

    return {"printf": printf, "fprintf": fprintf, "quit": quit}


def library(state: State) -> Table:
    """Returns the table of the module."""
    mode = "default"

    def on_error(new: Any = MISSING, *_: Any) -> tuple[()]:
        nonlocal mode
        mode = string(new, 1, "on_error")
        return ()

    def raise_(problem: Any = None, *_: Any) -> Any:
        if mode == "default":
            return None, problem
        if mode == "quit":
            printing["quit"](problem)
        raise_error(str(problem))

    def import_(source: Any = None, target: Any = None, *_: Any) -> tuple[()]:
        source = table if source is None else state.require(source) if source.__class__ is str else source
        for key, value in items(source):
            rawset(state.globals if target is None else target, key, value)
        return ()

    def lambda_(text: Any = MISSING, *_: Any) -> Any:
        found = string_lambda(state, string(text, 1, "string_lambda"))
        return (None, "not a string lambda") if found is None else found

    def function_arg(n: Any = 1.0, value: Any = None, *_: Any) -> Any:
        return function_of(state, int(n), value)

    def memoize(function: Any = MISSING, *_: Any) -> Table:
        def missing(made: Any, key: Any = None, *_: Any) -> Any:
            value = called(function, key)
            rawset(made, key, value)
            return value

        return with_metatable(Table(), __index=missing, __call=lambda made, key=None, *_: state.index(made, key))

    def execute_(command: Any = None, *_: Any) -> tuple[bool, float]:
        state.flush()
        status = execute(command)
        return status == 0.0, status // 256

    printing = _printing(state)
    names = state.globals
    table = fields(
        **printing,
        **{"escape": escape, "split": split, "splitv": splitv, "choose": choose, "is_callable": is_callable, "pack": pack},
        **{
            "readfile": readfile,
            "writefile": writefile,
            "readlines": readlines,
            "bind1": bind1,
            "bind2": bind2,
            "is_type": is_type,
        },
        **{"assert_arg": assert_arg, "assert_string": assert_string, "on_error": on_error, "raise": raise_, "import": import_},
        **{"string_lambda": lambda_, "function_arg": function_arg, "memoize": memoize, "execute": execute_, "dir_separator": "/"},
        **{"unpack": names.unpack, "load": names.load, "setfenv": names.setfenv, "getfenv": names.getfenv},
        patterns=fields(FLOAT=r"[%+%-%d]%d*%.?%d*[eE]?[%+%-]?%d*", INTEGER=r"[+%-%d]%d*", IDEN=r"[%a_][%w_]*"),
        stdmt=fields(),
    )
    return table
