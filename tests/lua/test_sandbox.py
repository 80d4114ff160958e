"""No script reaches an object of Python: every value that it can hold is probed with every name of ``dir()``.

Generated code takes attributes of tables alone. Its ``__builtins__`` are empty.
"""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Iterator
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua.language.expressions import is_attribute
from pytorch_legacy.lua.language.nodes import Chunk
from pytorch_legacy.lua.language.statements import Statements
from pytorch_legacy.lua.language.table import Table

VALUES = {
    "string": "'abc'",
    "number": "1.5",
    "boolean": "true",
    "table": "{}",
    "function": "function() end",
    "builtin": "print",
    "closure of the library": "('a'):gmatch('a')",
    "table with metatable": "setmetatable({}, {})",
    "guarded table": "setmetatable({}, {__newindex = function(t, k, v) end})",
    "userdata": "newproxy(true)",
    "coroutine": "coroutine.create(function() end)",
    "file": "io.stdout",
    "metatable of files": "getmetatable(io.stdout)",
    "library": "string",
    "globals": "_G",
    "result of Python": "fromPython()",
    "error value": "select(2, pcall(error))",
    "error of Python": "select(2, pcall(fails))",
    "information": "debug.getinfo(1)",
    "environment": "getfenv(1)",
    "tensor": "torch.ones(2)",
    "storage": "torch.LongStorage{1, 2}",
    "torch": "torch",
    "constructor": "torch.DoubleTensor",
    "object of a class": "torch.class('Own') and Own()",
    "generator": "torch.Generator()",
    "timer": "torch.Timer()",
    "command line": "(function(cmd) cmd.options, cmd.arguments = nil return cmd end)(torch.CmdLine())",  # no own fields
    "file of torch": "torch.MemoryFile()",
    "hash": "require('tds').Hash()",
    "options of hdf5": "require('hdf5').DataSetOptions()",
    "package image": "require('image')",
}
KINDS = (
    str,
    float,
    bool,
    dict,
    Table,
    type,
    types.FunctionType,
    types.CodeType,
    types.FrameType,
    types.ModuleType,
    types.MethodType,
)
PROBE = """
local concat, loadstring, pairs, pcall = table.concat, loadstring, pairs, pcall
local print, rawequal, tostring = print, rawequal, tostring
local known, v, names = known, %s, ...
local found = {}
local function note(way, name, r)
  if r ~= nil and rawequal(r, known(name)) == false then found[#found + 1] = way .. ' ' .. name .. ' ' .. tostring(r) end
end
for name in names:gmatch('%%S+') do
  local ok, r = pcall(function() return v[name] end)
  if ok then note('index', name, r) end
  for way, code in pairs{dot = 'return v.' .. name, method = 'return v:' .. name .. '("x", "y")',
                         store = 'v.' .. name .. ' = print return v.' .. name} do
    local f = loadstring('local v = ... ' .. code)
    if f then
      local ok, r = pcall(f, v)
      if ok and not (way == 'method' and known(name) ~= nil) and not (way == 'store' and r == print) then note(way, name, r) end
    end
  end
end
return concat(found, '\\n')
"""


def names() -> list[str]:
    """Returns the names of all attributes of objects that a script could hold, as identifiers."""
    classes: tuple[Any, ...] = (
        *KINDS,
        *vars(pl.lua).values(),
        *vars(pl.lua.tensors).values(),
        types.TracebackType,
        types.GeneratorType,
        BaseException,
        ImportError,
    )
    found = {name for kind in classes for name in dir(kind)}
    return sorted(
        found | {"lua_index", "_table", "_state", "stream", "process", "_greenlet", "_channel", "_function", "switch", "gr_frame"}
    )


def test_metamethods_of_tensors_take_no_fields_of_tables_for_attributes() -> None:
    code = """
    local asked = {}
    local function fake(name)
      local spy = {nbytes = 0, ndim = 1, size = 1, shape = {1}, kind = 'f', name = 'name'}
      spy.item, spy.fill, spy.dtype = function() asked[#asked + 1] = name return 1 end, print, spy
      return setmetatable({array = spy, vector = spy, dtype = spy, types = spy, stream = spy, name = 'name',
                           view = spy.item, isFloat = true}, torch.getmetatable(name))
    end
    for _, name in ipairs{'torch.DoubleTensor', 'torch.DoubleStorage', 'torch.MemoryFile', 'torch.Timer', 'torch.CmdLine'} do
      for event, f in pairs(torch.getmetatable(name)) do
        local known = event == 'typename' or event == 'type' or event == 'isTensor'
        if type(f) == 'function' and not known then
          for _, arguments in ipairs{{}, {1}, {1, 2}, {fake(name)}, {'array'}, {torch.Tensor(1)}} do
            local ok, message = pcall(f, fake(name), unpack(arguments))
            if not ok and tostring(message):find('AttributeError') then asked[#asked + 1] = name .. event end
            local ok, message = pcall(f, unpack(arguments))
            if not ok and tostring(message):find('AttributeError') then asked[#asked + 1] = name .. event end
          end
        end
      end
    end
    return table.concat(asked, ' ')
    """
    assert pl.lua.Session(requires=["torch"]).execute(code) == ""


