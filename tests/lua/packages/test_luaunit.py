"""The packages ``luaunit``, ``env`` and ``trepl``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl

from ..running import rows


@rows(
    ("u.assertEquals({1, {a = 'x'}}, {1, {a = 'x'}}) u.assertTrue(1) u.assertNil(nil) u.assertIsString('a') return true", True),
    ("return pcall(u.assertEquals, 1, 'a')", (False, 'expected: "a", actual: 1')),
    ("return pcall(u.assertEquals, {1, x = 2}, {1})", (False, 'expected: {1}, actual: {1, "x"=2}')),
    ("return pcall(u.assertAlmostEquals, 1, 1.1, 0.2), pcall(u.assertNotEquals, 1, 1)",
     (True, False, "Received unexpected value: 1")),
    ("return pcall(u.assertError, error), pcall(u.assertError, print)",
     (True, False, "Expected an error when calling function but no error generated")),
    ("return pcall(u.assertErrorMsgContains, 'b', function() error('abc') end), pcall(u.assertStrContains, 'abc', 'x')",
     (True, False, 'Error, substring "x" not found in string "abc"')),
    ("return pcall(u.assertItemsEquals, {1, 2}, {2, 1}), (pcall(u.assertItemsEquals, {1}, {1, 2}))", (True, False)),
    ("return pcall(u.assertIsTable, 5)", (False, "Expected: a table value, actual: type number, value 5")),
)  # fmt: skip
def test_assertions(code: str, expected: Any) -> None:
    assert pl.lua.Session().execute(f"local u = require 'luaunit' {code}") == expected


def test_run(capfd: pytest.CaptureFixture[str]) -> None:
    code = """
        local u = require 'luaunit'
        TestAll = {}
        function TestAll:setUp() self.n = 2 end
        function TestAll:testGood() u.assertEquals(self.n, 2) end
        function TestAll:testBad() u.assertEquals(self.n, 3) end
        function testAlone() end
        return u.LuaUnit.run()
    """
    assert pl.lua.Session().execute(code) == 1
    text = capfd.readouterr().out
    assert "1) TestAll.testBad\n" in text and "expected: 3, actual: 2" in text and "Ran 3 tests, 2 successes, 1 failures" in text


def test_print_shows_tables(capfd: pytest.CaptureFixture[str]) -> None:
    pl.lua.Session(requires=["env"]).execute("local t = {1, a = {b = 'x'}, c = {}} t.a.t = t print(1, nil, t) print({})")
    text = capfd.readouterr().out
    assert text.startswith('1\tnil\t{\n  1 : 1\n  a : \n    {\n      b : "x"\n      t : \n') and text.endswith("\n{\n}\n")
    assert "{...}" in text


def test_console(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("x = 2\nx + 1, 'a'\n=x\nx.y.z\n)\n"))
    session = pl.lua.Session()
    session.execute("require('trepl')()")
    expected = ["3", "a", "2", "stdin:1: attempt to index global 'x' (a number value)"]
    assert capfd.readouterr().out.splitlines()[:4] == expected
    assert session.execute("return require('trepl.colorize').red('a')") == "\033[0;31ma\033[0m"


def test_what_the_console_brings(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.lua").write_text("""
        import 'nn'
        local o = lapp[[
            --n (default 3) a number
        ]]
        print({o.n, torch.type(Linear(2, 1))})
    """)
    pl.lua.run(tmp_path / "t.lua")
    assert capfd.readouterr().out == '{\n  1 : 3\n  2 : "nn.Linear"\n}\n'
    code = "return paths ~= nil and sys ~= nil and xlua ~= nil and stringx ~= nil and torch ~= nil, nn == nil"
    assert pl.lua.Session(requires=["trepl"]).execute(code) == (True, True)


def test_tables_show_the_sizes_of_tensors(capfd: pytest.CaptureFixture[str]) -> None:
    code = "print{torch.zeros(2, 3), {torch.LongStorage{4, 5}}, torch.FloatTensor()} print(torch.zeros(1))"
    pl.lua.Session(requires=["trepl"]).execute(code)
    assert capfd.readouterr().out == (
        "{\n  1 : DoubleTensor - size: 2x3\n  2 : \n    {\n      1 : LongStorage - size: 2\n    }\n  3 : FloatTensor - empty\n}\n"
        " 0\n[torch.DoubleTensor of size 1]\n\n"
    )
