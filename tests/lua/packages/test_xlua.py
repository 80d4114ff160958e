"""The packages ``sys`` and ``xlua``."""

from __future__ import annotations

import re
from typing import Any

import pytest

import pytorch_legacy as pl

from ..running import rows


@rows(
    ("return sys.execute('echo a; echo b'), sys.fexecute('printf \" x \"'), sys.basename('a/b'), sys.dirname('a/b')",
     ("a\nb", "x", "b", "a")),
    ("sys.tic() sys.usleep(2000) sys.sleep(0.002) local spent = sys.toc() return spent >= 0.004 and spent < 5", True),
    ("return table.concat(sys.split('a, b,c', ',%s*'), '|'), #sys.split('', ','), table.concat(sys.split(',a,,b', ','), '|')",
     ("a|b|c", 0.0, "a||b")),
    ("return sys.isNaN(0 / 0), sys.isNaN(1), sys.COLORS.red, sys.COLORS.Red, sys.COLORS._red, sys.COLORS.none",
     (True, False, "\033[0;31m", "\033[1;31m", "\033[41m", "\033[0m")),
    ("return pcall(sys.toc)", (False, "sys.toc: call sys.tic first")),
)  # fmt: skip
def test_sys(code: str, expected: Any) -> None:
    assert pl.lua.Session(requires=["sys"]).execute(code) == expected


@rows(
    ("return #(' a b '):split(' '), ('a-b'):split('-')[2], select('#', table.splice{1, 2}), #table.prune{1, 2, 1}",
     (2.0, "b", 2.0, 2.0)),
    ("local rest, cut = table.splice({1, 2, 3, 4}, 2, 2) return table.concat(rest, ' '), table.concat(cut, ' ')", ("1 4", "2 3")),
    ("return xlua.formatTime(90061.5), xlua.formatTime(61), xlua.formatTime(0.0125), xlua.formatTime(0)",
     ("1D1h", "1m1s", "12ms", "0ms")),
    ("return string.tosymbol('math.pi') == math.pi, pcall(string.tosymbol, 'nosuch')",
     (True, False, 'execute:1: symbol "nosuch" does not exist')),
    ("local t, a, b = xlua.unpack({{b = 3}}, 'f', 'help', {arg = 'a', type = 'number', default = 7}, "
     "{arg = 'b', type = 'number', req = true}, {arg = 'c', type = 'number', defaulta = 'b'}) return a, b, t.c, t[3]",
     (7.0, 3.0, 3.0, 3.0)),
    ("local o = {} xlua.unpack_class(o, {1, 'x'}, 'f', 'help', {arg = 'a', type = 'number'}, {arg = 'b', type = 'string'}) "
     "return o.a, o.b, o[1]", (1.0, "x", None)),
    ("return xlua.require('math') == math, type(torch), type(paths), type(sys)", (True, "table", "table", "table")),
    ("x = 1 xlua.clear('x') local was = x y = 2 xlua.clearall() return was, y, type(print), type(xlua)",
     (None, None, "function", "table")),
)  # fmt: skip
def test_xlua(code: str, expected: Any) -> None:
    assert pl.lua.Session(requires=["xlua"]).execute(code) == expected


def test_progress(capfd: pytest.CaptureFixture[str]) -> None:
    pl.lua.Session(requires=["xlua"]).execute("for i = 1, 4 do xlua.progress(i, 4) end")
    text = capfd.readouterr().out
    assert text.count("\r") == 3 and text.endswith(" 4/4 \n")
    assert re.search(r"^ \[={18}>\.{58}\] ", text) and "ETA: 0ms | Step: " in text


def test_missing_argument(capfd: pytest.CaptureFixture[str]) -> None:
    session = pl.lua.Session(requires=["xlua"])
    with pytest.raises(pl.lua.LuaError, match="error"):
        session.execute("xlua.unpack({{}}, 'f', 'draws', {arg = 'a', type = 'number', help = 'size', req = true})")
    text = capfd.readouterr().out
    assert "missing argument: a" in text and "a = number" in text and "-- size" in text


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("rate", "0.5")
    monkeypatch.setenv("nesterov", "false")
    session = pl.lua.Session(requires=["xlua"])
    code = "local o = xlua.envparams{rate = 1, nesterov = true, name = 'a'} return o.rate, o.nesterov, o.name"
    assert session.execute(code) == (0.5, False, "a")


OPTIONS = """
op = xlua.OptionParser('%prog [options]')
op:option{'-r', '--rate', action='store', dest='rate', default=0.5, help='step'}
op:option{'--slow', action='store_true', dest='slow', default=false, help='no hurry'}
op:option{'--no-log', action='store_false', dest='log', default=true, help='quiet'}
"""


@rows(
    ("arg = {'a', '--rate=2', '--slow', 'b', '--no-log'} local o, rest = op:parse() "
     "return o.rate, o.slow, o.log, table.concat(rest, ' '), o.__main__", ("2", True, False, "a b", True)),
    ("arg = {'-r', '3'} local o = op:parse{log = 7} return o.rate, o.slow, o.log", ("3", False, 7.0)),
    ("arg = nil local o, rest = op:parse() return o.rate, o.__main__, #rest", (0.5, False, 0.0)),
    ("arg = {[0] = 'x/t.lua', '-r', '1/2'} op:parse() return op:tostring(true, {}), op:tostring(true, {'--slow'})",
     ("-r=1|2,--no-log=true", "")),
)  # fmt: skip
def test_options(code: str, expected: Any) -> None:
    assert pl.lua.Session(requires=["xlua"]).execute(OPTIONS + code) == expected


@pytest.mark.parametrize("arguments, status, message", [
    ("-h", 0, ""),
    ("--fast", 1, "invalid option --fast\n"),
    ("--name", 1, "option requires an argument --name\n"),
    ("--slow", 1, "option --name requires an argument \n"),
])  # fmt: skip
def test_options_that_end_a_program(arguments: str, status: int, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    session = pl.lua.Session(requires=["xlua"])
    session.execute(OPTIONS)
    if status:
        session.execute("op:option{'--name', dest='name', help='needed', req=true}")
    session.globals["arg"] = {0: "t.lua", 1: arguments}
    with pytest.raises(SystemExit) as caught:
        session.execute("op:parse()")
    shown = capfd.readouterr()
    assert (caught.value.code, shown.err) == (status, message)
    assert shown.out.startswith("Usage: t.lua [options]\n\nOptions:\n")
    assert "  -r RATE, --rate=RATE  step [default = 0.5]\n  --slow                no hurry\n" in shown.out
