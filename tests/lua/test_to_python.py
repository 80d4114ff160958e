"""Programs mean the same in Python as in Lua: short ones, those of other tests, and random ones."""

from __future__ import annotations

import ast
import doctest
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua import helpers, torch7, writer
from pytorch_legacy.lua.language.table import Table
from pytorch_legacy.lua.writer import declarations

from . import test_classes, test_coroutines, test_language, test_libraries, test_tensors
from .programs import Writer
from .test_random_programs import normalized, ours
from .to_python import WrittenSession, helper_lines

SCRIPTS = Path(__file__).parent / "scripts"
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "lua.md").read_text(encoding="utf-8")
MODELS = dict.fromkeys(("autoencoder", "customlayer", "inception", "residual", "siamese", "unet"), 0) | {"charlstm": 2}
"""The scripts of models, and the lines in which they call helpers."""
DIFFERENT = {
    "local t = setmetatable({}, {__index = 'abc'}) return t.len == string.len, t.len('ab')": "a method that is not called",
    "local t = setmetatable({}, {__index = io.stdout}) return t.write == io.stdout.write, t.items": "the same",
    "local co = coroutine.create(function() error('inner') end) return coroutine.resume(co)": "file and line in a message",
    "local f = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return f(), f(), f(), f()": "nil at the end",
}
"""Programs of other tests that Python computes otherwise, and the reason."""
RANDOM = 100
ERROR = re.compile(r"attempt to|bad argument|Error: |invalid |expected|:\d+: |unsupported|zero|C stack|must be")


def written(code: str) -> str:
    return writer.write(code.encode("utf-8", "surrogateescape").decode("latin-1"), "t")


def both(code: str, requires: tuple[str, ...] = ()) -> tuple[Any, Any]:
    """Returns what a program returns in Lua and in Python."""
    return pl.lua.Session(requires=requires).execute(code, "=t"), WrittenSession(requires=requires).run_text(written(code))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, (tuple, list)):
        return isinstance(other, type(one)) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        return (
            isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        )
    if isinstance(one, float) and one != one:
        return isinstance(other, float) and other != other
    return type(one) is type(other) and (bool(one == other) or isinstance(one, (pl.lua.View, pl.lua.session.Function)))


