"""Operators where Python's meaning differs from Lua's, and the helpers of loops and results.

A number of Lua is a Python float, always. Compiled functions compute with floats themselves and call these functions otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from .errors import Fault, frame_at, raise_error
from .lexer import number as read_number
from .table import (
    MAX_CALLS,
    NESTING,
    TABLES,
    MetaTable,
    Table,
    Userdata,
    border,
    equal_by_metamethod,
    first,
    key_of,
    keys,
    metamethod,
    rawget,
)

_dictGet = dict.get
MAX_EXACT = 2.0**53  # integers below are exact in a float


def tonumber(value: Any) -> float | None:
    """Returns the number that a number or string is, or None."""
    if value.__class__ is float:
        return value
    return read_number(value) if value.__class__ is str else None


def format_number(x: float) -> str:
    """Returns a number as Lua prints it."""
    if x.is_integer() and -1e14 < x < 1e14 and x:
        return str(int(x))
    if x != x:
        return "-nan" if math.copysign(1, x) < 0 else "nan"
    return f"{x:.14g}"


# ------------------------------------------------------------------------------------------------------ arithmetic


def _arithmetic(event: str, compute: Callable[[float, float], float]) -> Callable[[Any, Any], Any]:
    def operator(a: Any, b: Any) -> Any:
        if a.__class__ is float and b.__class__ is float:
            return compute(a, b)
        x, y = tonumber(a), tonumber(b)
        if x is not None and y is not None:
            return compute(x, y)
        handler = _handler(a, event)
        if handler is None:
            handler = _handler(b, event)
        if handler is None:
            raise Fault("perform arithmetic on", a, b)
        return first(handler(a, b))

    return operator


def _handler(value: Any, event: str) -> Any:
    """Returns a metamethod of an operand, None if there is none. The metatable of strings belongs to the state that runs."""
    if value.__class__ is not str:
        return metamethod(value, event)
    frame = frame_at(0)
    strings = None if frame is None else frame.f_globals.get("strings")
    return None if strings is None else strings.__dict__.get(event)


def _divide(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if a != a or not a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def modulo(a: float, b: float) -> float:
    """Returns ``a - floor(a / b) * b``, as Lua computes it."""
    return a - a / b // 1.0 * b if b else math.nan


def power(a: float, b: float) -> float:
    """Returns C's ``pow``."""
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ValueError:
        return math.nan if a else math.copysign(math.inf, a) if b % 2 == 1 else math.inf


add = _arithmetic("__add", lambda a, b: a + b)
sub = _arithmetic("__sub", lambda a, b: a - b)
mul = _arithmetic("__mul", lambda a, b: a * b)
div = _arithmetic("__div", _divide)
mod = _arithmetic("__mod", modulo)
pow_ = _arithmetic("__pow", power)


def neg(a: Any) -> Any:
    """Returns ``-a``."""
    if (x := tonumber(a)) is not None:
        return -x
    handler = _handler(a, "__unm")
    if handler is None:
        raise Fault("perform arithmetic on", a)
    return first(handler(a, a))


# ------------------------------------------------------------------------------------------------------ comparison


def eq(a: Any, b: Any) -> bool:
    """Returns ``a == b``."""
    kind = a.__class__
    if kind is b.__class__:
        return bool(a == b)
    return kind in TABLES and equal_by_metamethod(a, b)


def _truth(results: Any) -> bool:
    value = first(results)
    return value is not None and value is not False


def _common(a: Any, b: Any, event: str) -> Any:
    """Returns the metamethod that both operands of a comparison have."""
    handler = metamethod(a, event)
    return handler if handler is not None and handler is metamethod(b, event) else None


def lt(a: Any, b: Any) -> bool:
    """Returns ``a < b``."""
    kind = a.__class__
    if kind is b.__class__ and (kind is float or kind is str):
        return bool(a < b)
    if (kind in TABLES and b.__class__ in TABLES) or kind is b.__class__:
        handler = _common(a, b, "__lt")
        if handler is not None:
            return _truth(handler(a, b))
    raise Fault("compare", a, b)


