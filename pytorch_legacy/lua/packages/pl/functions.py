"""Functions as Penlight takes them: what can be called, the sign of an operator, or a short text such as ``|x| x + 1``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...language import operators
from ...language.errors import raise_error
from ...language.table import Table, fields, index, sequence, set_metatable
from ..functions import functions, refuse
from ..values import called, is_callable, is_table, kind_of, listed, table_of, truth

if TYPE_CHECKING:
    from ...language.state import State

NAMED: dict[str, Any] = functions({
    **{name: ("any any", getattr(operators, name)) for name in ("add", "sub", "mul", "div", "mod", "concat", "eq")},
    **{name: ("any any", getattr(operators, name)) for name in ("lt", "le", "gt", "ge")},
    **{"pow": ("any any", operators.pow_), "unm": ("any", operators.neg), "len": ("any", operators.length)},
    "neq": ("any any", lambda a, b: not operators.eq(a, b)),
    "lnot": ("any", lambda a: not truth(a)),
    "land": ("any any", lambda a, b: b if truth(a) else a),
    "lor": ("any any", lambda a, b: a if truth(a) else b),
    "index": ("any any", index),
    "call": ("any *any", called),
    "table": ("*any", sequence),
})  # fmt: skip
"""The functions of ``pl.operator``."""
SIGNS = {
    **{"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "^": "pow", "..": "concat", "()": "call", "[]": "index"},
    **{"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "~=": "neq", "#": "len", "and": "land", "or": "lor"},
    **{"{}": "table", "": "call", "not": "lnot", "~": "lnot"},
}


def string_lambda(state: State, text: str) -> Any:
    """Returns the function of a text: ``|x, y| x + y``, or an expression of ``_``. None if it is none."""
    match = re.match(r"\|([^|]*)\|(.+)", text, re.DOTALL)
    names, body = (match[1], match[2]) if match else ("_", text)
    if match is None and "_" not in text:
        return None
    return called(state.load(f"return function({names}) return {body} end", "=lambda"))


def function_of(state: State, position: int, value: Any) -> Any:
    """Returns an argument as a function."""
    if value.__class__ is str:
        if value in SIGNS:
            return NAMED[SIGNS[value]]
        if (found := string_lambda(state, value)) is not None:
            return found
    elif is_callable(value):
        return value
    raise_error(f"argument {position}: must be callable")


def of_penlight(state: State, declarations: dict[str, Any], failing: Any = refuse) -> dict[str, Any]:
    """Returns the functions of declarations, in which the kinds of functions are what `function_of` takes."""

    def function(value: Any, position: int, _: str) -> Any:
        return function_of(state, position, value)

    def call(value: Any, position: int, _: str) -> Any:
        found = function_of(state, position, value)
        return lambda *given: called(found, *given)

    def test(value: Any, position: int, _: str) -> Any:
        found = function_of(state, position, value)
        return lambda *given: truth(called(found, *given))

    return functions(declarations, failing, function=function, call=call, test=test)


def of_class(state: State, table: Table, name: str, source: Any = None) -> Table:
    """Gives a table the class of a source, or a class of Penlight by its name. Returns the table."""
    metatable = kind_of(source)
    if metatable is None and name:
        metatable = state.require(f"pl.{name}")
    if metatable is not None:
        set_metatable(table, metatable)
    return table


def lister(state: State) -> Callable[..., Table]:
    """Returns a function that makes a ``pl.List`` of values, or a table of the class of a source."""
    return lambda values, source=None: of_class(state, table_of(values), "List", source)


def drawn(source: Any) -> list[Any]:
    """Returns the values of a table, the characters of a string, or what an iterator returns."""
    if source is None or is_table(source) or source.__class__ is str:
        return [] if source is None else listed(source) if is_table(source) else list(source)
    return list(iter(lambda: called(source), None))


def operator_library(state: State) -> Table:
    """Returns the table of ``pl.operator``."""
    signs = fields(**{sign: NAMED[name] for sign, name in SIGNS.items()})
    return fields(**NAMED, optable=signs)
