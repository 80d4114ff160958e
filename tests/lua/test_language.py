"""The language: values, scopes, closures, varargs, goto, metatables."""

from __future__ import annotations

import math
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua.language import compiler

from .running import result, rows


@rows(
    ("return 7 / 2, 7 % 3, -7 % 3, 7 % -3, 2 ^ 10, -2 ^ 2", (3.5, 1.0, 2.0, -2.0, 1024.0, -4.0)),
    ("return 1 / 0, -1 / 0, 0 / 0 ~= 0 / 0, tostring(-0)", (math.inf, -math.inf, True, "-0")),
    ("return '10' + 5, '0x10' * 1, 10 .. 20, 'a' .. 1.5", (15.0, 16.0, "1020", "a1.5")),
    ("return 1 == 1.0, 1 == '1', true == 1, nil == false, 0 == false", (True, False, False, False, False)),
    ("return 1 < 2, 'a' < 'b', 'Z' < 'a', 2 >= 2, not nil, not 0", (True, True, True, True, True, False)),
    ("return nil and 1, false or 'x', 0 and 'zero', '' or 1, nil or false", (None, "x", "zero", "", False)),
    ("return 0xff, 1e3, .5, 3., 0x.8p1, 2^53 == 2^53 + 1", (255.0, 1000.0, 0.5, 3.0, 1.0, True)),
    ("return 0x1p99999, tonumber('-0x1p99999'), tonumber('0x' .. ('f'):rep(400))", (math.inf, -math.inf, math.inf)),
    (r"return '\65\x42\z   C\n', [==[a]]b]==], [[" "\nx]], #'\\0z'", ("ABC\n", "a]]b", "x", 2.0)),
    ("return #'é', 'é', ('é'):byte(1, -1)", (2.0, "é", 195.0, 169.0)),
    ("local a = {} a[1.0] = 'x' a['1'] = 'y' a[true] = 'z' return a[1], a['1'], a[true], a[2]", ("x", "y", "z", None)),
    ("return 1e15, 2^63, tostring(1e15), tostring(123456789012345), tostring(0.1)",
     (1e15, 2.0**63, "1e+15", "1.2345678901234e+14", "0.1")),
    ("local h = 5381 for i = 1, 60 do h = h * 33 + i end return h == h + 1", True),
    (r"return '\u{41}\u{20ac}' == 'A€'", True),
    ("-- comment\n--[[ long\n]] return --[==[ ]] ]==] 1", 1.0),
    ("goto_ = 1; local goto = 2 return goto", 2.0),
)  # fmt: skip
def test_values(code: str, expected: Any) -> None:
    assert result(code) == expected


@rows(
    ("local x = 1 do local x = 2 end local x = x + 10 return x", 11.0),
    ("local function f(n) if n == 0 then return 'end' end return f(n - 1) end return f(10)", "end"),
    ("local a, b, c = (function() return 1, 2 end)() return a, b, c", (1.0, 2.0, None)),
    ("local a, b = ((function() return 1, 2 end)()) return a, b", (1.0, None)),
    ("local i, a = 1, {} i, a[i] = i + 1, 20 return i, a[1], a[2]", (2.0, 20.0, None)),
    ("local a, b = 1, 2 a, b = b, a return a, b", (2.0, 1.0)),
    ("local a a, a = 1, 2 return a", 1.0),  # targets are stored from right to left
    ("repeat local done = true until done return 'once'", "once"),
    ("local s = 0 for i = 10, 1, -3 do s = s + i end return s", 22.0),
    ("local s = '' for i = 0.1, 0.35, 0.1 do s = s .. i .. ' ' end return s", "0.1 0.2 0.3 "),
    ("for i = 1, 3 do local i = i * 2 if i == 4 then return i end end", 4.0),
    ("x = 1 local function f() x = x + 1 return x end return f(), _G.x, _G['x']", (2.0, 2.0, 2.0)),
    ("local t = {} for k, v in pairs{10, 20, x = 'y'} do t[#t + 1] = tostring(k) .. '=' .. v end return table.concat(t, ' ')",
     "1=10 2=20 x=y"),
    ("local t = {a = 1, b = 2, c = 3} for k in pairs(t) do t[k] = nil end return next(t)", None),
    ("local class, None, def, G, index, first = 1, 2, 3, 4, 5, 6 return class + None + def + G + index + first", 21.0),
    ("items, keys, get = 1, 2, 3 local t = {items = 4, pop = 5} return items, keys, get, t.items, t.pop, t.clear",
     (1.0, 2.0, 3.0, 4.0, 5.0, None)),
)  # fmt: skip
def test_scopes(code: str, expected: Any) -> None:
    assert result(code) == expected


