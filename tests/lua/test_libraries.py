"""The libraries: string, table, math, os, io, and functions without one."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua.language.libraries import patterns

from .running import result, rows


@rows(
    ("return ('hello'):find('l'), ('hello'):find('xyz'), ('a.b'):find('.', 1, true), ('abc'):find('b', -1)",
     (3.0, None, 2.0, None)),
    ("return ('key = value'):match('^(%w+)%s*=%s*(%w+)$')", ("key", "value")),
    ("return ('f(a(b)c)d'):match('%b()'), ('THE (quick) fox'):gsub('%f[%a]%a+', 'w')", ("(a(b)c)", "w (w) w", 3.0)),
    ("return ('hello'):match('()ll()')", (3.0, 5.0)),
    ("return ('abab'):match('(a)(b)%1%2'), ('[x]'):match('%[(.-)%]'), ('a]'):match('[]]')", ("a", "x", "]")),
    ("return ('abc'):gsub('', '-'), ('hello world'):gsub('o', {o = '0'}), ('abc'):gsub('%w', '%0%0', 2)",
     ("-a-b-c-", "hell0 w0rld", "aabbc", 2.0)),
    ("return ('x'):gsub('x', function() return nil end), ('x'):gsub('x', function() return 5 end)", ("x", "5", 1.0)),
    ("local t = {} for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do t[#t + 1] = k .. v end return unpack(t)", ("a1", "b2")),
    ("return ('^x'):gsub('^x', 'y'), ('aXbX'):gsub('%u', string.lower), ('a-z'):find('-', 1, true)",
     ("^x", "axbx", 2.0, 2.0)),
    ("return ('abc'):sub(-2), ('abc'):sub(2, 10), ('abc'):sub(0), ('abc'):sub(3, 2), ('abc'):byte(-1)",
     ("bc", "bc", "abc", "", 99.0)),
    ("return ('ab'):rep(3), ('ab'):rep(0), ('x'):rep(3, ','), ('abc'):reverse(), ('aÄ'):upper()",
     ("ababab", "", "x,x,x", "cba", "AÄ")),
    ("return ('%5.1f|%-4d|%04x|%+d|%g|%%|%c'):format(3.14159, 7, 255, 5, 1e20, 65)", "  3.1|7   |00ff|+5|1e+20|%|A"),
    ("return ('%q'):format('a\"\\n\\\\'), ('%s %s'):format(nil, true), ('%.3s'):format('abcdef'), ('%i'):format('12')",
     ('"a\\"\\\n\\\\"', "nil true", "abc", "12")),
    ("return ('%a'):format(1), ('%5s'):format(1/0), ('%x'):format(-1), ('%.20f'):format(0.1)",
     ("0x1p+0", "  inf", "ffffffffffffffff", "0.10000000000000000555")),
    ("return ('%d'):format(2^63), ('%d'):format(-2^70), ('%u'):format(2^63), ('%x'):format(-2^64)",
     ("-9223372036854775808", "-9223372036854775808", "9223372036854775808", "8000000000000000")),
    ("return pcall(string.format, '%5%', 1), select(2, pcall(string.format, '%123d', 1))",
     (False, "invalid format (width or precision too long)")),
    ("return ('abc'):sub(math.huge), ('abc'):sub(1, math.huge), pcall(string.sub, 'abc')",
     ("abc", "", False, "bad argument #2 to 'sub' (number expected, got no value)")),
)  # fmt: skip
def test_strings(code: str, expected: Any) -> None:
    found = result(code)
    assert found == expected


@rows(
    ("local t = {3, 1, 2} table.sort(t) return unpack(t)", (1.0, 2.0, 3.0)),
    ("local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return unpack(t)", (3.0, 2.0, 1.0)),
    ("local t = {1, 2} table.insert(t, 3) table.insert(t, 1, 0) return table.concat(t, ',')",
     "0,1,2,3"),
    ("local t = {1, 2, 3} return table.remove(t), table.remove(t, 1), #t, select('#', table.remove({}))", (3.0, 1.0, 1.0, 0.0)),
    ("return table.concat({1, 'a', 2.5}, '-'), table.concat({}, 'x'), table.concat({1, 2, 3}, ',', 2, 3)",
     ("1-a-2.5", "", "2,3")),
    ("local t = table.pack(1, nil, 3) return t.n, t[3], table.unpack({1, 2}, 1, 2)", (3.0, 3.0, 1.0, 2.0)),
    ("return table.maxn{1, 2, [10] = 1}, table.getn{1, 2}, #{n = 1}, #{1, 2, nil}", (10.0, 2.0, 0.0, 2.0)),
    ("local t = {} for i = 1, 10 do t[i] = i end for i = 10, 6, -1 do t[i] = nil end return #t", 5.0),
    ("local t = {} for i = 1, 12 do t[i] = {i % 3, i} end table.sort(t, function(a, b) return a[1] < b[1] end) "
     "for i = 1, 12 do t[i] = t[i][2] end return table.concat(t, ' ')", "12 9 3 6 1 4 7 10 2 8 11 5"),
    ("local t, n = {}, 0 for i = 1, 1000 do t[i] = i * 7919 % 1009 end "
     "table.sort(t, function(a, b) n = n + 1 return a < b end) return n, t[1], t[500], t[1000]", (10062.0, 1.0, 505.0, 1008.0)),
    ("return pcall(table.sort, {5, 3, 4, 1, 2}, function() return true end)", (False, "invalid order function for sorting")),
    ("local t = {2, 0/0, 1, 3} table.sort(t) return #t", 4.0),
    ("local t = {3, 1, 2} return pcall(table.sort, t, function() error('no', 0) end), #t", (False, 3.0)),
    ("local s = 0 table.foreach({a = 1, b = 2}, function(k, v) s = s + v end) return s", 3.0),
)  # fmt: skip
def test_tables(code: str, expected: Any) -> None:
    """The order of equal elements after a sort, and how often it compares, are those of LuaJIT."""
    assert result(code) == expected


@rows(
    ("return math.floor(-1.5), math.ceil(1.2), math.abs(-3), math.max(1, 5, 3), math.min(2, 0)",
     (-2.0, 2.0, 3.0, 5.0, 0.0)),
    ("return math.fmod(-7, 3), math.modf(3.7)", (-1.0, 3.0, pytest.approx(0.7))),
    ("return math.sqrt(16), math.huge, math.pi, math.frexp(8)", (4.0, float("inf"), 3.141592653589793, 0.5, 4.0)),
    ("return math.sqrt(-1) ~= math.sqrt(-1), math.log(0), math.exp(1000), math.pow(2, 0.5)",
     (True, -float("inf"), float("inf"), 2**0.5)),
    ("return tonumber('10', 2), tonumber('ff', 16), tonumber('z', 36), tonumber('8', 8), tonumber(' 5 '), tonumber('5x')",
     (2.0, 255.0, 35.0, None, 5.0, None)),
    ("return tonumber('infinity'), tonumber('+5', 16), tonumber('--1', 16), tonumber('-ff', 16) == 2^64 - 255",
     (float("inf"), 5.0, None, True)),
    ("return math.random(0), math.random(3, 2)", (1.0, 3.0)),  # as in LuaJIT
    ("return os.date('*t', 2^60)", None),
    ("return tostring(nil), tostring(1.5), tostring(true), type(print), type(nil)", ("nil", "1.5", "true", "function", "nil")),
    ("return os.time{year = 2020, month = 1, day = 2, hour = 12} - os.time{year = 2020, month = 1, day = 1, hour = 12}", 86400.0),
    ("return os.date('!%Y-%m-%d %H:%M:%S', 0), os.date('!*t', 3600).hour, type(os.clock()), os.getenv('no such name')",
     ("1970-01-01 00:00:00", 1.0, "number", None)),
)  # fmt: skip
def test_numbers_and_time(code: str, expected: Any) -> None:
    assert result(code) == expected


@rows(
    ("local x, y = 1, 2 local function f() y = y return x end return debug.getupvalue(f, 1), select('#', debug.getupvalue(f, 3))",
     ("x", 0.0)),
    ("local x = 1 local function f() return x end local n, v = debug.getupvalue(f, 1) "
     "return n, v, debug.setupvalue(f, 1, 5), f(), select('#', debug.setupvalue(f, 2, 5))", ("x", 1.0, "x", 5.0, 0.0)),
    ("return debug.getupvalue(print, 1), pcall(debug.setupvalue, 5, 1)",
     (None, False, "bad argument #1 to 'setupvalue' (function expected, got number)")),
)  # fmt: skip
def test_outer_variables(code: str, expected: Any) -> None:
    assert result(code) == expected


def test_random_numbers_are_those_of_luajit() -> None:
    """The numbers were printed by LuaJIT 2.1, for its default seed and for 42."""
    assert result("return ('%.14g %d %d'):format(math.random(), math.random(10), math.random(5, 7))") == "0.79420629243124 7 6"
    assert result("math.randomseed(42) return ('%.14g %d'):format(math.random(), math.random(100))") == "0.95607928791821 1"


DRAWS = """
local t = {}
for i = 1, 200 do t[i] = ('%.17g,%d'):format(math.random(), math.random(-5, 1000)) end
print(table.concat(t, ' '))
"""


@pytest.mark.parametrize("seed", [None, "0", "1", "123.5", "-7", "1e300"])
def test_random_numbers_beside_luajit(seed: str | None, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    luajit = shutil.which("luajit")
    if luajit is None:
        pytest.skip("needs the program luajit")
    code = DRAWS if seed is None else f"math.randomseed({seed}) {DRAWS}"
    pl.lua.Session().execute(code)
    found = capfdbinary.readouterr().out
    assert found == subprocess.run([luajit, "-e", code], capture_output=True, check=True).stdout


def test_files(tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")
    code = """
    local f = assert(io.open(path, 'w'))
    assert(f:write('first\\n', 2) == f:write(' 3.5\\n', 'last'))
    f:close()
    local lines = {}
    for line in io.lines(path) do lines[#lines + 1] = line end
    f = io.open(path)
    local one, a, b, rest = f:read('*l', '*n', '*n', '*a')
    local size = f:seek('end')
    f:close()
    return #lines, lines[3], one, a, b, rest, size, io.type(f), (pcall(f.read, f))
    """
    session = pl.lua.Session()
    session.globals["path"] = path
    assert session.execute(code) == (3.0, "last", "first", 2.0, 3.5, "\nlast", 16.0, "closed file", False)
    assert session.execute("return os.remove(path), io.open(path)") == (True, None, f"{path}: No such file or directory", 2.0)


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    session = pl.lua.Session()
    session.globals["folder"] = str(tmp_path)
    session.execute("f = io.open(folder .. '/a', 'w')")
    assert session.execute("return f:read()") == (None, "Bad file descriptor", 9.0)
    assert session.execute("f:close() return tostring(f), tostring(io.stdout):match('^file %(0x') ~= nil") == (
        "file (closed)",
        True,
    )
    assert session.execute("return io.open(folder .. '/a'):write('x')") == (None, "Bad file descriptor", 9.0)
    assert session.execute("f = io.open(folder) return f:read('*a')") == (None, "Is a directory", 21.0)  # a folder opens, as in C
    assert session.execute("return f:close(), io.open(folder, 'w')")[:2] == (True, None)


def test_bytes_pass_unchanged(tmp_path: Path) -> None:
    data = bytes(range(256))
    (tmp_path / "in").write_bytes(data)
    session = pl.lua.Session()
    session.globals["folder"] = str(tmp_path)
    session.execute(
        "local s = io.open(folder .. '/in', 'rb'):read('*a') local f = io.open(folder .. '/out', 'wb') f:write(s) f:close()"
    )
    assert (tmp_path / "out").read_bytes() == data


def test_console(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    result("print('é', 1, nil) io.write('a', 2, '\\255\\n') print(setmetatable({}, {__tostring = function() return 'T' end}))")
    assert capfdbinary.readouterr().out == "é\t1\tnil\n".encode() + b"a2\xff\nT\n"


def test_packages(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "init.lua").write_text("count = (count or 0) + 1 return {name = ...}")
    (tmp_path / "old.lua").write_text("module(..., package.seeall) function f() return tostring(x) end x = 5")
    session = pl.lua.Session(path=[tmp_path])
    assert session.execute("return require('inner').name, require 'inner' == require 'inner', count") == ("inner", True, 1.0)
    assert session.execute("require 'old' return old.f(), x") == ("5", None)
    assert session.execute("package.preload.p = function(n) return n .. '!' end return require 'p'") == "p!"
    message = session.execute("return select(2, pcall(require, 'missing'))")
    assert f"no file '{tmp_path}/missing.lua'" in message and "module 'missing' not found" in message


def test_packages_beside_the_file_that_requires_them(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "main.lua").write_text("return require './lib/a', require './lib/a.lua' == require './lib/a', count")
    (tmp_path / "lib" / "a.lua").write_text("count = (count or 0) + 1 return require '../b' .. require './c'")
    (tmp_path / "b.lua").write_text("return 'b'")
    (tmp_path / "lib" / "c").mkdir()
    (tmp_path / "lib" / "c" / "init.lua").write_text("return 'c'")
    assert pl.lua.run(tmp_path / "main.lua") == ("bc", True, 1.0)
    (tmp_path / "again.lua").write_text("require './again'")
    with pytest.raises(pl.lua.LuaError, match="loop or previous error loading module"):
        pl.lua.run(tmp_path / "again.lua")


@pytest.mark.parametrize("code, expected", [
    ("('a'):rep(40):find(('a*'):rep(10) .. 'b')", None),
    ("('a'):rep(60):find(('a?'):rep(60) .. ('a'):rep(61))", None),
    ("('a'):rep(60):find(('a?'):rep(60) .. ('a'):rep(60))", (1, 60)),
    ("('x'):rep(5000):find(('.-'):rep(6) .. 'y')", None),
    ("('a'):rep(2000):match('^' .. ('(a*)'):rep(5) .. '$')", ("a" * 2000, "", "", "", "")),
    ("('1,2,3,4,5\\n'):rep(9):gsub('(.-),(.-),(.-),(.-),(.-)\\n', '%5')", ("555555555", 9)),
])  # fmt: skip
def test_patterns_do_not_take_exponential_time(code: str, expected: object) -> None:
    assert pl.lua.Session().execute(f"return {code}") == expected


def test_patterns_that_refer_to_captures_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "_MAX_STEPS", 1000)
    with pytest.raises(pl.lua.LuaError, match="pattern too complex"):
        pl.lua.Session().execute("return ('a'):rep(60):find('(a*)(a*)(a*)(a*)(a*)%1%2%3b')")


def test_both_matchers_find_the_same() -> None:
    rnd = random.Random(1)
    parts = [a + b for a in ("a", ".", "[ab]", "%a", "%d", "[^a]") for b in ("", "*", "+", "-", "?")] + ["()", "%f[ab]"]
    for _ in range(2000):
        pattern = "".join(rnd.choice(parts) for _ in range(rnd.randint(1, 7)))
        pattern = f"({pattern}){rnd.choice(['', '%1', '$'])}"
        text = "".join(rnd.choice("abc1") for _ in range(rnd.randint(0, 12)))
        parsed = patterns.items(pattern)
        own, regular = patterns.Matcher(parsed), re.compile(patterns._regular(parsed), re.DOTALL)
        found, expected = own.search(text, 0), regular.search(text, 0)
        assert (found is None) == (expected is None), pattern
        if found is not None and expected is not None:
            assert (found.start(), found.end(), found[1]) == (expected.start(), expected.end(), expected[1]), pattern


@pytest.mark.parametrize("code", [
    *("io.open", "os.remove", "dofile", "require", "os.execute", "io.popen", "torch.load", "torch.DiskFile"),
    *("require('paths').filep", "require('lfs').attributes", "require('pl.path').exists"),
])  # fmt: skip
def test_names_with_a_zero_byte_are_errors(code: str) -> None:
    found = pl.lua.Session(requires=["torch"]).execute(f"return pcall({code}, 'a\\0b')")
    assert found[0] is False and "expected a name without a zero byte" in found[1]


def test_dates_that_are_no_numbers() -> None:
    assert result("return os.date('!%Y\\0%m', 0), os.time{year = 0/0, month = 1, day = 1}") == ("1970", None)
