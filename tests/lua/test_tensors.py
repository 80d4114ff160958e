"""Tensors of Lua: how they are made, shown, cut, indexed and stored."""

from __future__ import annotations

import gc
import weakref
from functools import partial
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua.tensors import Types, wrap

from . import running
from .running import rows

result = partial(running.result, requires=["torch"])
error = partial(running.error, requires=["torch"])


def session() -> pl.lua.Session:
    return pl.lua.Session(requires=["torch"])


A = np.arange(24.0).reshape(2, 3, 4)

# ------------------------------------------------------------------------------------------------------ creation

MADE: dict[str, Any] = {
    "torch.Tensor{{1, 2}, {3, 4}}": [[1, 2], [3, 4]],
    "torch.Tensor(2, 3):fill(5)": np.full((2, 3), 5.0),
    "torch.Tensor(torch.LongStorage{2, 2}):zero()": np.zeros((2, 2)),
    "torch.Tensor(torch.Tensor{1, 2, 3, 4, 5, 6}:storage(), 2, torch.LongStorage{2, 2}, torch.LongStorage{3, 1})": [
        [2, 3],
        [5, 6],
    ],
    "torch.Tensor(torch.Tensor{1, 2, 3, 4, 5, 6}:storage(), 3)": [3, 4, 5, 6],
    "torch.Tensor(torch.Tensor{1, 2, 3, 4, 5, 6}:storage(), 1, 2, 3)": [1, 4],
    "torch.LongTensor(torch.LongStorage{7, 8})": np.array([7, 8]),
    "torch.zeros(2, 1)": np.zeros((2, 1)),
    "torch.ones(torch.LongStorage{3})": np.ones(3),
    "torch.ones(torch.Tensor(), 2)": np.ones(2),
    "torch.zeros(2, 'torch.IntTensor')": np.zeros(2, np.int32),
    "torch.eye(2, 3)": np.eye(2, 3),
    "torch.range(1, 2, 0.25)": [1, 1.25, 1.5, 1.75, 2],
    "torch.range(3, 1, -1)": [3, 2, 1],
    "torch.linspace(0, 1, 5)": np.linspace(0, 1, 5),
    "torch.logspace(0, 2, 3)": [1, 10, 100],
    "torch.diag(torch.Tensor{1, 2})": np.diag([1.0, 2.0]),
    "torch.diag(torch.Tensor{{1, 2}, {3, 4}}, 1)": [2],
    "torch.tril(torch.ones(3, 3), -1)": np.tril(np.ones((3, 3)), -1),
    "torch.cat(torch.ones(2, 1), torch.zeros(2, 2))": [[1, 0, 0], [1, 0, 0]],
    "torch.cat({torch.ones(1, 2), torch.zeros(1, 2)}, 1)": [[1, 1], [0, 0]],
    "torch.cat(torch.ones(2), torch.zeros(2), 2)": [[1, 0], [1, 0]],
    "torch.zerosLike(torch.ByteTensor{1, 2})": np.zeros(2, np.uint8),
    "torch.ByteTensor{1, -1, 300, 2.9}": np.array([1, 255, 44, 2], np.uint8),
    "torch.FloatTensor{0.1}": np.array([0.1], np.float32),
    "torch.Tensor{1.7, -1.7}:int()": np.array([1, -1], np.int32),
    "torch.Tensor()": np.empty(0),
    "torch.Tensor(0)": np.empty(0),
    "torch.Tensor{{}}": np.empty(0),
}


@pytest.mark.parametrize("code", MADE)
def test_creation(code: str) -> None:
    found, expected = result(f"return {code}"), np.asarray(MADE[code])
    assert found.shape == expected.shape
    assert np.array_equal(found, expected)
    assert found.dtype == (np.float64 if isinstance(MADE[code], list) else expected.dtype)


def test_default_type() -> None:
    code = "return torch.Tensor(2):type(), torch.zeros(1):type(), torch.rand(2):type()"
    assert result(f"torch.setdefaulttensortype('torch.FloatTensor') {code}") == ("torch.FloatTensor",) * 3
    assert result("return torch.getdefaulttensortype(), torch.Tensor():type()") == ("torch.DoubleTensor",) * 2