def le(a: Any, b: Any) -> bool:
    """Returns ``a <= b``."""
    kind = a.__class__
    if kind is b.__class__ and (kind is float or kind is str):
        return bool(a <= b)
    if (kind in TABLES and b.__class__ in TABLES) or kind is b.__class__:
        if (handler := _common(a, b, "__le")) is not None:
            return _truth(handler(a, b))
        if (handler := _common(a, b, "__lt")) is not None:
            return not _truth(handler(b, a))
    raise Fault("compare", a, b)


def gt(a: Any, b: Any) -> bool:
    """Returns ``a > b``."""
    return lt(b, a)


def ge(a: Any, b: Any) -> bool:
    """Returns ``a >= b``."""
    return le(b, a)


# ------------------------------------------------------------------------------------------------------ length and strings


def length(value: Any) -> Any:
    """Returns ``#value``."""
    kind = value.__class__
    if kind is Table:
        n = len(value)
        isEnd = _dictGet(value, n) is not None and _dictGet(value, n + 1) is None
        return float(n) if isEnd else float(border(value))
    if kind is str:
        return float(len(value))
    if (handler := metamethod(value, "__len")) is not None:
        return first(handler(value, value))
    if kind in TABLES:
        return float(border(value))
    raise Fault("get length of", value)


def concat(*parts: Any) -> Any:
    """Returns ``a .. b .. c``."""
    try:
        return "".join([part if part.__class__ is str else _text(part) for part in parts])
    except Fault:
        pass
    right = parts[-1]
    for left in reversed(parts[:-1]):
        right = _join(left, right)
    return right


def _text(part: Any) -> str:
    if part.__class__ is float:
        return format_number(part)
    raise Fault("concatenate", part)


def _join(left: Any, right: Any) -> Any:
    if left.__class__ in (str, float) and right.__class__ in (str, float):
        return concat(left, right)
    handler = metamethod(left, "__concat")
    if handler is None:
        handler = metamethod(right, "__concat")
    if handler is None:
        raise Fault("concatenate", left, right)
    return first(handler(left, right))


# ------------------------------------------------------------------------------------------------------ results


def many(results: Any) -> tuple[Any, ...]:
    """Returns the results of a call as a tuple."""
    return results if results.__class__ is tuple else (results,)


def cut(n: int, results: Any) -> tuple[Any, ...]:
    """Returns n of a call's results, with nil for those that are missing."""
    if results.__class__ is not tuple:
        return (results, *(None,) * (n - 1))
    count = len(results)
    if count == n:
        return results
    return results[:n] if count > n else results + (None,) * (n - count)


# ------------------------------------------------------------------------------------------------------ loops


def upto(start: Any, stop: Any, step: Any = 1.0) -> Iterator[float]:
    """Returns the numbers of ``for i = start, stop, step``."""
    a, b, c = _bound(start, "initial value"), _bound(stop, "limit"), _bound(step, "step")
    if a.is_integer() and c.is_integer() and c and abs(a) < MAX_EXACT and abs(b) < MAX_EXACT and abs(c) < MAX_EXACT:
        end = math.floor(b) + 1 if c > 0 else math.ceil(b) - 1
        return map(float, range(int(a), end, int(c)))
    return _steps(a, b, c)


def _bound(value: Any, what: str) -> float:
    x = tonumber(value)
    if x is None:
        raise_error(f"'for' {what} must be a number")
    return x


def _steps(a: float, b: float, c: float) -> Iterator[float]:
    while a <= b if c > 0 else a >= b:
        yield a
        a += c


