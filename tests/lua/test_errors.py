"""Errors: Lua's words with file and line, error values, levels, tracebacks, and what no error may stop."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import pytorch_legacy as pl

from .running import error, result, rows


@rows(
    ("local x\nreturn x.y", "t:2: attempt to index local 'x' (a nil value)"),
    ("local t = {}\n\nreturn t.x.y", "t:3: attempt to index field 'x' (a nil value)"),
    ("return net.x", "t:1: attempt to index global 'net' (a nil value)"),
    ("local x local function f() return x.y end f()", "t:1: attempt to index upvalue 'x' (a nil value)"),
    ("for i = 1, 2 do local x local f = function() return x.y end f() end", "t:1: attempt to index upvalue 'x' (a nil value)"),
    ("local t = {} t:go()", "t:1: attempt to call method 'go' (a nil value)"),
    ("go()", "t:1: attempt to call global 'go' (a nil value)"),
    ("local t = {} t.a.b = 1", "t:1: attempt to index field 'a' (a nil value)"),
    ("local s = 'x' s()", "t:1: attempt to call local 's' (a string value)"),
    ("local t = setmetatable({}, {}) t()", "t:1: attempt to call local 't' (a table value)"),
    ("local a = {} return a + 1", "t:1: attempt to perform arithmetic on local 'a' (a table value)"),
    ("local t = {} return 1 + t.n", "t:1: attempt to perform arithmetic on field 'n' (a nil value)"),
    ("return -{}", "t:1: attempt to perform arithmetic on a table value"),
    ("local a return 'x' .. a", "t:1: attempt to concatenate local 'a' (a nil value)"),
    ("local a return #a", "t:1: attempt to get length of local 'a' (a nil value)"),
    ("return 1 < 'x'", "t:1: attempt to compare number with string"),
    ("return {} < {}", "t:1: attempt to compare two table values"),
    ("return true < 2", "t:1: attempt to compare boolean with number"),
    ("for i = 1, {} do end", "t:1: 'for' limit must be a number"),
    ("tonumber(nil, 1)", "t:1: bad argument #1 to 'tonumber' (string expected, got nil)"),
    ("for k in 5 do end", "t:1: attempt to call a number value"),
    ("for k, v in ipairs('x') do end", "t:1: bad argument #1 to 'ipairs' (table expected, got string)"),
    ("local t = {} t.__index = t setmetatable(t, t) return t.x", "t:1: loop in gettable"),
    ("local t = {} t.__newindex = t setmetatable(t, t) t.x = 1", "t:1: loop in settable"),
    ("local t = setmetatable({}, {__index = 5}) return t.x", "t:1: attempt to index a number value"),
    ("local t = {} t[nil] = 1", "t:1: table index is nil"),
    ("local t = {} t[0/0] = 1", "t:1: table index is NaN"),
    ("string.rep()", "t:1: bad argument #1 to 'rep' (string expected, got no value)"),
    ("('x'):rep({})", "t:1: bad argument #1 to 'rep' (number expected, got table)"),
    ("math.floor('a')", "t:1: bad argument #1 to 'floor' (number expected, got string)"),
    ("setmetatable(1, {})", "t:1: bad argument #1 to 'setmetatable' (table expected, got number)"),
    ("ipairs()", "t:1: bad argument #1 to 'ipairs' (table expected, got no value)"),
    ("('x'):find('[a')", "t:1: malformed pattern (missing ']')"),
    ("('x'):format('%y', 1)", None),
    ("error('text')", "t:1: text"),
    ("error('text', 0)", "text"),
    ("local function f()\nerror('text', 2)\nend\nf()", "t:4: text"),
    ("error(setmetatable({}, {__tostring = function() return 'T' end}))", None),
    ("assert(false)", "assertion failed!"),
    ("assert(nil, 'why')", "why"),
    ("local function f() return f() + 1 end f()", "t:1: stack overflow"),
    ("local t = setmetatable({}, {__call = function(t) return t() + 1 end}) t()", "t:1: stack overflow"),
)  # fmt: skip
def test_words(code: str, expected: str | None) -> None:
    if expected is None:
        assert isinstance(result(f"return select('#', pcall(function() {code} end))"), float)
    else:
        assert error(code) == expected


@rows(
    ("x = = 1", "t:1: unexpected symbol near '='"),
    ("local function f() return 1", "t:1: 'end' expected near '<eof>'"),
    ("if x then\n\n", "t:3: 'end' expected (to close 'if' at line 1) near '<eof>'"),
    ("x = 'abc", "t:1: unfinished string near '<eof>'"),
    ("x = [[abc", "t:1: unfinished long string near '<eof>'"),
    ("x = 1 --[==[ abc ]]", "t:1: unfinished long comment near '<eof>'"),
    ("x = 5x", "t:1: malformed number near '5x'"),
    ("break", "t:1: no loop to break near 'break'"),
    ("goto nowhere", "t:1: undefined label 'nowhere'"),
    ("x = '\\q'", "t:1: invalid escape sequence near ''\\q''"),
    ("f() = 1", "t:1: syntax error near '='"),
    ("function f() return ... end", "t:1: cannot use '...' outside a vararg function near '...'"),
)  # fmt: skip
def test_syntax(code: str, expected: str) -> None:
    assert error(code) == expected
    assert result(f"return select(2, loadstring([==[{code}]==], '=t'))") == expected


@rows(
    ("return pcall(error, {code = 5})", None),
    ("local ok, e = pcall(error, {code = 5}) return ok, e.code", (False, 5.0)),
    ("return pcall(function(...) return ... end, 1, 2)", (True, 1.0, 2.0)),
    ("return xpcall(function() error('x', 0) end, function(m) return m .. '!' end)", (False, "x!")),
    ("local function f(i) local ok, e = pcall(f, i + 1) return ok and e or i end return f(1)", 201.0),
    ("return select('#', pcall(error))", 2.0),
    ("return xpcall(error, function() error('again') end)", (False, "error in error handling")),
    ("return pcall(coroutine.status, 1)", (False, "bad argument #1 to 'status' (coroutine expected)")),
    ("return (pcall(rawequal, 1))", False),
    ("local ok, e = pcall(pcall) return ok, e", (False, "bad argument #1 to 'pcall' (value expected)")),
    ("return pcall(string.dump, print)", (False, "unable to dump given function")),
)  # fmt: skip
def test_protected_calls(code: str, expected: object) -> None:
    found = result(code)
    assert expected is None or found == expected


def test_an_error_names_the_file_and_the_chain_of_calls(tmp_path: Path) -> None:
    script = tmp_path / "t.lua"
    script.write_text("local function inner(x)\n  return x.y\nend\nfunction outer()\n  return inner() + 1\nend\nouter()\n")
    with pytest.raises(pl.lua.LuaError) as caught:
        pl.lua.run(script)
    assert caught.value.value == f"{script}:2: attempt to index local 'x' (a nil value)"
    assert caught.value.traceback.split("\n") == [
        "stack traceback:",
        f"\t{script}:2: in function 'inner'",
        f"\t{script}:5: in function 'outer'",
        f"\t{script}:7: in main chunk",
    ]


def test_a_traceback_in_a_handler_names_where_the_error_happened() -> None:
    text = result("local function f()\nlocal x\nreturn x.y\nend\nreturn select(2, xpcall(f, debug.traceback))")
    assert text.split("\n")[:3] == ["t:3: attempt to index local 'x' (a nil value)", "stack traceback:", "\tt:3: in function 'f'"]


def test_an_error_of_python_is_the_cause() -> None:
    session = pl.lua.Session()
    session.globals["fails"] = lambda: {}["key"]
    with pytest.raises(pl.lua.LuaError, match="KeyError: 'key'") as caught:
        session.execute("fails()")
    assert isinstance(caught.value.__cause__, KeyError)
    assert session.execute("return (pcall(fails))") is False


@pytest.mark.parametrize("loop", [
    "while true do pcall(function() while true do end end) end",
    "local co = coroutine.wrap(function() while true do pcall(function() while true do end end) end end) co()",
    "while true do xpcall(function() while true do end end, function() end) end",
])  # fmt: skip
def test_an_interrupt_ends_the_program(loop: str) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets jobs in the background ignore it
    main = threading.get_ident()
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            pl.lua.Session().execute(loop)
    finally:
        signal.signal(signal.SIGINT, before)
    timer.join()


def test_deep_recursion_ends_in_an_error_and_not_in_a_crash() -> None:
    code = """