@rows(
    ("return torch.Tensor(2, 3):dim(), torch.Tensor(2, 3):nElement(), torch.Tensor():dim()", (2.0, 6.0, 0.0)),
    ("return (#torch.Tensor(2, 3)[1])[1], torch.Tensor(4, 5):size(2), torch.Tensor(4, 5):stride(1)", (3.0, 5.0, 5.0)),
    ("local s = torch.Tensor(4, 5):size() return #s, s[1], s[2], s:size(), torch.type(s)",
     (2.0, 4.0, 5.0, 2.0, "torch.LongStorage")),
    ("return torch.isTensor(torch.Tensor()), torch.isTensor(1), torch.isStorage(torch.Tensor(2):storage())", (True, False, True)),
    ("return torch.typename(torch.ByteTensor()), torch.typename(2), torch.type(2)", ("torch.ByteTensor", None, "number")),
    ("return torch.Tensor(2):type(), torch.Tensor(2):float():type(), torch.Tensor(2):typeAs(torch.IntTensor()):type()",
     ("torch.DoubleTensor", "torch.FloatTensor", "torch.IntTensor")),
    ("local x = torch.Tensor(2) return torch.pointer(x) == torch.pointer(x), x:double() == x, x:clone() == x",
     (True, True, False)),
)  # fmt: skip
def test_facts(code: str, expected: Any) -> None:
    assert result(code) == expected


def test_a_storage_is_a_vector_of_python() -> None:
    assert result("return torch.Tensor(4, 5):size()").tolist() == [4, 5]


# ------------------------------------------------------------------------------------------------------ views

VIEWS: dict[str, Any] = {
    "x:narrow(2, 2, 2)": A[:, 1:3],
    "x:select(1, 2)": A[1],
    "x:sub(1, 2, 2, -1, -2, -1)": A[0:2, 1:, 2:],
    "x:transpose(1, 3)": A.swapaxes(0, 2),
    "x[1]:t()": A[0].T,
    "x:permute(3, 1, 2)": A.transpose(2, 0, 1),
    "x:view(6, 4)": A.reshape(6, 4),
    "x:view(-1, 12)": A.reshape(2, 12),
    "x:view(torch.LongStorage{24})": A.reshape(24),
    "x:unfold(3, 2, 1)": np.lib.stride_tricks.sliding_window_view(A, 2, 2),
    "x:unfold(3, 2, 2)": np.lib.stride_tricks.sliding_window_view(A, 2, 2)[:, :, ::2],
    "x:narrow(1, 1, 1):expand(5, 3, 4)": np.broadcast_to(A[:1], (5, 3, 4)),
    "x:narrow(1, 1, 1):squeeze()": A[0],
    "x:narrow(1, 1, 1):squeeze(1)": A[0],
    "x[2]": A[1],
    "x[-1][1]": A[-1][0],
    "x[{2, {}, 3}]": A[1, :, 2],
    "x[{{1, -1}, {2, 3}, {-2}}]": A[:, 1:3, 2:3],
    "x[{{}, {2}}]": A[:, 1:2],
    "x:split(2, 3)[2]": A[:, :, 2:],
    "x:chunk(2, 2)[1]": A[:, :2],
    "torch.Tensor():set(x:storage(), 3, torch.LongStorage{2, 2})": [[2, 3], [4, 5]],
    "torch.Tensor(x)": A,
    "x:contiguous()": A,
}


@pytest.mark.parametrize("code", VIEWS)
def test_views_share_memory(code: str) -> None:
    array = A.copy()
    found = result(f"local v = {code} return v, v:storage() == x:storage()", x=array)
    assert np.array_equal(found[0], VIEWS[code])
    assert found[1]
    assert np.shares_memory(found[0], array)


