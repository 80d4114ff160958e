"""Functions for programs that `pytorch-legacy lua --to-python` writes, where Python's own words would not mean what Lua's do.

>>> from pytorch_legacy.lua.helpers import first, or_, text, true
>>> true(0), or_(0, lambda: 1), first((4, 5)), text("n", 2.0)
(True, 0, 4, 'n2')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .language import operators
from .torch7 import program

__all__ = [
    "add", "and_", "call", "cut", "div", "each", "eq", "field", "first", "le", "length", "lt", "many", "mod", "mul", "or_",
    "power", "sub", "text", "true", "upto",
]  # fmt: skip


def true(value: Any) -> bool:
    """Returns True if a value is neither nil nor false: 0 and "" are true in Lua."""
    return value is not None and value is not False


def or_(value: Any, other: Callable[..., Any]) -> Any:
    """Returns ``value or other()`` where 0 and "" are true."""
    return value if true(value) else other()


def and_(value: Any, other: Callable[..., Any]) -> Any:
    """Returns ``value and other()`` where 0 and "" are true."""
    return other() if true(value) else value


def eq(a: Any, b: Any) -> bool:
    """Returns ``a == b`` where 1 is not true."""
    return bool(operators.eq(program().lua(a), program().lua(b)))


# ------------------------------------------------------------------------------------------------------ results


def first(results: Any) -> Any:
    """Returns the first result of a call, None if there is none."""
    return operators.first(results)


def many(results: Any) -> tuple[Any, ...]:
    """Returns the results of a call as a tuple."""
    return operators.many(results)


def cut(n: int, results: Any) -> tuple[Any, ...]:
    """Returns n results of a call, with None for those that are missing."""
    return operators.cut(n, results)


# ------------------------------------------------------------------------------------------------------ access


def field(value: Any, name: str) -> Any:
    """Returns a field that is called without an object: ``value.name(...)`` of Lua."""
    return program().field(program().lua(value), name, False)


def call(value: Any, name: str, *arguments: Any) -> Any:
    """Calls ``value:name(...)``, whatever the value is."""
    return program().method(value, name)(*arguments)


def length(value: Any) -> Any:
    """Returns ``#value``."""
    return program().call(operators.length, program().lua(value))


# ------------------------------------------------------------------------------------------------------ operators


def _operator(function: Callable[..., Any], doc: str) -> Callable[..., Any]:
    def operator(*operands: Any) -> Any:
        return program().call(function, *map(program().lua, operands))

    operator.__doc__ = doc
    return operator


text = _operator(operators.concat, "Returns ``a .. b .. c``.")
add = _operator(operators.add, "Returns ``a + b``, where a string may be a number.")
sub = _operator(operators.sub, "Returns ``a - b``, where a string may be a number.")
mul = _operator(operators.mul, "Returns ``a * b``, where a string may be a number.")
div = _operator(operators.div, "Returns ``a / b``, which is infinite or NaN if b is 0.")
mod = _operator(operators.mod, "Returns ``a % b``, which is NaN if b is 0.")
power = _operator(operators.pow_, "Returns ``a ^ b``.")
lt = _operator(operators.lt, "Returns ``a < b``.")
le = _operator(operators.le, "Returns ``a <= b``.")


# ------------------------------------------------------------------------------------------------------ loops


def upto(start: Any, stop: Any, step: Any = 1) -> Iterator[Any]:
    """Returns the numbers of ``for i = start, stop, step``, which need not be whole."""
    own = program()
    return map(own.shown, operators.upto(own.lua(start), own.lua(stop), own.lua(step)))


def each(n: int, function: Any = None, state: Any = None, control: Any = None, *_: Any) -> Iterator[Any]:
    """Returns the values of ``for a, b in function, state, control``: n of them in each turn."""
    own = program()
    for found in operators.each(n, own.lua(function), own.lua(state), own.lua(control)):
        yield tuple(map(own.shown, found)) if n > 1 else own.shown(found)