import pytorch_legacy as pl
from pytorch_legacy.lua.language import coroutines
coroutines.greenlet = None  # threads have the smaller stacks
programs = [
    "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. 'x'] end return t.a",
    "local t = setmetatable({}, {__add = function(a, b) return a + b end}) return t + 1",
    "local t = {} function t:f() return self:f() + 1 end t:f()",
    "setmetatable(_G, {__index = function(g, k) return x end}) return y",
    "local function f() return ('x'):gsub('x', f) end f()",
    "local t = setmetatable({}, {__tostring = function(t) return tostring(t) .. '' end}) tostring(t)",
    "local function f() return coroutine.wrap(f)() end f()",
    "local function f() table.sort({1, 2}, f) end f()",
    "local function f() return (require or f)(f()) end f()",
    "local function f() for i in f do end end f()",
    "local t = setmetatable({}, {__call = function(t) return t() + 1 end}) t()",
    "local m = {} m.__eq = function(a, b) return a == b end local a, b = setmetatable({}, m), setmetatable({}, m) return a == b",
    "local t, n = setmetatable({}, {}), 0 getmetatable(t).__call = function(t) n = n + 1 if n % 8 > 0 then return t() + 1 end "
    "return (('x'):gsub('x', function() return t() end)) end t()",
]
programs += [f"error(select(2, coroutine.resume(coroutine.create(function() {program} end))), 0)" for program in programs]
for program in programs:
    try:
        pl.lua.Session().execute(program)
    except pl.lua.LuaError as error:
        print("overflow" in str(error.value))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.returncode, found.stdout.split()) == (0, ["True"] * 26), found.stderr