COPIES: dict[str, Any] = {
    "x:reshape(4, 6)": A.reshape(4, 6),
    "x:clone()": A,
    "x:repeatTensor(2, 1, 1)": np.tile(A, (2, 1, 1)),
    "x:transpose(1, 2):contiguous()": A.swapaxes(0, 1),
    "x:float()": A.astype(np.float32),
    "x[x:gt(20)]": A[A > 20],
    "torch.Tensor():resizeAs(x):copy(x)": A,
}


@pytest.mark.parametrize("code", COPIES)
def test_copies(code: str) -> None:
    array = A.copy()
    found = result(f"return {code}", x=array)
    assert np.array_equal(found, COPIES[code])
    assert not np.shares_memory(found, array)


def test_resize() -> None:
    code = """
    local x = torch.range(1, 6)
    local y = x:narrow(1, 2, 2)
    local s = x:storage()
    x:resize(2, 2)           -- less: the storage stays
    local same = x:storage() == s
    y:resize(10):fill(7)     -- more: it grows, and x sees it
    return x, y, same, x:storage():size(), x:storage() == y:storage()
    """
    x, y, same, size, shared = result(code)
    assert np.array_equal(x, [[1, 7], [7, 7]])
    assert y.tolist() == [7] * 10
    assert (same, size, shared) == (True, 11, True)


def test_a_copy_for_which_there_is_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    lua = session()
    lua.execute("x = torch.ones(1):expand(2 ^ 26)")
    monkeypatch.setattr("pytorch_legacy.lua.tensors.memory._available", lambda: 1 << 28)
    for code in ("x:clone()", "x:contiguous()", "x:float()", "x + 1", "torch.exp(x)"):
        with pytest.raises(pl.lua.LuaError, match="not enough memory"):
            lua.execute(f"return {code}")


@pytest.mark.parametrize("value", ["print", "5", "'text'"])
def test_values_of_the_registry_that_are_no_classes(value: str) -> None:
    code = f"""
    debug.getregistry().Odd = {value}
    local class = torch.class('Odd')
    return torch.typename(Odd()), torch.getmetatable('Odd') == class
    """
    assert result(code) == ("Odd", True)


def test_a_tensor_follows_its_storage() -> None:
    code = """
    local x = torch.Tensor(3):fill(1)
    local s = x:storage()
    s:resize(10)
    s[1] = 5
    local shown = x[1]
    x:resize(10)
    return shown, x[1], x[2], #s
    """
    assert result(code) == (5.0, 5.0, 1.0, 10.0)
    code = """
    local x = torch.Tensor(3):fill(1)
    local y = torch.Tensor():set(x:storage(), 1, 6)
    y[2] = 7
    return x
    """
    np.testing.assert_array_equal(result(code), [1, 7, 1])


@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_storage_that_becomes_too_short_leaves_its_tensors_empty(size: int) -> None:
    code = f"""
    local x = torch.range(1, 4)
    local y = x:view(2, 2)
    x:storage():resize({size})
    return x:nElement(), y:nElement(), #y:storage()
    """
    assert result(code) == (0.0, 0.0, size)


def test_set_makes_one_tensor_of_two() -> None:
    code = "local x, y = torch.zeros(2), torch.ones(3) x:set(y) y[2] = 5 return x, x:isSetTo(y), x:storage() == y:storage()"
    x, isSet, shared = result(code)
    assert x.tolist() == [1, 5, 1]
    assert isSet
    assert shared
    assert result("local x = torch.ones(2) x:set() return x:dim(), x:storage()") == (0.0, None)


def test_arrays_cross_the_border_in_place() -> None:
    lua = session()
    array = np.zeros((2, 3), np.float32)
    lua.globals["x"] = array
    lua.execute("x[1]:fill(2) x[2][3] = 1")
    assert array.tolist() == [[2, 2, 2], [0, 0, 1]]
    assert lua.globals["x"] is array
    assert lua.execute("return x:type()") == "torch.FloatTensor"


WRITES = (
    "x:storage():fill(3)", "torch.Tensor(x:storage()):fill(3)", "x:narrow(1, 1, 2):resize(5):fill(3)",
    "x:storage()[1] = 3", "x:fill(3)", "y = w:storage() x:storage():fill(3)",
)  # fmt: skip