@rows(
    ("local a = 'x' local function f() a = 'y' return 'z' end return a .. f(), a", ("xz", "y")),
    ("local a = 1 local function f() a = 10 return 1 end return a + f()", 11.0),
    ("local a = 1 local function f() a = 10 return 1 end return (function() return a + f() end)()", 2.0),
    ("local a = 1 local function f() a = 'y' return 1 end return (function() return a + f(), a end)()", (2.0, "y")),
    ("local a = 1 local function f() a = 10 return 10 end return (function() return a == f() end)()", False),
    ("local t = {} local u = t local function f() t = {} return 1 end t.x = f() return u.x, t.x", (None, 1.0)),
    ("local t = {} local u = t local function f() t = {} return 1 end (function() t.x = f() end)() return u.x, t.x", (1.0, None)),
    ("local i, t = 1, {} local function f() i = 2 return 5 end t[i] = f() return t[1], t[2]", (None, 5.0)),
    ("local i, t = 1, {} local function f() i = 2 return 5 end (function() t[i] = f() end)() return t[1], t[2]", (5.0, None)),
)  # fmt: skip
def test_order_of_evaluation(code: str, expected: Any) -> None:
    """Lua computes with a local as it is in the end, and with a variable of an outer function as it was before."""
    assert result(code) == expected


@rows(
    ("local f = {} for i = 1, 3 do f[i] = function() return i end end return f[1](), f[2](), f[3]()", (1.0, 2.0, 3.0)),
    ("local f = {} for i = 1, 2 do local n = i f[i] = function() n = n + 1 return n end end return f[1](), f[1](), f[2]()",
     (2.0, 3.0, 3.0)),
    ("local f = {} for i = 1, 2 do f[i] = function() i = i + 1 return i end end return f[1](), f[1](), f[2]()", (2.0, 3.0, 3.0)),
    ("local n = 0 local function up() n = n + 1 end local function get() return n end up() up() return get()", 2.0),
    ("local f = {} for i = 1, 2 do local function g(n) return n == 0 and i or g(n - 1) end f[i] = g end return f[1](5), f[2](5)",
     (1.0, 2.0)),
    ("local f local i = 1 while i <= 2 do local j = i f = f or function() return j end i = i + 1 end return f()", 1.0),
    ("local function f() local x = 1 return function() return function() x = x + 1 return x end end end "
     "local g = f()() return g(), g()", (2.0, 3.0)),
    ("local i, f = 0 repeat local j = i f = f or function() return j end i = i + 1 until j >= 2 return f()", 0.0),
)  # fmt: skip
def test_closures(code: str, expected: Any) -> None:
    assert result(code) == expected


@rows(
    ("local function f(...) return select('#', ...), ... end return f(nil, nil)", (2.0, None, None)),
    ("local function f(...) return (...) end return f(1, 2)", 1.0),
    ("local function f(...) local a, b = ... return b, a end return f(1, 2, 3)", (2.0, 1.0)),
    ("local function f(...) return {..., n = select('#', ...)} end local t = f(5, 6) return t[1], t[2], t.n", (5.0, None, 2.0)),
    ("local function f() return 1, 2 end return f(), f()", (1.0, 1.0, 2.0)),
    ("local function f() return 1, 2 end local t = {f(), f()} return #t", 3.0),
    ("local function f() end return select('#', f()), select('#', (f()))", (0.0, 1.0)),
    ("return select(-1, 1, 2, 3), unpack({1, 2, 3}, 2)", (3.0, 2.0, 3.0)),
    ("local function f(a, b, ...) return b, a, ... end return f(1)", (None, 1.0)),
)  # fmt: skip
def test_several_results(code: str, expected: Any) -> None:
    assert result(code) == expected