def test_a_traceback_has_the_name_of_each_function_of_a_library() -> None:
    """Functions that one ``def`` makes share its code, by which tracebacks know them."""
    for name in ("adam", "sgd"):
        call = f"optim.{name}(function() error('x') end, torch.zeros(2), {{}})"
        code = f"return select(2, xpcall(function() {call} end, debug.traceback))"
        assert result(code, ("optim",)).split("\n")[1:3] == ["stack traceback:", f"\t[C]: in function '{name}'"]
    assert "in function 'tan'" in result("return select(2, xpcall(function() math.tan({}) end, debug.traceback))")


@rows(
    (
        "nn.Linear(2, 1):float():forward(torch.zeros(2))",
        "t:1: nn.Linear: input: expected torch.FloatTensor, got torch.DoubleTensor; "
        "pass x:float(), or convert the module: module:double()",
    ),
    (
        "nn.Linear(2, 1):forward(3)",
        "t:1: nn.Linear: input: expected a torch.DoubleTensor, got number 3; pass torch.DoubleTensor(x)",
    ),
    ("nn.Sequential():add(nil)", "t:1: nn.Sequential: module: expected a module, got nil"),
    (
        "optim.adam(function() return 1 end, torch.zeros(2))",
        "t:1: optim.adam: opfunc: expected that it returns a value and a gradient, got number 1",
    ),
    (
        "optim.ConfusionMatrix(3):add(torch.rand(1, 3), 2)",
        "t:1: size mismatch, optim.ConfusionMatrix: prediction: expected a class or a vector, got 1 x 3",
    ),
)
def test_errors_of_modules_name_types_as_lua_does(code: str, expected: str) -> None:
    assert error(code, ("nn", "optim")) == expected