@pytest.mark.parametrize("code", WRITES)
def test_a_read_only_array_stays_as_it_is(code: str) -> None:
    owner = np.arange(6.0)
    shown = owner[:]
    shown.flags.writeable = False
    with pytest.raises(pl.lua.LuaError, match="read-only"):
        result(code, x=shown, w=owner)
    assert owner.tolist() == [0, 1, 2, 3, 4, 5]
    result("w:storage():fill(3)", x=shown, w=owner)
    assert owner.tolist() == [3] * 6


def test_tensors_of_one_owner_share_a_storage() -> None:
    types, array = Types(), np.arange(6.0)
    x, y = wrap(types, array.reshape(2, 3)), wrap(types, array[2:])
    assert x.storage is y.storage
    x.storage.resize(8)
    y.array[0] = 9
    assert x.array.tolist() == [[0, 1, 9], [3, 4, 5]]
    assert x.array.base is y.array.base
    x.set_array(np.ones(2, np.int64))
    assert (x.name, x.array.tolist()) == ("torch.LongTensor", [1, 1])


# ------------------------------------------------------------------------------------------------------ assignment

ASSIGNED: dict[str, Any] = {
    "x[1][2] = 5": ((0, 1), 5),
    "x[{2, 3}] = 5": ((1, 2), 5),
    "x[2] = 5": ((1,), 5),
    "x[{{}, 2}] = 5": ((slice(None), 1), 5),
    "x[{{1, 2}, {2, 3}}] = torch.ones(4)": ((slice(0, 2), slice(1, 3)), 1),
    "x[-1] = torch.Tensor{1, 2, 3}": ((-1,), [1, 2, 3]),
    "x[{{}, {-1}}] = torch.IntTensor{4, 5}": ((slice(None), slice(2, 3)), [[4], [5]]),
    "x[x:gt(3)] = 0": (np.arange(6).reshape(2, 3) > 3, 0),
    "x[x:lt(2)] = torch.Tensor{8, 9}": (np.arange(6).reshape(2, 3) < 2, [8, 9]),
    "x[torch.LongStorage{2, 1}] = 3": ((1, 0), 3),
}


@pytest.mark.parametrize("code", ASSIGNED)
def test_assignment(code: str) -> None:
    expected = np.arange(6.0).reshape(2, 3)
    place, value = ASSIGNED[code]
    expected[place] = value
    assert np.array_equal(result(f"{code} return x", x=np.arange(6.0).reshape(2, 3)), expected)


