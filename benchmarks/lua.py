"""Measures loops in Lua: compiled by pl.lua, written in Python by hand, and in Lua 5.1 if lupa is installed.

python -m benchmarks.lua                      all loops
python -m benchmarks.lua fields calls         those whose name holds a word

It prints millions of turns a second, and the share of Python's rate that ours has. All contestants take turns in one process; the
best of five rounds counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pytorch_legacy as pl

ROUNDS = 5
SECONDS = 0.1  # least time of a round


class Row(NamedTuple):
    """A loop.

    Attributes
    ----------
    name : str
        Its name.
    turns : int
        How many turns a call makes.
    lua, python : str
        The body of a function of n in both languages.
    """

    name: str
    turns: int
    lua: str
    python: str


COUNTER = """
local C = {} C.__index = C
function C:inc(d) self.x = self.x + d end
local o = setmetatable({x = 0}, C)
"""
PYTHON_COUNTER = """
class C:
    def __init__(self): self.x = 0.0
    def inc(self, d): self.x = self.x + d
o = C()
"""
PYTHON_TENSOR = """
import numpy as np
class T:
    __slots__ = ("a",)
    def __init__(self, a): self.a = a
    def add(self, b):
        np.add(self.a, b.a, self.a)
        return self
    def narrow(self, d, i, n): return T(self.a[(slice(None),) * int(d - 1) + (slice(int(i) - 1, int(i + n) - 1),)])
    def select(self, i): return T(self.a[int(i) - 1])
    def get(self, i): return self.a.item(int(i) - 1)
    def set(self, i, v): self.a[int(i) - 1] = v
