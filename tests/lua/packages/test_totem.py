"""The package ``totem``."""

from __future__ import annotations

from typing import Any

import pytest

import pytorch_legacy as pl

from ..running import rows

BEGIN = "local totem = require 'totem' local t = totem.Tester() "


@rows(
    ("return t:asserteq(1, 1), t:asserteq(1, 2), t:assertne(1, 2), t:assertlt(1, 2), t:assertge(1, 2)",
     (True, False, True, True, False)),
    ("return t:eq({1, {2}}, {1, {2}}), t:eq({1}, {1, 2}), t:eq(1, 1.1, 0.2), t:ne({1}, {2})", (True, False, True, True)),
    ("local x = torch.ones(2) return t:assertTensorEq(x, x + 0.01, 0.1), t:assertTensorEq(x, x + 1, 0.1), t:eq(x, torch.ones(3))",
     (True, False, False)),
    ("return t:assertError(error), t:assertNoError(error), t:assertErrorPattern(function() error('abc') end, 'b'), "
     "t:assertErrorMsg(function() error('a', 0) end, 'a'), t:assert(true), t:assertalmosteq(1, 1 + 1e-17)",
     (True, False, True, True, True, True)),
    ("t:setRethrowErrors(true) return pcall(t.asserteq, t, 1, 2, 'one')", (False, "execute:1: one\nEQ failed: 1 ~= 2")),
    ("local s = totem.TestSuite() function s.a() end return pcall(function() function s.a() end end)",
     (False, "execute:1: Test a is already defined.")),
)  # fmt: skip
def test_assertions(code: str, expected: Any) -> None:
    found = pl.lua.Session().execute(BEGIN + code)
    assert found == expected


def test_run(capfd: pytest.CaptureFixture[str]) -> None:
    session = pl.lua.Session()
    with pytest.raises(pl.lua.LuaError, match="An error was found while running tests"):
        session.execute(
            BEGIN
            + """
            local s = totem.TestSuite()
            function s.good() t:asserteq(1, 1) end
            function s.bad() t:asserteq(1, 2, 'one') t:asserteq(1, 1) end
            function s.broken() local x = nil; return x.y end
            t:add(s)
            t:run('go*')
            t:run()
        """
        )
    text = capfd.readouterr().out
    assert text.startswith("Completed 1 asserts in 1 tests with 0 failures\n")
    assert "Completed 3 asserts in 3 tests with 2 failures" in text
    assert "bad\none\nEQ failed: 1 ~= 2" in text and "attempt to index local 'x'" in text


def test_torch_has_the_tester(capfd: pytest.CaptureFixture[str]) -> None:
    code = """
    local tester, other = torch.Tester(), torch.Tester()
    function tester:sizes(x, n) self:asserteq(x:dim(), n) end
    local tests = torch.TestSuite()
    function tests.good() tester:sizes(torch.zeros(2, 3), 2) tester:assertlt(1, 2) end
    tester:add(tests):run()
    return other.sizes, tester.run == other.run, require('totem').Tester == torch.Tester
    """
    assert pl.lua.Session(requires=["torch"]).execute(code) == (None, True, True)
    assert "2 assert" in capfd.readouterr().out