@rows(
    ("return torch.ones(2)[3]", "out of range"),
    ("return torch.ones(2)[0]", "out of range"),
    ("return torch.ones(2, 2)[{1, 2, 3}]", "too many indices provided"),
    ("return torch.ones(2, 2)[{3, 2}]", "index out of bound"),
    ("return torch.ones(2, 2)[{{2, 1}}]", "end index must be greater or equal to start index"),
    ("return torch.ones(2)[torch.ByteTensor{2, 0}]", "Mask tensor can take 0 and 1 values only"),
    ("torch.ones(2)[1] = 'x'", "expected a number or tensor to assign, got string"),
    ("torch.ones(2, 2)[1] = torch.ones(3)", "sizes do not match: 3 elements do not fit 2"),
    ("torch.ones(2).foo = 1", "a tensor has no field 'foo'"),
    ("return torch.ones(2):narrow(1, 2, 2)", "bad argument #4 to 'narrow' (out of range)"),
    ("return torch.ones(2, 2):view(3)", "Wrong size for view. Input size: 2x2. Output size: 3"),
    ("return torch.ones(2, 2):t():view(4)", "expecting a contiguous tensor"),
    ("return torch.ones(2, 2):expand(2, 3)", "incorrect size: only supporting singleton expansion (size=1)"),
    ("return torch.ones(2, 2):size(3)", "dimension 3 out of range of 2D tensor"),
    ("return torch.ones(2):add(torch.ones(3))", "inconsistent tensor size, expected tensor [2] and src [3] to have the same"),
    ("return torch.ones(2):add('x')", "invalid arguments: DoubleTensor string\nexpected arguments of add: [*DoubleTensor*]"),
    ("return torch.ones(2):cmul(torch.ones(2):float())", "invalid arguments: DoubleTensor FloatTensor"),
    ("return torch.ones(2):copy(torch.ones(3))", "sizes do not match"),
    ("return torch.mm(torch.ones(2, 3), torch.ones(2, 3))", "size mismatch, m1: 2x3, m2: 2x3"),
    ("return torch.IntTensor{1}:div(0)", "division by zero"),
    ("return torch.IntTensor{1} / 0", "division by zero"),
    ("return torch.IntTensor{1}:cdiv(torch.IntTensor{0})", "division by zero"),
    ("return torch.IntTensor{1} % 0", "division by zero"),
    ("return torch.ones(2):index(1, torch.LongTensor{3})", "index out of range: expected 1 to 2, got 3 to 3"),
    ("return torch.ones(2):gather(1, torch.LongTensor{0})", "index out of range"),
    ("return torch.ones(2):gt(1):add(1, 2, 3)", "invalid arguments: ByteTensor number number number"),
    ("return torch.Tensor{{1, 2}, {3}}", "expected a table of numbers, or tables of the same size"),
    ("return torch.Tensor(print)", "expected sizes, a table, a storage or a tensor, got function"),
    ("torch.setdefaulttensortype('torch.FooTensor')", "expected the name of a tensor's class"),
    ("return torch.inverse(torch.zeros(2, 2))", "singular U"),
    ("return torch.cat(torch.ones(2, 2), torch.ones(3, 3))", "inconsistent tensor sizes"),
    ("return torch.Tensor.size()", "bad argument #1 to 'size' (Tensor expected, got no value)"),
    ("return torch.Tensor(1e18)", "not enough memory"),
    ("return torch.zeros(2^31, 2^31)", "not enough memory"),
    ("return torch.zeros(2^31, 2^31, 2^31)", "not enough memory"),
    ("return torch.ones(1):expand(2^50) + 1", "not enough memory"),
    ("torch.LongStorage(3):resize(2^45)", "not enough memory"),
    ("return torch.range(1, 1e15)", "not enough memory"),
    ("return torch.ones(2):repeatTensor(2^45)", "not enough memory"),
    ("return torch.Tensor():set(torch.ones(2):storage(), 1, 2, 2^45)", "not enough memory"),
)  # fmt: skip
def test_errors(code: str, expected: str) -> None:
    message = error(code)
    assert message.startswith("t:1: ")
    assert expected in message


# ------------------------------------------------------------------------------------------------------ printing

PRINTED: dict[str, str] = {
    "torch.Tensor{1, 2, -3}": " 1\n 2\n-3\n[torch.DoubleTensor of size 3]\n",
    "torch.Tensor{{1, 20}, {300, 4}}": "   1   20\n 300    4\n[torch.DoubleTensor of size 2x2]\n",
    "torch.Tensor{0.5, 10}": "  0.5000\n 10.0000\n[torch.DoubleTensor of size 2]\n",
    "torch.Tensor{1e-7, 100.5}": " 1.0000e-07\n 1.0050e+02\n[torch.DoubleTensor of size 2]\n",
    "torch.Tensor{123456.5, 223456.5}": "100000 *\n 1.2346\n 2.2346\n[torch.DoubleTensor of size 2]\n",
    "torch.Tensor{{123456.5}, {223456.5}}": "100000 *\n  1.2346\n  2.2346\n[torch.DoubleTensor of size 2x1]\n",
    "torch.Tensor{1234567.5, 2234567.5}": "1e+06 *\n 1.2346\n 2.2346\n[torch.DoubleTensor of size 2]\n",
    "torch.Tensor{0.01, 0.025}": "0.01 *\n 1.0000\n 2.5000\n[torch.DoubleTensor of size 2]\n",
    "torch.Tensor{12345678901, 1}": " 1.2346e+10\n 1.0000e+00\n[torch.DoubleTensor of size 2]\n",
    "torch.ByteTensor{{7}}": " 7\n[torch.ByteTensor of size 1x1]\n",
    "torch.Tensor()": "[torch.DoubleTensor with no dimension]\n",
    "torch.LongStorage{2, 3}": " 2\n 3\n[torch.LongStorage of size 2]\n",
    "torch.ones(1, 2, 2)": "(1,.,.) = \n  1  1\n  1  1\n[torch.DoubleTensor of size 1x2x2]\n",
    "torch.Tensor{0/0, 1}:abs()": "nan\n1.000000\n[torch.DoubleTensor of size 2]\n",
}


