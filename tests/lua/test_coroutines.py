"""Coroutines, on threads and on greenlets."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pytorch_legacy.lua.language import coroutines

from .running import result, rows


@pytest.fixture(params=["threads", "greenlets"], autouse=True)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "threads":
        monkeypatch.setattr(coroutines, "greenlet", None)
    else:
        pytest.importorskip("greenlet", reason="needs greenlet")
    yield request.param


@rows(
    ("local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) return c * 2 end) "
     "local _, x = coroutine.resume(co, 1, 2) local _, y = coroutine.resume(co, 10) return x, y, coroutine.status(co)",
     (3.0, 20.0, "dead")),
    ("local f = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return f(), f(), f(), f()",
     (1.0, 2.0, 3.0)),
    ("local s = 0 for i in coroutine.wrap(function() for i = 1, 4 do coroutine.yield(i) end end) do s = s + i end return s",
     10.0),
    ("local co = coroutine.create(function() error('inner') end) return coroutine.resume(co)", (False, "t:1: inner")),
    ("local co = coroutine.create(function() end) coroutine.resume(co) return coroutine.resume(co)",
     (False, "cannot resume dead coroutine")),
    ("local f = coroutine.wrap(function() return pcall(function() local x = coroutine.yield(1) error(x, 0) end) end) "
     "return f(), f('late')", (1.0, False, "late")),
    ("local f = coroutine.wrap(function() local t = {3, 1, 2} table.sort(t, function(a, b) coroutine.yield(0) return a < b end) "
     "return t[1] end) local n = f() while n == 0 do n = f() end return n", 1.0),
    ("local outer outer = coroutine.create(function() "
     "local inner = coroutine.create(function() return coroutine.status(outer) end) "
     "return coroutine.resume(inner) end) return coroutine.resume(outer)", (True, True, "normal")),
    ("return coroutine.running(), pcall(coroutine.yield)",
     (None, False, "attempt to yield from outside a coroutine")),
    ("local f = coroutine.wrap(function(...) return select('#', ...), coroutine.yield(...) end) return f(nil, nil)",
     (None, None)),
    ("local co co = coroutine.create(function() return coroutine.resume(co) end) return coroutine.resume(co)",
     (True, False, "cannot resume running coroutine")),
)  # fmt: skip
def test_coroutines(code: str, expected: Any) -> None:
    assert result(code) == expected


def test_threads_of_coroutines_that_are_collected_end(kind: str) -> None:
    before = threading.active_count()
    result("for i = 1, 20 do local co = coroutine.wrap(function() coroutine.yield(1) end) co() end")
    gc.collect()
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_protected_calls_in_many_coroutines_are_counted_apart() -> None:
    code = """
    local all = {}
    for i = 1, 300 do
      all[i] = coroutine.wrap(function() return pcall(function() coroutine.yield(i) return i end) end)
      all[i]()
    end
    local s = 0
    for i = 1, 300 do s = s + select(2, all[i]()) end
    return s
    """
    assert result(code) == 45150.0