def each(n: int, function: Any = None, state: Any = None, control: Any = None, *_: Any) -> Iterator[Any]:
    """Returns the values of ``for a, b in function, state, control``: tuples of n values, or single ones."""
    if function is next_ and control is None and state.__class__ in TABLES:
        return _pairs(n, state)
    if function is next_index and control == 0.0 and state.__class__ is Table:
        return _indices(n, state)
    if not callable(function):
        raise Fault("call", function)
    return _calls(n, function, state, control)


def _pairs(n: int, table: Table) -> Iterator[Any]:
    items = _items(table)
    if n == 2:
        return items
    padding = (None,) * (n - 2)
    return (key if n == 1 else (key, value, *padding) for key, value in items)


def _items(table: Table) -> Iterator[tuple[Any, Any]]:
    """Yields keys and values. Fields may be changed and removed on the way."""
    if len(table):
        for raw in list(dict.keys(table)):
            value = _dictGet(table, raw)
            if value is not None:
                yield (raw if raw.__class__ is float else key_of(raw)), value
    names = table.__dict__
    for name in list(names):
        value = names.get(name)
        if value is not None:
            yield name, value


def _indices(n: int, table: Table) -> Iterator[Any]:
    padding, i = (None,) * (n - 2), 1.0
    while (value := _dictGet(table, i)) is not None:
        yield i if n == 1 else (i, value, *padding)
        i += 1.0


def _calls(n: int, function: Any, state: Any, control: Any) -> Iterator[Any]:
    while True:
        NESTING.calls += 1  # a generator needs the stack of C
        try:
            if NESTING.calls > MAX_CALLS:
                raise RecursionError
            results = function(state, control)
        finally:
            NESTING.calls -= 1
        control = first(results)
        if control is None:
            return
        yield control if n == 1 else cut(n, results)


def next_(table: Any = None, key: Any = None, *_: Any) -> Any:
    """Returns the key after `key` and its value: Lua's ``next``."""
    if table.__class__ not in TABLES:
        if isinstance(table, Userdata) and table._raw is not None:
            return table._raw.next(table, key)
        raise_error(f"bad argument #1 to 'next' (table expected, got {'no value' if table is None else _name(table)})")
    order = _order(table, key)
    if order is None:
        raise_error("invalid key to 'next'")
    following, i = order
    while i < len(following):
        key = following[i]
        value = rawget(table, key)
        if value is not None:
            return key, value
        i += 1
    return None


def _name(value: Any) -> str:
    from .errors import type_name

    return type_name(value)


def _order(table: Table, key: Any) -> tuple[list[Any], int] | None:
    """Returns the keys of a table in the order of ``next``, and the place after a key; None if the table has no such key.

    The order is noted when a table is walked through from its beginning, so that fields may be removed on the way.
    """
    noted = table._order if key is not None else None
    mark = _mark(key)
    if noted is None or mark not in noted[1]:
        known = [key_of(raw) for raw in keys(table)]
        noted = (known, {_mark(one): i for i, one in enumerate(known)})
        object.__setattr__(table, "_order", noted)
    if key is None:
        return noted[0], 0
    return (noted[0], noted[1][mark] + 1) if mark in noted[1] else None


def _mark(key: Any) -> Any:
    """Returns a key of a dict for which true is not 1."""
    return (bool, key) if key.__class__ is bool else key


def next_index(table: Any, i: Any, *_: Any) -> Any:
    """Returns the index after `i` and its value: the iterator of ``ipairs``."""
    from .table import index

    i += 1.0
    value = rawget(table, i) if table.__class__ in TABLES else index(table, i)
    return None if value is None else (i, value)


HELPERS = {
    **{"add": add, "sub": sub, "mul": mul, "div": div, "mod": mod, "pow_": pow_, "neg": neg},
    **{"eq": eq, "lt": lt, "le": le, "gt": gt, "ge": ge, "length": length, "concat": concat},
    **{"first": first, "many": many, "cut": cut, "upto": upto, "each": each},
    **{"Table": Table, "MetaTable": MetaTable, "float": float, "str": str, "tuple": tuple},
}
"""Functions that compiled code calls by name."""