@pytest.mark.parametrize("value", VALUES)
def test_no_name_of_python_is_reached(value: str) -> None:
    session = pl.lua.Session(requires=["torch"])
    session.globals["fromPython"] = lambda: {"a": [1, "x"]}
    session.globals["fails"] = lambda: 1 / 0
    session.execute(
        "local own = {} local function add(t) for k, v in pairs(t) do if type(k) == 'string' then own[k] = v end end end "
        f"local ok, v = pcall(function() return {VALUES[value]} end) "
        "if type(v) == 'table' then add(v) elseif type(v) == 'string' then add(string) "
        "elseif io.type(v) then add(getmetatable(v)) end "
        "if torch.typename(v) or v == torch.DoubleTensor then add(getmetatable(v)) end "
        "function known(name) return own[name] end"
    )
    found = session.execute(f"return (function(...) {PROBE % VALUES[value]} end)([=[{' '.join(names())}]=])")
    assert found == ""


GUARD = re.compile(r"\(c_ := .*\.__class__\) is Table or c_ is MetaTable|.*\.__class__ is Table|"
                   r"\(c_ := .*\.__class__\) is Table or \(c_ is MetaTable and \w+ is not None\)")  # fmt: skip


def attributes(code: str) -> Iterator[tuple[ast.Attribute, str]]:
    """Yields the attributes of generated code, and the condition under which each is taken."""
    module = Statements(Chunk("=t")).module(code)
    guarded: dict[ast.AST, str] = {}
    for node in ast.walk(module):
        if isinstance(node, (ast.IfExp, ast.If)):
            bodies = [node.body] if isinstance(node, ast.IfExp) else node.body
            for body in bodies:
                for inner in ast.walk(body):
                    guarded[inner] = ast.unparse(node.test)
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute):
            yield node, guarded.get(node, "")


def test_generated_code_takes_attributes_of_tables_alone() -> None:
    code = """
    local o, p, i = {}, ..., 1
    o.x = p.y; p.z = o; p.q.r.s = o.x.y.z; o[i] = p[i]; o[1], p.w = p[2], o.v
    for k = 1, 3 do o[k] = p[k] + o.n; p:go(o.x):on(p.y) end
    glob = other.field; glob.x = o.__class__; glob.__class__ = 1; return o.items, p.None, #p.x, -p.y, p.a == o.b
    """
    seen = 0
    for node, test in attributes(code.replace("p.None", "p['None']")):
        if node.attr == "__class__":
            continue  # a test
        seen += 1
        assert is_attribute(node.attr)
        isGlobal = isinstance(node.value, ast.Name) and node.value.id == "G"
        assert isGlobal or GUARD.fullmatch(test), ast.unparse(node)
    assert seen > 15


@pytest.mark.parametrize("code", [
    "return __import__('os')",
    "return getattr(1, 'real')",
    "return ('{0.__class__}'):format(print)",
    "return index, setindex, method, first, many, Table, G, chunk_, sequence",
    "return __builtins__, __name__, __chunk__, rest, t1_, t2_",
    "local __builtins__, G, Table, tuple, first = 1, {}, 3, 4, 5 local function f() return G.x end return f() or __import__",
    "return getfenv(print).__builtins__, getfenv(0).__builtins__",
])  # fmt: skip
def test_helpers_have_no_names_in_lua(code: str) -> None:
    try:
        found = pl.lua.Session().execute(code)
    except pl.lua.LuaError:
        return
    values = found if isinstance(found, tuple) else (found,)
    assert all(value is None or value == "{0.__class__}" for value in values)


@pytest.mark.parametrize("code", [
    "setfenv(print, {})",
    "setfenv(require, {})",
    "debug.setupvalue(print, 1, {})",
    "debug.setmetatable('', {})",
    "print.x = 1",
    "io.stdout.stream = nil",
    "coroutine.create(print).status = 'dead'",
])  # fmt: skip
def test_what_belongs_to_all_sessions_cannot_be_changed(code: str) -> None:
    pl.lua.Session().execute(f"pcall(function() {code} end)")
    assert pl.lua.Session().execute("return type(print), type(require), io.type(io.stdout)") == ("function", "function", "file")


def test_sessions_share_no_table() -> None:
    pl.lua.Session().execute("string.own = 1 math.own = 2 own = 3 getmetatable('').own = 4 package.loaded.own = 5")
    found = pl.lua.Session().execute("return string.own, math.own, own, getmetatable('').own, package.loaded.own, ('').own")
    assert found == (None,) * 6