x, y, m = T(np.zeros(100)), T(np.ones(100)), T(np.zeros((10, 10)))
"""
TENSOR = "local torch = require 'torch' local x, y, m = torch.zeros(100), torch.ones(100), torch.zeros(10, 10)"
FIB = "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib(20)"
PYTHON_FIB = "def fib(n):\n  if n < 2: return n\n  return fib(n - 1) + fib(n - 2)\nreturn fib(20.0)"
ROWS = (
    Row("numbers: s + i * 2 % 7", 20_000, "local s = 0 for i = 1, n do s = s + i * 2 % 7 end return s",
        "s = 0.0\nfor i in range(1, n + 1): s = s + i * 2.0 % 7.0\nreturn s"),
    Row("numbers: a + b", 20_000, "local a, b = 0, 1.5 for i = 1, n do a = a + b end return a",
        "a, b = 0.0, 1.5\nfor i in range(n): a = a + b\nreturn a"),
    Row("calls: fib(20)", 21_891, FIB, PYTHON_FIB),
    Row("calls: a local function", 20_000, "local function f(x) return x end local s for i = 1, n do s = f(i) end return s",
        "def f(x): return x\nfor i in range(n): s = f(i)\nreturn s"),
    Row("calls: two results", 20_000, "local function f(x) return x, x end local a, b for i = 1, n do a, b = f(i) end return b",
        "def f(x): return x, x\nfor i in range(n): a, b = f(i)\nreturn b"),
    Row("calls: a closure", 20_000, "local c = 0 local function f() c = c + 1 end for i = 1, n do f() end return c",
        "c = 0.0\ndef f():\n  nonlocal c\n  c = c + 1.0\nfor i in range(n): f()\nreturn c"),
    Row("calls: a method of a metatable", 10_000, f"{COUNTER} for i = 1, n do o:inc(1) end return o.x",
        f"{PYTHON_COUNTER}\nfor i in range(n): o.inc(1.0)\nreturn o.x"),
    Row("calls: pcall", 10_000, "local function f(x) return x end for i = 1, n do pcall(f, i) end",
        "def f(x): return x\nfor i in range(n):\n  try: f(i)\n  except Exception: pass"),
    Row("fields: o.x = o.x + 1", 20_000, "local o = {x = 0} for i = 1, n do o.x = o.x + 1 end return o.x",
        "class O: pass\no = O()\no.x = 0.0\nfor i in range(n): o.x = o.x + 1.0\nreturn o.x"),
    Row("fields: {x = i, y = i}", 10_000, "local t for i = 1, n do t = {x = i, y = i} end return t.y",
        "for i in range(n): t = {'x': i, 'y': i}\nreturn t['y']"),
    Row("items: t[i] = i", 10_000, "local t = {} for i = 1, n do t[i] = i end return #t",
        "t = []\nfor i in range(n): t.append(i)\nreturn len(t)"),
    Row("items: t[#t + 1] = i", 10_000, "local t = {} for i = 1, n do t[#t + 1] = i end return #t",
        "t = []\nfor i in range(n): t.append(i)\nreturn len(t)"),
    Row("items: sum of t[i]", 20_000, "local t, s = {}, 0 for i = 1, 100 do t[i] = i end for j = 1, n / 100 do for i = 1, 100 do "
        "s = s + t[i] end end return s",
        "t, s = [float(i) for i in range(100)], 0.0\nfor j in range(n // 100):\n  for i in range(100): s = s + t[i]\nreturn s"),
    Row("items: pairs", 20_000, "local t = {} for i = 1, 100 do t['k' .. i] = i end "
        "for j = 1, n / 100 do for k, v in pairs(t) do end end",
        "t = {f'k{i}': i for i in range(100)}\nfor j in range(n // 100):\n  for k, v in t.items(): pass"),
    Row("items: table.insert", 10_000, "local t = {} for i = 1, n do table.insert(t, i) end return #t",
        "t = []\nfor i in range(n): t.append(i)\nreturn len(t)"),
    Row("library: math.floor(i / 2)", 10_000, "local s for i = 1, n do s = math.floor(i / 2) end return s",
        "import math\nfor i in range(n): s = math.floor(i / 2.0)\nreturn s"),
    Row("library: s:sub(i, i)", 10_000, "local s = ('abcdefghij'):rep(10) "
        "for j = 1, n / 100 do for i = 1, 100 do local c = s:sub(i, i) end end",
        "s = 'abcdefghij' * 10\nfor j in range(n // 100):\n  for i in range(100): c = s[i : i + 1]"),
    Row("library: string.format", 5_000, "local s for i = 1, n do s = string.format('%d %s', i, 'x') end return s",
        "for i in range(n): s = '%d %s' % (i, 'x')\nreturn s"),
    Row("strings: 'a' .. i", 10_000, "local s for i = 1, n do s = 'a' .. i end return s",
        "for i in range(n): s = f'a{i}'\nreturn s"),
    Row("strings: s .. 'x'", 10_000, "for j = 1, n / 100 do local s = '' for i = 1, 100 do s = s .. 'x' end end",
        "for j in range(n // 100):\n  s = ''\n  for i in range(100): s = s + 'x'"),
    Row("coroutines: a switch", 2_000, "local f = coroutine.wrap(function() while true do coroutine.yield(1) end end) "
        "for i = 1, n do f() end",
        "def g():\n  while True: yield 1\nf = g()\nfor i in range(n): next(f)"),
    Row("tensors: x:add(y)", 5_000, f"{TENSOR} for i = 1, n do x:add(y) end", f"{PYTHON_TENSOR}\nfor i in range(n): x.add(y)"),
    Row("tensors: m:narrow(1, 2, 3)", 5_000, f"{TENSOR} for i = 1, n do m:narrow(1, 2, 3) end",
        f"{PYTHON_TENSOR}\nfor i in range(n): m.narrow(1.0, 2.0, 3.0)"),
    Row("tensors: x[i]", 5_000, f"{TENSOR} local s = 0 for j = 1, n / 100 do for i = 1, 100 do s = s + x[i] end end return s",
        f"{PYTHON_TENSOR}\ns = 0.0\nfor j in range(n // 100):\n  for i in range(100): s = s + x.get(i + 1)\nreturn s"),
    Row("tensors: m[i][j] = v", 5_000, f"{TENSOR} for j = 1, n / 10 do for i = 1, 10 do m[5][i] = 2 end end",
        f"{PYTHON_TENSOR}\nfor j in range(n // 10):\n  for i in range(10): m.select(5).set(i + 1, 2.0)"),
)  # fmt: skip


def written(row: Row) -> Callable[[int], Any]:
    """Returns the loop in Python."""
    body = "\n".join(f"  {line}" for line in row.python.split("\n"))
    space: dict[str, Any] = {}
    exec(f"def run(n):\n{body}", space)
    return space["run"]  # type: ignore[no-any-return]


def lua51() -> Callable[[str], Callable[[int], Any]] | None:
    """Returns a function that compiles in Lua 5.1, None without lupa."""
    try:
        from lupa import lua51
    except ImportError:
        return None
    return lua51.LuaRuntime().execute  # type: ignore[no-any-return]


def rate(run: Callable[[int], Any], turns: int) -> float:
    """Returns millions of turns a second of one round."""
    calls, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < SECONDS:
        run(turns)
        calls += 1
    return calls * turns / passed / 1e6


def main(words: list[str]) -> None:
    session, other = pl.lua.Session(), lua51()
    print(f"{'M/s':34} {'ours':>8} {'Python':>8} {'share':>7}" + (f" {'Lua 5.1':>8}" if other else ""))
    for row in ROWS:
        if words and not any(word in row.name for word in words):
            continue
        code = f"return function(n) {row.lua} end"
        runs = [session.execute(code), written(row), *([other(code)] if other and "torch" not in code else [])]
        best = [0.0] * len(runs)
        for _ in range(ROUNDS):
            best = [max(most, rate(run, row.turns)) for most, run in zip(best, runs, strict=True)]
        rest = "".join(f" {one:8.2f}" for one in best[2:])
        print(f"{row.name:34} {best[0]:8.2f} {best[1]:8.2f} {best[0] / best[1]:6.0%}{rest}")


if __name__ == "__main__":
    main(sys.argv[1:])