@pytest.mark.parametrize("code", PRINTED)
def test_printing(code: str) -> None:
    assert result(f"return tostring({code})") == PRINTED[code]


def test_printing_of_many_columns() -> None:
    lines = result("return tostring(torch.ones(2, 30))").split("\n")
    assert lines[0] == "Columns 1 to 26"
    assert lines[1] == lines[2] == " ".join([" 1"] * 26)
    assert lines[3:5] == ["", "Columns 27 to 30"]
    assert lines[5] == lines[6] == " 1  1  1  1"


def test_slices_are_printed_in_order() -> None:
    text = result("return tostring(torch.range(1, 8):view(2, 2, 1, 2))")
    assert [line for line in text.split("\n") if line.startswith("(")] == [f"({i},{j},.,.) = " for j in (1, 2) for i in (1, 2)]


# ------------------------------------------------------------------------------------------------------ scripts


def test_a_script_adds_methods_in_its_session_alone() -> None:
    assert result("function torch.DoubleTensor:twice() return self * 2 end return torch.ones(2):twice():sum()") == 4.0
    assert result("return torch.ones(2).twice") is None


def test_classes() -> None:
    code = """
    local A = torch.class('A')
    function A:__init(n) self.n = n end
    function A:get() return self.n end
    function A:__tostring__() return 'A:' .. self.n end
    function A.__add__(a, b) return a.n + b.n end
    local B, parent = torch.class('B', 'A')
    function B:__init(n) parent.__init(self, n * 10) end
    local own = {}
    torch.class('C', own)
    local a, b = _G.A(1), _G.B(2)
    return tostring(a), b:get(), a + b, torch.type(b), torch.isTypeOf(b, 'A'), torch.isTypeOf(a, _G.B), torch.type(own.C()),
      parent == A, torch.getmetatable('B') == B, getmetatable(b) == B
    """
    assert result(code) == ("A:1", 20.0, 21.0, "B", True, False, "C", True, True, True)
    assert "mine is an invalid module name" in error("torch.class('mine.A')")
    assert "class B has been already assigned a parent class" in error(
        "torch.class('A') torch.class('B', 'A') torch.class('B', 'A')"
    )


def test_metatables_in_a_ring_belong_to_no_class() -> None:
    code = """
    local first, second = {}, {}
    setmetatable(first, {__metatable = second})
    setmetatable(second, {__metatable = first})
    return torch.isTypeOf(setmetatable({}, first), 'other')
    """
    assert result(code) is False


def test_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    code = """
    local cmd = torch.CmdLine()
    cmd:text('Train')
    cmd:argument('-data', 'a folder')
    cmd:option('-rate', 0.01, 'learning rate')
    cmd:option('-gpu', false, 'use it')
    cmd:help()
    local p = cmd:parse{'-rate', '0.5', 'folder', '-gpu'}
    return p.rate, p.gpu, p.data, cmd:string('run', p, {gpu = true})
    """
    assert result(code) == (0.5, True, "folder", "run,data=folder,rate=0.5")
    shown = "Usage: [options] <data>\nTrain\n  <data> a folder\n  -rate  learning rate [0.01]\n  -gpu   use it [false]\n"
    assert capfd.readouterr().out == shown
    with pytest.raises(SystemExit):
        result("torch.CmdLine():parse{'-x'}")
    assert "unknown option -x" in capfd.readouterr().out