@rows(
    ("for i = 1, 3 do for j = 1, 3 do if j == 2 then goto continue end if i == 3 then return i * 10 + j end end ::continue:: end",
     31.0),
    ("local s = '' for i = 1, 5 do if i % 2 == 0 then goto next end s = s .. i ::next:: end return s", "135"),
    ("local i = 1 ::top:: i = i * 2 if i < 100 then goto top end return i", 128.0),
    ("do goto done end do return 'no' end ::done:: return 'yes'", "yes"),
    ("local n = 0 for i = 1, 3 do while true do n = n + 1 if n > 4 then goto out end break end end ::out:: return n", 3.0),
    ("local f = {} local i = 1 ::a:: local x = i f[i] = function() x = x + 1 return x end i = i + 1 if i < 3 then goto a end "
     "return f[1](), f[2](), f[1]()", (2.0, 3.0, 3.0)),
)  # fmt: skip
def test_goto(code: str, expected: Any) -> None:
    assert result(code) == expected


METATABLE = """
local V = {}
V.__index = V
V.__add = function(a, b) return V.new(a.x + (type(b) == 'number' and b or b.x)) end
V.__eq = function(a, b) return a.x == b.x end
V.__lt = function(a, b) return a.x < b.x end
V.__le = function(a, b) return a.x <= b.x end
V.__concat = function(a, b) return tostring(a) .. '|' .. tostring(b) end
V.__tostring = function(v) return '<' .. v.x .. '>' end
V.__call = function(v, y) return v.x, y end
V.__len = function() return 42 end
V.__unm = function(v) return V.new(-v.x) end
function V.new(x) return setmetatable({x = x}, V) end
function V:double() return V.new(self.x * 2) end
local a, b = V.new(1), V.new(2)
"""


@rows(
    ("return (a + b).x, (a + 5).x, (-a).x, a:double().x", (3.0, 6.0, -1.0, 2.0)),
    ("return a == V.new(1), a ~= b, a < b, a <= b, a > b, a >= b", (True, True, True, True, False, False)),
    ("return a .. b, a .. 'x', 1 .. a, tostring(a), #a", ("<1>|<2>", "<1>|x", "1|<1>", "<1>", 42.0)),
    ("return a('y')", (1.0, "y")),
    ("local t = setmetatable({}, {__index = function(t, k) return k * 2 end}) return t[21], rawget(t, 21)", (42.0, None)),
    ("local log = {} local t = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v .. '!') end}) "
     "t.x = 'a' t.x = 'b' t[1] = 'c' return t.x, t[1]", ("b", "c!")),
    ("local mt = {} local t = setmetatable({}, mt) mt.__newindex = function() error('closed') end "
     "return (pcall(function() t.x = 1 end))", False),
    ("local A = {f = function() return 'A' end} A.__index = A local B = setmetatable({}, A) B.__index = B "
     "return setmetatable({}, B):f()", "A"),
    ("local t = setmetatable({}, {__pairs = function(t) return function(_, k) if not k then return 1, 'one' end end, t end}) "
     "for k, v in pairs(t) do return k, v end", (1.0, "one")),
    ("return getmetatable(setmetatable({}, {__metatable = 'locked'})), getmetatable('').__index == string", ("locked", True)),
    ("getmetatable('').__mod = function(a, b) return a:format(unpack(b)) end "
     "return '%d%s' % {3, 'x'}, pcall(function() return 'a' + 1 end)",
     ("3x", False, "t:16: attempt to perform arithmetic on a string value")),
    ("local mt = getmetatable('') mt.__unm = string.reverse mt.__add = function(a, b) return type(a) .. type(b) end "
     "return -'ab', 'a' + 1, {} == 1 or 1 + 'b', '3' + 4", ("ba", "stringnumber", "numberstring", 7.0)),
    ("return (pcall(setmetatable, setmetatable({}, {__metatable = 1}), {}))", False),
    ("local t = setmetatable({}, {__index = {clear = 1, get = 2}}) return t.clear, t.get, t.items", (1.0, 2.0, None)),
    ("local t = setmetatable({}, {__index = function(t, i) return i end}) for i in ipairs(t) do return i end return #t", 0.0),
    ("local t = setmetatable({}, {__index = 'abc'}) return t.len == string.len, t.len('ab')", (True, 2.0)),
    ("local t = setmetatable({}, {__index = io.stdout}) return t.write == io.stdout.write, t.items", (True, None)),
    ("local t = setmetatable({x = 1}, {__index = {x = 2, y = 3}}) local none t.x = none t.y = 5 return t.x, t.y", (2.0, 5.0)),
    ("local mt = {} local t = setmetatable({}, mt) t.x = 1 mt.__newindex = function(t, k, v) rawset(t, k, v .. '!') end "
     "t.x = 2 t.y = 3 return t.x, t.y", (2.0, "3!")),
    ("setmetatable(_G, {__index = function(_, k) return k .. '?' end}) return missing",
     "missing?"),
    ("local u = newproxy(true) getmetatable(u).__index = function(_, k) return k end return u.name, type(u)",
     ("name", "userdata")),
)  # fmt: skip
def test_metatables(code: str, expected: Any) -> None:
    assert result(METATABLE + code) == expected