@pytest.mark.parametrize(
    "code",
    [
        "local f = {} for i = 1, 3 do local n = i f[i] = function() n = n + 1 return n + i end end return f[1](), f[1]()",
        "local f = {} for i = 1, 3 do local function g(n) return n == 0 and i or g(n - 1) end f[i] = g end return f[1](5)",
        "local x = 1 do local x = 2 end local function f() local y = x local x = 3 return x + y end return f(), x",
        "local n = 0 local function count() n = n + 1 return n end count() return count(), n",
        "local function f(a, b, ...) return select('#', ...), b, ... end return f(1), (f(1, 2, 3)), f(1, 2, 3, nil)",
        "local t = {f = function(...) return ... end} return #{t.f(1, 2), t.f(3, 4)}, t.f(), (t.f())",
        "local t = {10, 20, x = 1, [5] = 2, [true] = 3} return #t, t[2], t.x, t[5], t[true], t[1]",
        "local a, b = 1, {} a, b.x = 2, a return a, b.x",
        "if not space then space = {} end count = (count or 0) + 1 if not size then size = wide or 4 end "
        "local function make() net = {1} end local before = net make() return space ~= nil, count, size, before, #net",
        "if x then y = 1 else y = 2 end for i = 1, 2 do if last then z = last end last = i end "
        "local function step() if moves == nil then moves = 0 end moves = moves + 1 return moves end "
        "repeat local d = done done = 1 until done return y, z, step() + step()",
        "function first(n) return n > 0 and second or third end function second() end third = 3 "
        "return first(1) == second, first(0)",
        "Twice, parent = torch.class('nn.Twice', 'nn.Module') function Twice:__init(n) parent.__init(self) self.n = n end "
        "function Twice:updateOutput(x) self.output = x * self.n return self.output end "
        "Foo = torch.class('Bar') function Foo:get() return 1 end Bar2, above = torch.class('Bar2', 'Bar') "
        "function Bar2:get() return above.get(self) + 1 end "
        "return nn.Twice(3):forward(torch.ones(2)), Twice == nn.Twice, Bar():get(), Bar2.new():get()",
        "local t = {n = 2} function t:forward(k) return self.n + k end t.backward = t.forward return t:forward(1), t:backward(2)",
        "require 'rnn' local a = nn.rnn.recursiveCopy(nil, torch.ones(2)) local b = {nn.utils.recursiveAdd(a, torch.ones(2))} "
        "return a, #b",
        "local ok, found = pcall(require, 'nn') return ok, found == nn, (pcall(require, 'missing'))",
        "require 'nn' local m = nn.ReLU() local a = m:evaluate() local function f() return m:training() end "
        "return a == nil, m:evaluate() or 1, m:evaluate() and 1 or 2, f() or 3, select('#', f()), #{f()}",
        "local s = 0 for i = 10, 1, -3 do s = s + i end for i = 0.5, 2, 0.5 do s = s + i end return s, 7 % 3, -7 % 3, 7 / 2",
        "local h = 5381 for i = 1, 60 do h = h * 33 + i end return h == h + 1, h",
        "local n = 0 while true do n = n + 1 if n > 5 then break end end repeat local m = n n = n - 1 until m < 3 return n",
        "local none, zero, empty = nil, 0, '' return zero and 1 or 2, empty or 3, none or zero, not zero, none and 1",
        "if 0 then return 'zero is true' end return 1",
        "local M = {} function M.f(a, b) return a, b end local g = M.f return M.f(1), M.f(1, 2, 3), g(), g == M.f",
        "local g if true then g = function(a) return a end else g = function() end end return g(1, 2), g()",
        "local function each(t, f) for i, x in ipairs(t) do f(x, i) end end local s = 0 "
        "each({1, 2}, function(x) s = s + x end) return s",
        "local function f(_, _, __x) return __x end return f(1, 2, 3)",
        "local function f(x) if x then return x end end return f(1), f(0), (f(false))",
        "return ('a,b'):find(',', 1, true), ('x'):rep(3), ('%d-%s'):format(3, 'y'), #'abc', 'a' .. 1 .. 2.5 .. 'b'",
        "local C = {} C.__index = C function C.new(n) return setmetatable({n = n}, C) end "
        "function C:add(k) self.n = self.n + k return self end return C.new(1):add(2):add(3).n",
        "local Above = torch.class('A') function Above:__init(n) self.n = n end function Above:get() return self.n end "
        "local Below, parent = torch.class('B', 'A') function Below:get() return parent.get(self) + 1 end "
        "return B(3):get(), torch.type(B(1)), tostring(B(1))",
        "local x = torch.range(1, 6):view(2, 3) x[2][3] = 9 x[{{}, 1}] = 0 return x, x:max(2), x:sum(), #x:size(), x:size(2)",
        "local m = nn.Linear(2, 2) m.weight:fill(1) m.bias:zero() "
        "function m:updateOutput(x) self.output = x * 2 return self.output end "
        "return m:forward(torch.ones(2)), m.none, m.bias ~= nil",
        "total = 0 local function visit(t) for _, x in ipairs(t) do total = total + x end end visit{1, 2} visit{3} return total",
        "local function f(n, m) return n * 2, n + m, 1 + m, n % 3, -n, 2 ^ n, n / 2, 1 - n end "
        "local t = {a = '5'} return f(t.a, '7'), f(('x7'):match('%d'), t.a), #t.a, t.a .. 1, ({['5'] = 1})[t.a]",
        "local function f(a) if not a then return 'none' elseif a then return a - 1 end end "
        "local function g(a) a = a or 7 return a + 1 end return f(false), f(nil), f(3), g(false), g(nil), g(2)",
        "if ('--'):match('^%-*(x?)') then return ('ab'):find('b') and 1, ('ab'):match('c') and 1 or 2 end return 'nothing'",
        "local t = {gpu = 0, s = ''} local gpu, s = t.gpu or false, t.s or true if gpu then return s, gpu, t.x or false end",
        "require 'nn' local net, names = nn.Linear(2, 2), {'evaluate', 'training'} local f = net['evaluate'] f(net) "
        "local off = net.train for _, name in ipairs(names) do net[name](net) end local x = torch.ones(2) x['fill'](x, 3) "
        "return off, net.train, x[1], #net:findModules('nn.Linear'), "
        "torch.type(net:replace(function(m) return nn.Tanh(), 1 end))",
        "require 'nn' local count = 0 local function make(k) local Twice, parent = torch.class('nn.InFunction', 'nn.Linear') "
        "function Twice:__init(n, m) parent.__init(self, n, m) count = count + k end "
        "function Twice:updateOutput(x) return parent.updateOutput(self, x):clone():mul(k) end return Twice end make(3) "
        "local net = nn.InFunction(2, 1) net.weight:fill(1) net.bias:fill(0) return net:forward(torch.ones(2))[1], count",
        "require 'nn' local function apply(f, ...) return f(...) end local net, x = nn.Linear(2, 2), torch.ones(3) "
        "local ok, y = pcall(net.forward, net, torch.ones(2)) local done = pcall(x.fill, x, 2) "
        "local opt = {type = 'a', size = 4} "
        "local fields = {f = x.add, g = x.sum} return ok, y:size(1), done, x[1], apply(x.sum, x), fields.f(x, 1)[1], "
        "fields.g(x), opt.type, opt.size, apply(x.size, x, 1), net.forward ~= nil, net.nothing == nil",
        "require 'nn' torch.class('nn.Grown') function nn.Grown:__init() self.n = 1 end "
        "function nn.Grown:grow(k) self.n = self.n + k return self.n end local t = nn.Grown() local grow = t.grow "
        "return grow(t, 2), pcall(t.grow, t, 4), pcall(grow, t, 1)",
        "require 'rnn' local a = nn.rnn.recursiveCopy(nil, {torch.ones(2)}) "
        "return #a, (nn.rnn.recursiveAdd(a, {torch.ones(2)}))[1][1]",
        "require 'nnx' return nn.SoftMaxTree(2, {torch.IntTensor{2, 3}}, 1).rootId",
        "class, def, l = 1, 2, 3 local is, None = 4, 5 return class + def + l + is + None, ({['from'] = 6, __x = 7}).from",
        "local t, log = {}, {} local u = t local function f() t = {} return 1 end (function() t.x = f() end)() return u.x, t.x",
    ],
)
def test_programs_mean_the_same(code: str) -> None:
    expected, found = both(code, ("torch", "nn"))
    assert same(expected, found), written(code)


