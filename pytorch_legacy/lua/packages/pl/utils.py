"""``pl.utils``: files in one go, splitting, arguments, and functions out of texts; and ``pl.types``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...language.errors import raise_error, type_name
from ...language.libraries.files import Console, decoded, encoded
from ...language.libraries.os import execute
from ...language.libraries.string import find
from ...language.operators import format_number
from ...language.table import Table, fields, first, rawset, sequence
from ..functions import functions
from ..values import called, extended, is_callable, is_table, items, kind_of, with_metatable
from .functions import function_of, of_penlight, string_lambda

if TYPE_CHECKING:
    from ...language.state import State


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


splitv = "string string=%s+", lambda text, pattern: tuple(parts(text, pattern))


def refused(problem: OSError, path: Any) -> Any:
    """Returns nil and a message."""
    return None, f"{decoded(path)}: {problem.strerror}"


def _read(path: bytes) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: bytes, text: str) -> bool:
    with open(path, "wb") as file:
        file.write(encoded(text))
    return True


def _lines(path: bytes) -> list[str]:
    lines = decoded(_read(path)).split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _pack(*values: Any) -> Table:
    return extended(sequence(*values), [("n", float(len(values)))])


def _is_type(value: Any, kind: Any) -> bool:
    if kind.__class__ is str:
        return type_name(value) == kind
    return kind is not None and kind_of(value) is kind


def _asserted(n: int, value: Any, kind: Any, verify: Any = None, words: Any = None) -> Any:
    if type_name(value) != kind:
        raise_error(f"argument {n} expected a '{kind}' got a '{type_name(value)}'")
    if verify is not None and not verify(value):
        shown = format_number(value) if value.__class__ is float else str(value).lower() if value.__class__ is bool else value
        raise_error(f"argument {n}: '{shown}' {'is wrong' if words is None else words}")
    return value


FILES = functions(
    {"readfile": ("path", _read), "writefile": ("path string", _write), "readlines": ("path", _lines)},
    refused,
)
"""The functions that read and write files in one go."""
_FUNCTIONS = functions({
    "escape": ("string", lambda text: re.sub(r"[-.+\[\]()$^%?*]", lambda match: "%" + match[0], text)),
    "split": ("string string=%s+ truth count?", parts),
    "splitv": splitv,
    "choose": ("truth any any", lambda isTrue, yes, no: yes if isTrue else no),
    "is_callable": ("any", is_callable),
    "pack": ("*any", _pack),
    "bind1": ("function any", lambda function, value: lambda *rest: function(value, *rest)),
    "bind2": ("function any", lambda function, value: lambda *rest: function(*rest[:1], value, *rest[1:])),
    "is_type": ("any any", _is_type),
    "assert_arg": ("whole any any test? any", _asserted),
    "assert_string": ("whole any", lambda n, value: _asserted(n, value, "string")),
})  # fmt: skip


def _printing(state: State) -> dict[str, Any]:
    def text(*values: Any) -> str:
        return str(state.globals.string.format(*values))

    def printf(*values: Any) -> tuple[()]:
        state.write(text(*values))
        return ()

    def fprintf(file: Any, *values: Any) -> tuple[()]:
        called(state.method(file, "write"), file, text(*values))
        return ()

    def quit(code: Any, *values: Any) -> None:
        if code.__class__ is str:
            code, values = -1.0, (code, *values)
        if values:
            Console("stderr").write(text(*values) + "\n")
        state.exit(0 if code is None or code is True else int(code))

    return {
        "printf": ("*any", printf),
        "fprintf": ("any *any", fprintf),
        "quit": ("any *any", quit),
    }


def library(state: State) -> Table:
    """Returns the table of the module."""
    mode = "default"
    declarations = _printing(state)
    quit = declarations["quit"][1]

    def on_error(new: str) -> tuple[()]:
        nonlocal mode
        mode = new
        return ()

    def raise_(problem: Any) -> Any:
        if mode == "default":
            return None, problem
        if mode == "quit":
            quit(problem)
        raise_error(first(state.tostring(problem)))

    def import_(source: Any, target: Table | None) -> tuple[()]:
        source = module if source is None else state.require(source) if source.__class__ is str else source
        extended(state.globals if target is None else target, items(source))
        return ()

    def lambda_(text: str) -> Any:
        found = string_lambda(state, text)
        return (None, "not a string lambda") if found is None else found

    def memoize(call: Any) -> Table:
        def missing(made: Any, key: Any = None, *_: Any) -> Any:
            value = call(key)
            rawset(made, key, value)
            return value

        return with_metatable(Table(), __index=missing, __call=lambda made, key=None, *_: state.index(made, key))

    def run(command: str) -> tuple[bool, float]:
        state.flush()
        status = execute(command)
        return status == 0.0, status // 256

    declarations |= {
        "on_error": ("string", on_error),
        "raise": ("any", raise_),
        "import": ("any table?", import_),
        "string_lambda": ("string", lambda_),
        "function_arg": ("whole=1 any", lambda n, value: function_of(state, n, value)),
        "memoize": ("call", memoize),
    }
    system = of_penlight(state, {"execute": ("string", run)}) | FILES
    names = state.globals
    module = fields(
        **_FUNCTIONS,
        **of_penlight(state, declarations),
        **state.outside("pl.utils", system),
        **{"unpack": names.unpack, "load": names.load, "setfenv": names.setfenv, "getfenv": names.getfenv, "dir_separator": "/"},
        patterns=fields(FLOAT=r"[%+%-%d]%d*%.?%d*[eE]?[%+%-]?%d*", INTEGER=r"[+%-%d]%d*", IDEN=r"[%a_][%w_]*"),
        stdmt=fields(),
    )
    return module


def _to_bool(value: Any) -> bool:
    return value.lower() in ("yes", "y", "true", "t", "1") if value.__class__ is str else value not in (None, False, 0.0)


def types_library(state: State) -> Table:
    """Returns ``pl.types``."""
    made = {
        "is_integer": ("any", lambda value: value.__class__ is float and value.is_integer()),
        "is_empty": ("any", lambda value: value is None or value == "" or (is_table(value) and not items(value))),
        **dict.fromkeys(("is_iterable", "is_indexable", "is_writeable"), ("any", is_table)),
        "to_bool": ("any", _to_bool),
    }
    return fields(**functions(made), is_callable=_FUNCTIONS["is_callable"], is_type=_FUNCTIONS["is_type"])
