"""Declarations of functions: how arguments become values of Python, and results values of Lua."""

from __future__ import annotations

import os
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua.language.errors import register
from pytorch_legacy.lua.packages.functions import declared


def call(text: str, code: str, compute: Any = lambda *given: repr(given)) -> Any:
    lua = pl.lua.Session()
    lua.globals["t"] = {}
    lua.globals["t"]._table.__dict__["f"] = function = declared("f", text, compute)
    register({"f": function})
    return lua.execute(code, "=t")


@pytest.mark.parametrize("text, code, expected", [
    ("number whole?", "t.f('2')", "(2.0, None)"),
    ("whole=3 string=ab", "t.f()", "(3, 'ab')"),
    ("list *whole", "t.f({1, 'a'}, 2, 3.7)", "([1.0, 'a'], 2, 3)"),
    ("pairs values", "t.f({a = 1}, {b = 2})", "([('a', 1.0)], [2.0])"),
    ("path=. truth", "t.f(nil, 0)", "(b'.', True)"),
    ("any", "t.f()", "(None,)"),
    ("count", "t.f(-3)", "(0,)"),
])  # fmt: skip
def test_arguments(text: str, code: str, expected: str) -> None:
    assert call(text, f"return {code}") == expected


@pytest.mark.parametrize("text, code, message", [
    ("number", "t.f()", "bad argument #1 to 'f' (number expected, got no value)"),
    ("any whole", "t.f(1, 1 / 0)", "bad argument #2 to 'f' (whole number expected, got inf)"),
    ("any *list", "t.f(1, {}, 2)", "bad argument #3 to 'f' (table expected, got number)"),
    ("call", "t.f({})", "bad argument #1 to 'f' (function expected, got table)"),
    ("any number", "t:f('x')", "bad argument #1 to 'f' (number expected, got string)"),
])  # fmt: skip
def test_errors_name_position_and_function(text: str, code: str, message: str) -> None:
    with pytest.raises(pl.lua.LuaError) as caught:
        call(text, code)
    assert str(caught.value.value).endswith(message)


@pytest.mark.parametrize("value, code, expected", [
    (lambda: [1, [b"a"]], "local x = t.f() return x[1], x[2][1]", (1, "a")),
    (lambda: iter([(1, "a"), (2, "b")]), "local s = '' for i, c in t.f() do s = s .. i .. c end return s", "1a2b"),
    (lambda: (True, 2), "return t.f()", (True, 2)),
    (lambda: (), "return select('#', t.f())", 0),
])  # fmt: skip
def test_results(value: Any, code: str, expected: Any) -> None:
    assert call("", code, value) == expected


def test_errors_of_the_system_name_the_file() -> None:
    with pytest.raises(pl.lua.LuaError, match="/no/such/file: No such file or directory"):
        call("path", "t.f('/no/such/file')", os.listdir)
