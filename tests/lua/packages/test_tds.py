"""The package ``tds``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytorch_legacy as pl
from pytorch_legacy.arrays.tree import Hash, Vec

from ..running import rows


@rows(
    ("local h = tds.Hash() h.a = 1 h[2] = 'x' h.b = nil h.a = nil return #h, h[2], h.a, h.nosuch", (1.0, "x", None, None)),
    ("local h, n = tds.hash{a = 1, b = {2, {c = 3}}}, 0 for k, v in pairs(h) do n = n + 1 end return n, h.b[2].c, #h.b, type(h)",
     (2.0, 3.0, 2.0, "userdata")),
    ("local h = tds.Hash() return pcall(function() h[{}] = 1 end)", (False, "t:1: string or number key expected")),
    ("local v = tds.Vec(3, 1, 2) v:insert(5) v:insert(1, 0) v:remove(2) v[5] = 'x' return #v, v[1], v[5], v:concat(' ')",
     (5.0, 0.0, "x", "0 1 2 5 x")),
    ("local v = tds.vec{3, 1, 2} v:sort(function(a, b) return a < b end) local s = '' "
     "for i, x in ipairs(v) do s = s .. i .. x end for i, x in pairs(v) do s = s .. x end return s, v:concat(',', 2)",
     ("112233123", "2,3")),
    ("local v = tds.Vec() v[3] = true v:resize(4) return #v, v[1], v[3], v[9]", (4.0, None, True, None)),
    ("return pcall(function() return tds.Vec()[0] end)", (False, "t:1: positive number expected as key")),
    ("return pcall(function() return tds.Vec().values end)", (False, "t:1: invalid key (number) or method name")),
    ("return tostring(tds.Vec(1, 'a')), torch.typename(tds.Hash()), torch.typename(tds.Vec())",
     ("tds.Vec[2]{\n    1 : 1\n    2 : a\n}", "tds.Hash", "tds.Vec")),
    ("local h = torch.deserialize(torch.serialize{h = tds.Hash{a = tds.Vec(1, torch.ones(2))}, 5}).h return h.a[2]:sum(), #h.a",
     (2.0, 2.0)),
    ("local v = tds.Vec() local t = torch.deserialize(torch.serialize{v, v}) return t[1] == t[2]", True),
    ("local c = tds.AtomicCounter() c:inc() return c:inc(), c:get()", (2.0, 2.0)),
    ("return pcall(function() tds.Vec(print) end)", (False, "t:1: unsupported type: function")),
)  # fmt: skip
def test_containers(code: str, expected: Any) -> None:
    assert pl.lua.Session(requires=["torch"]).execute(f"local tds = require 'tds' {code}", "=t") == expected


def test_files(tmp_path: Path) -> None:
    session = pl.lua.Session(requires=["torch"])
    session.globals["name"] = str(tmp_path / "x.t7")
    session.execute("local tds = require 'tds' torch.save(name, tds.Hash{words = tds.Vec('a', 'b'), n = 2})")
    found = pl.load(tmp_path / "x.t7")
    assert type(found) is Hash and type(found["words"]) is Vec and found == {"words": ["a", "b"], "n": 2}
    other = pl.lua.Session(requires=["torch"])
    other.globals["name"] = str(tmp_path / "x.t7")
    assert other.execute("local h = torch.load(name) return h.words[2], #h") == ("b", 2.0)