def programs(module: ModuleType) -> Iterator[str]:
    """Yields the short programs of a module of tests."""
    for function in vars(module).values():
        for mark in getattr(function, "pytestmark", ()):
            if mark.name == "parametrize" and mark.args[0] == "code, expected":
                yield from (code for code, *_ in mark.args[1])


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(
    "module",
    [test_classes, test_coroutines, test_language, test_libraries, test_tensors],
    ids=lambda one: one.__name__,
)
def test_programs_of_other_tests_mean_the_same(module: ModuleType) -> None:
    requires = ("torch", "nn") if module is test_classes else ("torch",) if "tensors" in module.__name__ else ()
    compared, different = 0, []
    for code in programs(module):
        try:
            text = written(code)
            expected = pl.lua.Session(requires=requires).execute(code, "=t")
        except (pl.lua.LuaError, writer.UnsupportedLua):
            continue
        compared += 1
        if code not in DIFFERENT and not same(expected, WrittenSession(requires=requires).run_text(text)):
            different.append(f"{code}\n{text}")
    assert compared and not different, different[0]


def difference(expected: str, found: str) -> str:
    """Returns "" if the lines of two outputs are the same but for words of errors, else what differs first."""
    for one, other in zip(expected.split("\n"), found.split("\n"), strict=False):
        isOne, isOther = bool(ERROR.search(one)), bool(ERROR.search(other))
        if one != other and not (isOne and isOther):
            return "Python raises" if isOther else "Lua raises" if isOne else "value"
        if one != other and one.startswith("false") and other.startswith("false"):
            return ""
    return ""


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_random_programs_mean_the_same() -> None:
    """They mix booleans, numbers and strings, for which Python's operators raise errors where Lua converts, and the reverse."""
    found = []
    for seed in range(RANDOM):
        program = Writer(seed).program()
        try:
            text = written(program)
        except writer.UnsupportedLua:
            continue
        found.append(difference(normalized(ours(program)), normalized(str(WrittenSession().run_text(text)))))
    assert len(found) > 0.95 * RANDOM
    assert (
        found.count("value") == 0 and found.count("Lua raises") <= 0.02 * RANDOM and found.count("Python raises") <= 0.08 * RANDOM
    )


