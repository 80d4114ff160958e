"""The package ``trepl``: what Torch7's console ``th`` brings to a program, its loop over lines, and ``trepl.colorize``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, string
from ..language.errors import value_of
from ..language.lexer import LuaSyntaxError
from ..language.operators import many
from ..language.table import Table, fields, first, metamethod, rawget, rawset
from .env import shown
from .sys import colours
from .values import is_table, items, with_metatable

if TYPE_CHECKING:
    from ..language.state import State


def _run(state: State, line: str) -> None:
    """Runs a line: an expression, whose values are printed, or statements. Prints its error."""
    try:
        try:
            function = state.load(f"return {line.removeprefix('=')}", "=stdin")
        except LuaSyntaxError:
            function = state.load(line, "=stdin")
        for value in many(function()):
            state.write(shown(state, value) + "\n")
    except LuaSyntaxError as problem:
        state.write(f"{problem}\n")
    except Exception as error:
        state.write(f"{first(state.tostring(value_of(error)))}\n")


_LOADED = ("torch", "paths", "sys", "xlua", "pl", "env")
"""The packages that ``th`` loads before a program."""


def library(state: State) -> Table:
    """Returns the package's table. Called, it is the console. Programs that ``th`` runs find what it loads."""
    for name in _LOADED:
        state.require(name)

    def console(*_: Any) -> tuple[()]:
        for line in sys.stdin:
            _run(state, line.rstrip("\n").encode("utf-8", "surrogateescape").decode("latin-1"))
        return ()

    def import_(name: Any = MISSING, *_: Any) -> tuple[()]:
        package = state.require(string(name, 1, "import"))
        if (pairs := metamethod(package, "__pairs")) is not None:
            pairs(package)  # a package of classes makes all of them
        for key, value in items(package) if is_table(package) else ():
            if rawget(state.globals, key) is None:
                rawset(state.globals, key, value)
        return ()

    state.globals.__dict__["import"] = import_
    return with_metatable(fields(repl=console), __call=console)


def colorize(state: State) -> Table:
    """Returns ``trepl.colorize``: ``colorize.red(text)`` is the text in red."""
    codes = colours()

    def painter(code: str) -> Any:
        return lambda text=None, *_: f"{code}{first(state.tostring(text))}{codes['none']}"

    return fields(**{name: painter(code) for name, code in codes.items() if name != "none"})