def test_environments() -> None:
    assert result("local t = {G = 5, G_x = 6} local function f() return t.G, t.G_x, x end setfenv(f, {x = 1}) return f()") == (
        5.0,
        6.0,
        1.0,
    )
    assert result("local function f() return x end setfenv(f, {x = 'own'}) x = 'global' return f(), getfenv(f).x, x") == (
        "own",
        "own",
        "global",
    )
    assert result("local env = {} setfenv(1, env) y = 5 return env.y") == 5.0


@pytest.mark.parametrize("depth", [190, 5000])
def test_long_programs(depth: int) -> None:
    """Long sums, chains of elseif and tables compile."""
    assert result("return " + " + ".join(["1"] * depth)) == float(depth)
    arms = "".join(f"elseif x == {i} then return {i}\n" for i in range(150))
    assert result(f"local x = 149 if x == -1 then\n{arms} end") == 149.0
    assert result(f"return #{{{', '.join(['1'] * depth)}}}") == float(depth)


def test_a_source_is_compiled_once() -> None:
    """Functions of one source share its code, not its globals. Only some sources are kept, and no long one."""
    compiler.cached.cache_clear()
    first, second = pl.lua.Session(), pl.lua.Session()
    for session in (first, second):
        assert session.execute("n = (n or 0) + 1 return n") == 1.0
    assert first.execute("n = (n or 0) + 1 return n") == 2.0
    assert first.execute("n = (n or 0) + 1 return n", "=other") == 3.0
    assert (compiler.cached.cache_info().hits, compiler.cached.cache_info().misses) == (2, 2)
    code = "local f = loadstring('return x') setfenv(f, {x = 'own'}) x = 'global' return f(), loadstring('return x')()"
    assert first.execute(code) == ("own", "global")
    for i in range(compiler.MAX_CACHED + 10):
        assert first.execute(f"return {i}") == float(i)
    assert compiler.cached.cache_info().currsize == compiler.MAX_CACHED
    misses = compiler.cached.cache_info().misses
    long = f"return #'{'x' * compiler.MAX_CACHED_BYTES}'"
    assert first.execute(long) == first.execute(long) == float(compiler.MAX_CACHED_BYTES)
    assert compiler.cached.cache_info().misses == misses