@pytest.mark.parametrize("name", ["attention", "gan"])
def test_programs_that_train_mean_the_same(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected, ours = pl.lua.run(SCRIPTS / f"{name}.lua"), capsys.readouterr().out
    found = WrittenSession(requires=["trepl"]).run(SCRIPTS / f"{name}.lua")
    assert capsys.readouterr().out == ours
    history = [[one["history"][i] for i in range(1, len(one["history"]) + 1)] for one in (expected, found)]
    assert history[0] == history[1]


def test_a_program_of_several_files_means_the_same(tmp_path: Path) -> None:
    """It is run on the command line, with what Torch7's ``th`` loads, and makes the same model, bit by bit."""
    (tmp_path / "text.txt").write_text("the cat sat on the mat.\n" * 12)
    script = SCRIPTS / "characters" / "train.lua"
    texts, missing = writer.write_program(script, [script.parent])
    assert sorted(texts) == ["", "Corpus.py", "recurrent.py"] and missing == []
    for place, text in texts.items():
        (tmp_path / (place or "train.py")).write_text(text)
    options = ("-text", str(tmp_path / "text.txt"), "-epochs", "2", "-folder")
    subprocess.run([sys.executable, tmp_path / "train.py", *options, tmp_path / "python"], check=True, capture_output=True)
    pl.lua.run(script, *options, str(tmp_path / "lua"), path=[script.parent])
    ours, theirs = (pl.load(tmp_path / name / "epoch2.t7") for name in ("python", "lua"))
    assert np.array_equal(ours["step"].getParameters()[0], theirs["step"].getParameters()[0])
    assert ours["letters"] == theirs["letters"] and ours["numbers"] == theirs["numbers"]


def test_files_that_are_included_are_written(tmp_path: Path) -> None:
    (tmp_path / "part.lua").write_text("half = 21 return 2")
    (tmp_path / "main.lua").write_text("local twice = include('part.lua') return half * twice")
    texts, missing = writer.write_program(tmp_path / "main.lua", [tmp_path])
    for place, text in texts.items():
        (tmp_path / (place or "main.py")).write_text(text)
    code = "import runpy; print(runpy.run_path('main.py', run_name='__main__')['result'])"
    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = ['main.py']; {code}"], cwd=tmp_path, capture_output=True
    )
    assert (found.stdout, missing, sorted(texts)) == (b"42\n", [], ["", "part.py"]), found.stderr


# ------------------------------------------------------------------------------------------------------ the text


@pytest.mark.parametrize("name", MODELS)
def test_models_need_no_helpers(name: str) -> None:
    text = writer.write((SCRIPTS / f"{name}.lua").read_text("latin-1"), name)
    assert helper_lines(text)[0] == MODELS[name]


ARGUMENTS = """
local function twice(x) return x, x end
return torch.Tensor{{4, 1}, {1, 3}}, torch.Tensor{3, 1, 2}, 1, 'a b=c', torch.LongTensor{1, 2}, twice, {1, torch.ones(2)}
"""
OBJECTS = [
    "torch.Tensor{{4, 1}, {1, 3}}", "nn.Linear(2, 2)", "nn.Sequential():add(nn.LookupTable(4, 2)):add(nn.Linear(2, 2))",
    "nn.LSTM(2, 2)", "nn.Sequencer(nn.Linear(2, 2))", "nn.ClassNLLCriterion()", "nn.Identity()()", "optim.ConfusionMatrix(2)",
    "nn.SoftMaxTree(2, {torch.IntTensor{2, 3}}, 1)",
]  # fmt: skip
SYSTEM = frozenset(
    ("execute", "fexecute", "exit", "popen", "lines", "read", "ls", "la", "ll", "lla", "sleep", "usleep", "tmpfile")
)


