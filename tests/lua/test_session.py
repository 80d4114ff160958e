"""Sessions, and values that cross the border of Python and Lua."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl


def test_files_share_their_globals(tmp_path: Path) -> None:
    (tmp_path / "a.lua").write_text("count = (count or 0) + #arg return ..., arg[0]")
    session = pl.lua.Session()
    assert session.run(tmp_path / "a.lua", "x", 2) == ("x", str(tmp_path / "a.lua"))
    assert session.run(tmp_path / "a.lua") == (None, str(tmp_path / "a.lua"))
    assert session.globals["count"] == 2.0
    assert pl.lua.run(tmp_path / "a.lua", "y")[0] == "y"


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(pl.lua.LuaError, match="No such file"):
        pl.lua.run(tmp_path / "no.lua")


@pytest.mark.parametrize("value", [None, True, False, 1.5, "text", "größe", "\0", b"\xff\x00".decode("utf-8", "surrogateescape")])
def test_plain_values_return_as_they_were(value: Any) -> None:
    session = pl.lua.Session()
    session.globals["same"] = session.execute("return function(x) return x end")
    assert session.globals["same"](value) == value
    session.globals["x"] = value
    assert session.execute("return x") == value


def test_tables_are_mappings() -> None:
    session = pl.lua.Session()
    session.globals["opt"] = {"size": 3, "list": [1, "b", {"deep": True}], 5: "five", False: "no"}
    opt = session.globals["opt"]
    assert session.execute("return opt.size, opt.list[3].deep, #opt.list, opt[5], opt[false]") == (3.0, True, 3.0, "five", "no")
    assert (opt["size"], opt["list"][1], opt[5], opt[False], len(opt)) == (3.0, 1.0, "five", "no", 4)
    assert set(opt) == {"size", "list", 5.0, False}
    opt["new"] = {"a": 1}
    del opt["size"]
    assert session.execute("return opt.new.a, opt.size") == (1.0, None)
    with pytest.raises(KeyError):
        opt["size"]
    assert pl.lua.view(opt["new"]) == {"a": 1.0} and opt["new"] == session.execute("return opt.new")
    with pytest.raises(TypeError, match="expected a table of Lua, got dict"):
        pl.lua.view({})


def test_functions_are_called_both_ways() -> None:
    session = pl.lua.Session()
    session.globals["add"] = lambda a, b: (a + b, f"{a:g}")
    assert session.execute("return add(1, 2)") == (3.0, "1")
    assert session.execute("return pcall(add, {}, 'x')")[0] is False
    f = session.execute("return function(t) return t.x, function() return 'inner' end end")
    x, inner = f({"x": [1]})
    assert (x[1], inner()) == (1.0, "inner")
    assert session.execute("return function() end")() is None


def test_what_cannot_cross_the_border() -> None:
    with pytest.raises(TypeError, match="got object"):
        pl.lua.Session().globals["x"] = object()


def test_the_seed_of_a_session() -> None:
    draws = [pl.lua.Session(seed=seed).execute("return math.random()") for seed in (None, 0, 1, 1)]
    assert draws[0] == draws[1] != draws[2] == draws[3]


def test_numbers_stay_floats() -> None:
    """No integer of Python appears among values, which would grow without end."""
    code = "local t = {1, 2, [5] = 3} local k for i in pairs(t) do k = i end return k, #t, ('abc'):find('b'), next{7}"
    assert all(isinstance(value, float) for value in pl.lua.Session().execute(code))
    seen = pl.lua.Session().execute(
        "local s for i = 1, 9 do s = setmetatable({}, {__index = function(_, k) return k end})[1] end return s"
    )
    assert isinstance(seen, float)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(pl.lua.LuaError, match=r"cannot open .*none\.lua: No such file or directory"):
        pl.lua.run(tmp_path / "none.lua")
