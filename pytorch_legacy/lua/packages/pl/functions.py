"""Functions as Penlight takes them: what can be called, the sign of an operator, or a short text such as ``|x| x + 1``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...language import operators
from ...language.errors import raise_error
from ...language.table import Table, metamethod, sequence
from ..values import called, is_table, truth

if TYPE_CHECKING:
    from ...language.state import State


def _index(a: Any = None, b: Any = None, *_: Any) -> Any:
    from ...language.table import index

    return index(a, b)


def _and(a: Any = None, b: Any = None, *_: Any) -> Any:
    return b if truth(a) else a


def _or(a: Any = None, b: Any = None, *_: Any) -> Any:
    return a if truth(a) else b


def _two(compute: Callable[[Any, Any], Any]) -> Any:
    """Returns a function of two arguments as Lua calls it."""

    def operator(a: Any = None, b: Any = None, *_: Any) -> Any:
        return compute(a, b)

    return operator


def _one(compute: Callable[[Any], Any]) -> Any:
    def operator(a: Any = None, *_: Any) -> Any:
        return compute(a)

    return operator


def _call(function: Any = None, *arguments: Any) -> Any:
    return called(function, *arguments)


NAMED: dict[str, Any] = {
    **{"add": _two(operators.add), "sub": _two(operators.sub), "mul": _two(operators.mul), "div": _two(operators.div)},
    **{"mod": _two(operators.mod), "pow": _two(operators.pow_), "unm": _one(operators.neg), "len": _one(operators.length)},
    **{"concat": _two(operators.concat), "eq": _two(operators.eq), "neq": _two(lambda a, b: not operators.eq(a, b))},
    **{"lt": _two(operators.lt), "le": _two(operators.le), "gt": _two(operators.gt), "ge": _two(operators.ge)},
    **{"lnot": _one(lambda a: not truth(a)), "land": _and, "lor": _or, "index": _index, "call": _call},
    "table": lambda *values: sequence(*values),
}
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
        found = string_lambda(state, value)
        if found is not None:
            return found
    elif callable(value) and (not is_table(value) or metamethod(value, "__call") is not None):
        return value
    raise_error(f"argument {position}: must be callable")


def operator_library(state: State) -> Table:
    """Returns the table of ``pl.operator``."""
    table = Table()
    table.__dict__.update(NAMED)
    signs = Table()
    signs.__dict__.update({sign: NAMED[name] for sign, name in SIGNS.items()})
    table.__dict__["optable"] = signs
    return table
