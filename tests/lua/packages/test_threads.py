"""The package ``threads``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl

from ..running import rows


@rows(
    ("local word, done = 'hello', 0 local pool = threads.Threads(2, function(i) require 'torch' shared = word .. i end) "
     "local said = {} for i = 1, 5 do pool:addjob(function() done = done + 1 return shared, __threadid, i end, "
     "function(s, id, j) said[j] = s .. id end) end pool:synchronize() pool:terminate() "
     "return table.concat(said, ' '), done, shared, torch", ("hello11 hello22 hello11 hello22 hello11", 0.0, None, None)),
    ("local pool = threads.Threads(3) pool:specific(true) local ids = {} "
     "for i = 3, 1, -1 do pool:addjob(i, function(a, b) return __threadid, a + b end, "
     "function(i, s) ids[#ids + 1] = i + s end, 10, i) "
     "end pool:synchronize() return table.concat(ids, ' '), pool:specific(), pool:hasjob(), pool:acceptsjob()",
     ("16 14 12", True, False, True)),
    ("local pool, found = threads.Threads(2, function() x = 1 end, "
     "function(i) return x + i end) return found[1][1], found[2][1], #found",
     (2.0, 3.0, 2.0)),
    ("local pool = threads.Threads(1) pool:addjob(function() error('no') end) return pcall(pool.synchronize, pool)",
     (False, "t:1: \n[thread 1 callback] t:1: no")),
    ("local pool = threads.Threads(1) pool:addjob(function() end, function() local x = nil; x.y = 1 end) pool:dojob() "
     "local had = pool:haserror() local ok, message = pcall(pool.synchronize, pool) return had, ok, message, pool:haserror()",
     (True, False, "t:1: \n[thread 1 endcallback] t:1: attempt to index local 'x' (a nil value)", False)),
    ("local pool = threads.Threads(1) pool:terminate() return pool:isrunning(), pcall(pool.addjob, pool, print)",
     (False, False, "t:1: thread system is not running")),
    ("local m = threads.Mutex() m:lock() m:unlock() return threads.Mutex(m:id()):id() == m:id(), threads.safe(print) == print",
     (True, True)),
    ("local _, found = threads.Threads(1, function() return torch.type(torch.Tensor()), type(paths.cwd), nn end) "
     "return found[1][1], found[1][2], #found[1]", ("torch.DoubleTensor", "function", 2.0)),
    ("local function fact(n) return n < 2 and 1 or n * fact(n - 1) end local t = {} t.me = t local r "
     "local pool = threads(1) pool:addjob(function() return fact(5), t.me == t end, "
     "function(...) r = {...} end) pool:synchronize() "
     "return r[1], r[2]", (120.0, True)),
    ("local pool, found = threads.Threads(2), {} for i = 1, 3 do local n = i "
     "local function double() n = n * 2 return n end "
     "pool:addjob(function() double() return n end, function(twice) found[i] = twice + n end) end pool:synchronize() "
     "return found[1], found[2], found[3]", (3.0, 6.0, 9.0)),
)  # fmt: skip
def test_pools(code: str, expected: Any) -> None:
    assert pl.lua.Session().execute(f"local threads = require 'threads' {code}", "=t") == expected


@pytest.mark.parametrize("kind, expected", [("serialize", (0.0, 6.0)), ("sharedserialize", (3.0, 9.0))])
def test_tensors_are_copied_or_shared(kind: str, expected: tuple[float, float]) -> None:
    code = f"""
        local threads = require 'threads'
        threads.Threads.serialization('threads.{kind}')
        local x, sums = torch.zeros(3), {{}}
        local pool = threads.Threads(1, function() require 'nn' buffer = torch.ones(3) end)
        for i = 1, 2 do
          pool:addjob(function() x:add(0.5) return buffer:add(1), torch.type(nn.Linear(1, 2)) end,
                      function(b, name) assert(torch.isTensor(b) and name == 'nn.Linear') sums[i] = b end)
        end
        pool:synchronize()
        return x:sum(), sums[1]:sum()
    """
    assert pl.lua.Session(requires=["torch"]).execute(code) == expected


def test_files_in_threads(tmp_path: Path) -> None:
    (tmp_path / "data.lua").write_text("local class = torch.class('Data') function class:__init(n) self.n = n end return Data(4)")
    (tmp_path / "main.lua").write_text("""
        require 'torch'
        paths = require 'paths'
        local threads, opt = require 'threads', {size = 2}
        local pool = threads(2, function() require 'torch' require 'paths' end, function()
          options = opt
          data = paths.dofile('data.lua')
        end)
        local total = 0
        for i = 1, 4 do pool:addjob(function() return data.n * options.size end, function(n) total = total + n end) end
        pool:synchronize()
        return total, Data, data
    """)
    assert pl.lua.run(tmp_path / "main.lua") == (32.0, None, None)