def calls_with_results(function: Any, make: Any, own: Any = None) -> Iterator[tuple[int, int]]:
    """Yields numbers of arguments and results of calls that succeed.

    Calls get 0 to 2 arguments, which are new for each call, behind the value whose method the function is.
    """
    for places in [(), *((i,) for i in range(7)), *product(range(4), repeat=2)]:
        values = make()
        arguments = [values[i] for i in places]
        try:
            found = function(*arguments) if own is None else function(own(), *arguments)
        except Exception:
            continue
        yield len(arguments), len(found) if found.__class__ is tuple else 1


def functions_of(table: Any, name: str) -> Iterator[tuple[str, str, Any]]:
    """Yields the functions of a table of Lua and of the tables in it, but not those of classes, with their names."""
    for key, one in table.__dict__.items():
        if isinstance(one, FunctionType):
            yield name, key, one
        elif one.__class__ is Table and one is not table and key not in ("_G", "loaded", "preload"):
            yield from functions_of(one, f"{name}.{key}")


def methods_of(state: Any, value: Any, seen: set[Any]) -> Iterator[tuple[str, str, Any]]:
    """Yields the methods of a value of Lua, but those that it has from a class of another value."""
    python = getattr(value, "python", None).__class__
    for name in sorted(declarations.methods() | {*dir(python)}):
        own = name, getattr(python, name, None)
        with suppress(Exception):
            found = state.method(value, name)
            if isinstance(found, FunctionType) and own not in seen:
                seen.add(own)
                yield python.__name__, name, found