def test_timer_and_threads() -> None:
    code = """
    local t = torch.Timer()
    local a = t:stop():time()
    local b = t:time()
    torch.setnumthreads(3)
    return a.real == b.real, a.real >= 0, torch.getnumthreads(), torch.type(t)
    """
    assert result(code) == (True, True, 3.0, "torch.Timer")


def test_sessions_are_collected() -> None:
    lua = session()
    lua.execute("x = torch.ones(10) y = x:narrow(1, 2, 3) g = torch.Generator() f = torch.MemoryFile() t = torch.Timer()")
    lua.globals["x"]
    types = weakref.ref(lua._state.types)
    del lua
    gc.collect()
    assert types() is None


@pytest.mark.parametrize(
    "array", [A[0, ::-1], A[::-1, :, ::-1], np.zeros(3, [("a", "f4"), ("b", "i1")])["a"], np.ones((5, 1))[:, ::-1]]
)
def test_an_array_that_torch7_cannot_show_is_copied(array: Any) -> None:
    lua = session()
    lua.globals["x"] = array
    offset, same, equal, strides, grown, read = lua.execute("""
    local y = x.new(x:storage(), x:storageOffset(), x:size(), x:stride())
    local f = torch.MemoryFile() f:writeObject(x) f:seek(1)
    local isWhole, grown = x:storage():size() == x:nElement(), x.new():set(x):resize(2, 2)
    return x:storageOffset(), isWhole, y:equal(x), x:stride(), grown, f:readObject()
    """)
    assert offset == 1 and same and equal
    assert list(strides) == [step // array.itemsize for step in array.copy().strides]
    assert np.array_equal(read, array)
    assert np.array_equal(grown.ravel(), array.ravel()[:4] if array.size > 3 else [*array.ravel(), 0])


@pytest.mark.parametrize(
    "code", ["torch.Tensor{1, nil, 3}", "torch.Tensor{1, true}", "torch.IntTensor{'x'}", "torch.Tensor{{1}, 2}"]
)
def test_tables_of_other_values_than_numbers_are_errors(code: str) -> None:
    assert "expected a table of numbers" in error(code)


@pytest.mark.parametrize("code", ["torch.toc({})", "torch.toc('x')", "torch.CmdLine.text()", "torch.serialize(1, {})",
                                  "torch.setdefaulttensortype({})", "tostring(torch.Timer(), 1)", "torch.Timer.__tostring()",
                                  "torch.MemoryFile.__tostring()", "torch.CmdLine():log({})", "nn.Linear(print, 2)",
                                  "nn.Linear(torch.Timer(), 2)", "io.read(1/0)", "math.random(0/0)", "debug.getinfo(1/0)",
                                  "debug.traceback('', -1)", "torch.DoubleTensor.__newindex()"])  # fmt: skip
def test_errors_are_words_of_lua(code: str) -> None:
    lua = pl.lua.Session(requires=["torch", "nn"], sandbox=True)
    found = str(lua.execute(f"return select(2, pcall(function() return {code} end))"))
    assert "Error" not in found and "object at" not in found


def test_fields_of_a_command_line_can_be_read_and_changed() -> None:
    code = """
        local cmd = torch.CmdLine('_')
        cmd:option('-rate', 0.1, 'the rate')
        cmd:argument('-file', 'a file')
        local before, help = cmd.options['-rate'].default, cmd.helplines[1].help
        cmd.options['-rate'].default = 5
        cmd.argseparator = '+'
        local opt = cmd:parse{'x.t7'}
        local name = cmd:string('run', {rate = 7, file = 'a'})
        return before, help, opt.rate, cmd:default().rate, name, #cmd.arguments, torch.type(cmd)
    """
    assert result(code) == (0.1, "the rate", 5, 5, "run+file=a+rate=7", 1, "torch.CmdLine")
    assert "options: expected a table, got nil" in error("local cmd = torch.CmdLine() cmd.options = nil cmd:parse{}")