@pytest.mark.filterwarnings("ignore")
def test_numbers_of_results_are_declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that has several results in Lua is not written as one that has a single value."""
    monkeypatch.chdir(tmp_path)
    state = pl.lua.Session(requires=["torch", "nn", "rnn", "nngraph", "optim"])._state
    make = state.load(ARGUMENTS, "=t")
    wrong, seen, count = set(), set[Any](), 0
    functions: list[tuple[str, str, Any, Any]] = []
    for package in sorted(declarations.KNOWN - {"cunn"}):  # cunn is nn
        table = state.globals.__dict__.get(package) or state.require(package)
        functions += [(*found, None) for found in functions_of(table, package)]
    for code in OBJECTS:
        own = state.load(f"return {code}", "=t")
        functions += [(*found, own) for found in methods_of(state, own(), seen)]
    for package, name, function, own in functions:
        if name in SYSTEM or name[:2] == "__":
            continue
        for given, results in calls_with_results(function, make, own):
            count += 1
            isOfMath = package == "math" and name in declarations.WITH_DIMENSION
            declared = 1 if isOfMath else declarations.count(name, given - (package == "torch"))
            if results > 1 and declared not in (None, results):
                wrong.add(f"{package}.{name}: {results} results of {given} arguments, declared are {declared}")
    assert count > 4000 and not wrong, sorted(wrong)


def test_the_example_of_the_page() -> None:
    lua, python = re.findall(r"<!-- written -->\n```(?:lua|python)\n(.*?)```", PAGE, re.DOTALL)
    assert writer.write(lua, "t") == python


def test_ruff_and_mypy_find_nothing(tmp_path: Path) -> None:
    for script in SCRIPTS.glob("*.lua"):
        text = writer.write(script.read_text("latin-1"), script.name)
        ast.parse(text, feature_version=(3, 11))
        (tmp_path / f"{script.stem}.py").write_text(text)
    mypy = [sys.executable, "-m", "mypy", "--follow-imports=silent"]
    for name, command in {"ruff": ["ruff", "check", "--isolated", "--no-cache"], "mypy": mypy}.items():
        if shutil.which(name) is None:
            pytest.skip(f"needs {name}")
        found = subprocess.run([*command, *map(str, tmp_path.glob("*.py"))], capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stdout


def test_long_lines_are_broken() -> None:
    fields = ", ".join(f"field{i} = {i}" for i in range(12))
    text = written(f"local options = {{{fields}}}\nlocal s = nn.Sequential()" + ":add(nn.Linear(options.field1, 20))" * 4)
    assert (
        max(map(len, text.split("\n"))) <= 100
        and "\n    field0=0,\n" in text
        and "\n    .add(nn.Linear(options.field1, 20))\n" in text
    )


def test_broken_lines_mean_the_same() -> None:
    ranges = ", ".join(["{1, 3}"] * 4)
    name = "aVeryLongNameThatFillsTheLine" * 3
    code = f"local x = torch.rand(3, 3, 3, 3) local {name} = x[{{{ranges}}}] "
    code += f"local function f(...) return (select(1, {name}, ...)) end "
    expected, found = both(code + f"return #{{f(1)}}, {name}:nElement(), x[{name}:dim() - 3]:nElement()", ("torch",))
    assert same(expected, found)


def test_comments_stay() -> None:
    code = "-- head\nlocal x = 1 -- one\n-- alone\nfunction f()\n  -- inner\n  return x\nend\n--[[ last\nlines ]]\n"
    text = written(code)
    assert text.startswith('"""head"""\n') and "x = 1  # one\n" in text and "    # inner\n    return x\n" in text
    assert text.index("# alone") < text.index("def f") < text.index("# last\n# lines\n")


@pytest.mark.parametrize(
    "code, what",
    [
        ("local x\nsetfenv(1, {})", "t:2: setfenv"),
        ("goto done\n::done::", "t:1: goto"),
        ("local a, a = 1\na, a = 1, 2", "t:2: an assignment to one variable twice"),
        ("require(arg[1])", "t:1: require of a name that is computed"),
        ("dofile 'none.lua'", "t:1: dofile of none.lua, which is not there,"),
        ("local i, t = 1, {}\ni, t[i] = 2, 3", "t:2: an assignment to several places that depend on each other"),
        ("debug.sethook()", "t:1: the library debug"),
    ],
)
def test_what_cannot_be_written(code: str, what: str) -> None:
    with pytest.raises(writer.UnsupportedLua, match=f"^{re.escape(what)} cannot be written in Python$"):
        writer.write(code, "t")


# ------------------------------------------------------------------------------------------------------ the packages


@pytest.mark.parametrize("module", [torch7, helpers], ids=lambda one: one.__name__)
def test_the_examples_of_docstrings_run(module: ModuleType) -> None:
    torch7.begin()
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted and not found.failed


def test_names_of_lua_are_those_of_lua() -> None:
    own = {"assert", "dofile", "ipairs", "pairs", "require", "unpack"}
    assert writer.known_names() & {name for name in vars(torch7) if not name.startswith("_")} <= own


def test_a_value_takes_what_python_has() -> None:
    torch7.begin()
    x = torch7.torch.Tensor([[1, 2], [3, 4]])
    assert x.size(1) == 2 and x == x and x != x.clone() and x.none is None and torch7.Table() != torch7.Table()
    assert np.array_equal(torch7.python(x * 2), [[2.0, 4.0], [6.0, 8.0]])
    net = torch7.nn.Sequential().add(torch7.nn.Linear(2, 3))
    assert isinstance(torch7.python(net), pl.nn.Sequential) and torch7.python(net)[0].weight.shape == (3, 2)
    assert torch7.Table({"a": 1, 2: "b"})[2] == "b" and torch7.Table(1, 2, a=3).a == 3 and len(torch7.Table(1, 2, a=3)) == 2
    with pytest.raises(TypeError, match="expected None, a bool, number, string, table, tensor or function, got complex"):
        torch7.Table(1j)
    with pytest.raises(AttributeError, match="there is no package or function 'none'"):
        _ = torch7.none
