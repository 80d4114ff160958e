"""Modules, criterions and nodes as Lua programs see them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.lua.classes import Object
from pytorch_legacy.lua.classes.objects import OPERATORS
from pytorch_legacy.lua.language import table
from pytorch_legacy.lua.language.table import Table
from pytorch_legacy.lua.tensors import Storage, Tensor

X = np.linspace(-1, 1, 6).reshape(2, 3)


def session(*requires: str) -> pl.lua.Session:
    made = pl.lua.Session(requires=["nn", *requires])
    made.globals["x"] = X.copy()
    return made


def result(code: str, *requires: str) -> Any:
    """Returns what a program returns that has a tensor x."""
    return session(*requires).execute(code, "=t")


def error(code: str) -> str:
    with pytest.raises(pl.lua.LuaError) as caught:
        result(code)
    return str(caught.value.value)


@pytest.mark.parametrize("code, expected", [
    ("return type(nn.Tanh()), torch.type(nn.Tanh()), torch.typename(nn.Tanh()), type(nn.Tanh)",
     ("table", "nn.Tanh", "nn.Tanh", "table")),
    ("return tostring(nn.Linear(3, 4)), tostring(nn.Sequential():add(nn.Tanh()))",
     ("nn.Linear(3 -> 4)", "nn.Sequential {\n  [input -> (1) -> output]\n  (1): nn.Tanh\n}")),
    ("local n = nn.Sequential():add(nn.Tanh()):add(nn.ReLU()) return #n, #n.modules, n:size()", (2, 2, 2)),
    ("local n = nn.Sequential():add(nn.Tanh()) return n:get(1) == n:get(1), n.modules == n.modules, n:get(1) == nn.Tanh()",
     (True, True, False)),
    ("local l = nn.Linear(3, 2) return l.nothing == nil, l.weight == l.weight, l.bias ~= l.weight", (True, True, True)),
    ("local l = nn.Linear(3, 2) l.bias = nil; l.note = 'n'; l.flag = false; return l.bias, l.note, l.flag, #l:parameters()",
     (None, "n", False, 1)),
    ("return nn.Narrow(1, 2, 3).dimension, nn.Narrow(1, 2, 3).index, nn.SpatialConvolution(3, 4, 5, 5).kW", (1, 2, 5)),
    ("local l = nn.Linear(2, 2) l[1] = 'one'; l._own = {5} return l[1], l._own[1], l:clone()._own[1]", ("one", 5, 5)),
    ("local n = {} for k in pairs(nn.Tanh()) do n[#n + 1] = k end table.sort(n) return table.concat(n, ' ')",
     "_type gradInput output"),
    ("local n = nn.Sequential() table.insert(n.modules, nn.Tanh()) n.modules[2] = nn.ReLU() "
     "return n:size(), torch.type(n:get(2))", (2, "nn.ReLU")),
    ("local n = nn.Sequential():add(nn.Tanh()):add(nn.ReLU()) local m = n.modules n:remove(1) return #m, torch.type(m[1])",
     (1, "nn.ReLU")),
    ("local m = {nn.Tanh()} local n = nn.Sequential() n.modules = m m[2] = nn.ReLU() return n:size(), n.modules == m", (2, True)),
    ("return nn.Linear(3, 2, nil).bias ~= nil, nn.Dropout(nil).p, nn.ReLU(true, 1, 2).inplace, nn.ConcatTable(2):size()",
     (True, 0.5, True, 0)),
    ("local C = nn.Tanh return torch.type(C()), torch.type(C.new()), nn.Tanh.__typename", ("nn.Tanh", "nn.Tanh", "nn.Tanh")),
    ("local seen = {} for name, class in pairs(nn) do seen[name] = class end return seen.Linear == nn.Linear, seen.gModule",
     (True, None)),
    ("return torch.isTypeOf(nn.Linear(1, 1), 'nn.Module'), torch.isTypeOf(nn.Linear(1, 1), nn.Container)", (True, False)),
    ("local names = {} nn.Sequential():add(nn.Tanh()):apply(function(m) names[#names + 1] = torch.type(m) end) "
     "return unpack(names)", ("nn.Sequential", "nn.Tanh")),
    ("local n = nn.Sequential():add(nn.Tanh()):add(nn.Tanh()) local c = 0 "
     "for i, m in pairs(n:findModules('nn.Tanh')) do c = c + i end return c", 3),
    ("local n = nn.Sequential():add(nn.Tanh()) n:replace(function(m) return torch.type(m) == 'nn.Tanh' and nn.ReLU() or m end) "
     "return torch.type(n:get(1))", "nn.ReLU"),
])  # fmt: skip
def test_objects(code, expected):
    assert result(code) == expected


@pytest.mark.parametrize("code, expected", [
    ("local o = net:forward(x) return o == net.output, o == net:get(2).output, net:forward(x) == o", (True, True, True)),
    ("local o = nn.Identity():forward(x) return o == x", True),
    ("local c = nn.ConcatTable():add(nn.Tanh()):add(nn.ReLU()) local o = c:forward(x) "
     "return #o, o == c.output, c:forward(x) == o, o[1] == c.output[1]", (2, True, True, True)),
])  # fmt: skip
def test_the_output_is_one_value(code, expected):
    assert result(f"local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()) {code}") == expected


@pytest.mark.parametrize("code, expected", [
    ("return rawget(l, 'bias') == l.bias, rawget(l, 'forward'), rawget(l, 'nothing'), l.forward ~= nil",
     (True, None, None, True)),
    ("rawset(l, 'note', 'n') rawset(l, 1, 2) rawset(l, 'bias', nil) return l.note, l[1], l.bias, #l:parameters()",
     ("n", 2, None, 1)),
    ("local n = {} for k, v in next, l do n[#n + 1] = k assert(v == l[k]) end table.sort(n) return table.concat(n, ' ')",
     "_type bias gradBias gradInput gradWeight output weight"),
    ("local n = 0 for k in pairs(l) do n = n + 1 l[k] = nil end return n, l.weight, l.bias", (7, None, None)),
    ("l[1] = 'a' l[2] = 'b' local n = {} for k, v in pairs(l) do if type(k) == 'number' then n[k] = v end end "
     "return n[1], n[2], next(l, 1)", ("a", "b", 2, "b")),
    ("return pcall(next, l, 'nothing')", (False, "invalid key to 'next'")),
    ("return next(nn.Identity(), '_type')", None),
])  # fmt: skip
def test_modules_are_tables(code: str, expected: Any):
    assert result(f"local l = nn.Linear(3, 2) {code}") == expected


def test_a_list_in_two_fields_is_one_table():
    code = """
        local a, b = nn.Sequential():add(nn.Tanh()), nn.Sequential()
        b.modules = a.modules
        a.again = a.modules
        b.modules[2] = nn.ReLU()
        return b.modules == a.modules, a.again == a.modules, a:size(), b:size(), torch.type(a:get(2)), a, b
    """
    *found, one, other = result(code)
    assert found == [True, True, 2, 2, "nn.ReLU"] and one.modules is other.modules and len(one.modules) == 2


def test_a_table_by_steps_is_written_to():
    code = """
        local l = nn.LSTM(3, 3)
        l:forward(x)
        l.outputs[1] = x * 2
        local got = l:getHiddenState(1)[1]
        l.outputs = {}
        return got, l.outputs == l.outputs, #l.outputs, l
    """
    got, isOne, length, layer = result(code, "rnn")
    assert got.tolist() == (2 * X).tolist() and isOne and length == 0 and layer.outputs == {}


DOUBLING = """
    local D, parent = torch.class('nn.Doubling', 'nn.AbstractRecurrent')
    function D:__init() parent.__init(self, 9) self.recurrentModule = nn.MulConstant(2) end
    function D:updateOutput(input)
       self:recycle()
       self.output = self:getStepModule(self.step):updateOutput(input)
       self.outputs[self.step] = self.output
       self.step = self.step + 1
       self.updateGradInputStep, self.accGradParametersStep = nil, nil
       return self.output
    end
    function D:_updateGradInput(input, gradOutput)
       local step = self.updateGradInputStep - 1
       return self:getStepModule(step):updateGradInput(input, gradOutput) * step
    end
    function D:_accGradParameters(input, gradOutput, scale) self.seen = (self.seen or '') .. self.accGradParametersStep - 1 end
"""


def test_a_recurrent_class_of_a_script():
    code = f"""
        {DOUBLING}
        local s = nn.Sequencer(nn.Doubling())
        local o, g = s:forward{{x, x * 3}}, s:backward({{x, x}}, {{x, x}})
        return o[1], o[2], g[1], g[2], s:get(1).seen, torch.type(s:get(1).recurrentModule), s:get(1)
    """
    *arrays, seen, name, layer = result(code, "rnn")
    assert [array.tolist() for array in arrays] == [(factor * X).tolist() for factor in (2, 6, 2, 4)]
    assert (seen, name) == ("21", "nn.MulConstant") and isinstance(layer.clone().recurrentModule, nn.MulConstant)


def test_a_recurrent_class_of_a_script_has_states_of_its_own_shape():
    code = """
    require 'rnn'
    local Maps, parent = torch.class('nn.Maps', 'nn.LSTM')
    function Maps:buildModel()
       local function gate() return nn.Sequential():add(nn.JoinTable(1)):add(nn.SpatialConvolution(3, 1, 3, 3, 1, 1, 1, 1)) end
       return nn.ConcatTable():add(gate():add(nn.Tanh())):add(gate())
    end
    function Maps:updateOutput(input)
       if self.step == 1 then self.zeroTensor:resize(1, input:size(2), input:size(3)):zero() end
       local h, c = self.output, self.cell
       if self.step == 1 then h, c = self.zeroTensor, self.zeroTensor end
       self:recycle()
       local output, cell = unpack(self:getStepModule(self.step):updateOutput{input, h, c})
       self.outputs[self.step], self.cells[self.step], self.output, self.cell = output, cell, output, cell
       self.step = self.step + 1
       return output
    end
    torch.manualSeed(1)
    local net = nn.Sequencer(nn.Maps(1, 1, 4))
    local inputs = {torch.rand(1, 4, 4), torch.rand(1, 4, 4)}
    local function loss() net:forget() return net:forward(inputs)[2]:sum() end
    loss()
    local gradient = net:backward(inputs, {torch.zeros(1, 4, 4), torch.ones(1, 4, 4)})[1][1][2][2]
    inputs[1][1][2][2] = inputs[1][1][2][2] + 1e-5
    local more = loss()
    inputs[1][1][2][2] = inputs[1][1][2][2] - 2e-5
    return gradient, (more - loss()) / 2e-5
    """
    gradient, slope = result(code)
    assert abs(gradient) > 1e-3 and abs(gradient - slope) < 1e-8


@pytest.mark.parametrize("module, isNew", [
    ("nn.SplitTable(1)", True),
    ("nn.Sequential():add(nn.Identity()):add(nn.SplitTable(1))", True),
    ("nn.Sequential():add(nn.SplitTable(1)):add(nn.MapTable(nn.Tanh()))", True),
    ("nn.Sequential():add(nn.SplitTable(1)):add(nn.Sequencer(nn.Recursor(nn.Tanh())))", True),
    ("nn.ConcatTable():add(nn.Tanh()):add(nn.ReLU())", False),
    ("nn.Sequential():add(nn.SplitTable(1)):add(nn.NarrowTable(1, 2))", False),
])  # fmt: skip
def test_tables_are_new_where_the_class_makes_them(module: str, isNew: bool):
    code = f"""
        local m, y = {module}, torch.rand(5, 3)
        local a = m:forward(x)
        local n = #a
        local b = m:forward(y)
        return a ~= b, #a == n, m.output == b
    """
    other, isAsLong, isOutput = result(code, "rnn")
    assert other == isNew and isOutput and (isAsLong or not isNew)


def test_two_results_of_one_module():
    one, other = result("local s, y = nn.SplitTable(1), x * 2 local a, b = s:forward(x), s:forward(y) return a[2], b[2]")
    assert one.tolist() == X[1].tolist() and other.tolist() == (2 * X[1]).tolist()


def test_evaluation_of_a_sequence_has_one_table():
    code = """
        local m = nn.Sequencer(nn.Recursor(nn.Tanh()))
        m:evaluate()
        local a = m:forward{x, x, x}
        local b = m:forward{x}
        return a == b, #a
    """
    assert result(code, "rnn") == (True, 1)


def test_what_lua_drops_is_not_lost_and_not_kept():
    lua = session()
    net = lua.execute("net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh()) local w = net.modules[1].weight "
                      "net:forward(x) w:resize(4, 3) w = nil net.modules[1].bias:resize(4) return net")  # fmt: skip
    assert net[0].weight.shape == (4, 3) and net[0].bias.shape == (4,)
    lua.execute("local m = net.modules net:forward(x) m[3] = nn.ReLU() m = nil")
    assert net.size() == 3
    gone = weakref.ref(net[1])
    lua.execute("local m = net.modules[2] local o = net.output net:remove(2) net:forward(x)")
    del net
    gc.collect()
    assert gone() is None


def test_an_input_stays_as_it_is():
    y, out, inner = result("local c = nn.Contiguous() local y = x:clone() local out = c:forward(y) c:forward(y:t()) "
                           "return y, out, c.output == out")  # fmt: skip
    assert y.tolist() == X.tolist() and out.tolist() == X.T.tolist() and inner


def test_who_holds_an_output_sees_the_next_pass():
    lua = session()
    lua.globals["y"] = np.ones((4, 3))
    lua.execute("net = nn.Sequential():add(nn.Tanh()) out = net:forward(x)")
    assert lua.execute("return out").shape == (2, 3)
    lua.execute("net:forward(y)")
    assert lua.execute("return out").shape == (4, 3)
    assert lua.execute("return out == net.output and out == net:get(1).output")


def test_modules_leave_as_they_are():
    net = result("return nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh())")
    assert type(net) is nn.Sequential and type(net[0]) is nn.Linear
    assert net[0].weight.dtype == np.float64  # Torch7's default
    assert np.allclose(net.forward(X), np.tanh(X @ net[0].weight.T + net[0].bias))
    assert nn.Linear(2, 2).weight.dtype == np.float32  # ours is as before


def test_the_same_draws():
    pl.manualSeed(3)
    before = pl.getdefaulttensortype()
    got = result("return nn.Linear(3, 2)")
    assert pl.getdefaulttensortype() == before
    pl.manualSeed(3)
    pl.setdefaulttensortype("torch.DoubleTensor")
    try:
        wanted = nn.Linear(3, 2)
    finally:
        pl.setdefaulttensortype(before)
    assert got.weight.tolist() == wanted.weight.tolist()


def test_modules_of_python_in_lua():
    lua = session()
    layer = nn.Linear(3, 2).double()
    lua.globals["layer"] = layer
    lua.execute("layer.weight = x")
    assert layer.weight.tolist() == X.tolist()
    assert lua.execute("return layer") is layer and lua.execute("return layer == layer")


# ------------------------------------------------------------------------------------------------------ classes of scripts

TWICE = """
local Twice, parent = torch.class('nn.Twice', 'nn.Module')
function Twice:__init(n) parent.__init(self) self.n = n or 2 self.inner = nn.MulConstant(self.n) self.seen = {} end
function Twice:updateOutput(input)
   self.seen[#self.seen + 1] = #self.seen
   self.output = self.inner:forward(input)
   return self.output
end
function Twice:updateGradInput(input, gradOutput)
   self.gradInput = self.inner:backward(input, gradOutput)
   return self.gradInput
end
function Twice:__tostring__() return 'Twice(' .. self.n .. ')' end
"""


def test_a_class_of_a_script():
    lua = session()
    net = lua.execute(f"{TWICE} return nn.Sequential():add(nn.Twice(3)):add(nn.Tanh())")
    assert np.array_equal(net.forward(X), np.tanh(X * 3))
    assert np.allclose(net.backward(X, np.ones_like(X)), 3 * (1 - np.tanh(3 * X) ** 2))
    assert repr(net[0]) == "Twice(3)" and net[0]._typename == "nn.Twice" and isinstance(net[0], nn.Module)
    copy = net.clone()
    assert repr(copy[0]) == "Twice(3)" and copy[0].inner is not net[0].inner and np.array_equal(copy.forward(X), net.forward(X))
    assert net.float()[0].inner.dtype == np.float32 and net.forward(X.astype("f")).dtype == np.float32
    assert len(net[0].seen) == 3 and len(copy[0].seen) == 2  # a table in a field is copied


def test_a_class_of_a_script_is_made_in_python():
    made = session().execute(f"{TWICE} return nn.Twice")(4)
    assert np.array_equal(made.forward(X), 4 * X)


@pytest.mark.parametrize("code, expected", [
    ("local B, p = torch.class('nn.B', 'nn.Twice') function B:updateOutput(i) return p.updateOutput(self, i) end "
     "local b = nn.B(5) return b:forward(x), torch.isTypeOf(b, 'nn.Twice')", (5 * X, True)),
    ("local B = torch.class('nn.B', 'nn.Twice') function B:extra() return self.n end "
     "return nn.B(5):extra(), nn.Twice(1).extra", (5, None)),
    ("function nn.Twice:__add__(o) return self.n + o.n end function nn.Twice:__eq(o) return self.n == o.n end "
     "function nn.Twice:__len__() return 7 end function nn.Twice:__concat__(o) return 'joined' end "
     "return nn.Twice(3) + nn.Twice(4), nn.Twice(3) == nn.Twice(3), nn.Twice(3) == nn.Twice(4), #nn.Twice(), nn.Twice() .. 'x'",
     (7, True, False, 7, "joined")),
    ("mine = {} torch.class('mine.B', 'nn.Linear') local b = mine.B(3, 2) return tostring(b), torch.type(b), b.weight ~= nil",
     ("mine.B(3 -> 2)", "mine.B", True)),
    ("local m = {} local B = torch.class('m.B', 'nn.Tanh', m) return torch.type(m.B()), _G.B", ("m.B", None)),
    ("local L = torch.class('nn.Tanh', 'nn.Module') function L:updateOutput(i) return 'mine' end "
     "return nn.Tanh():forward(x)", "mine"),
    ("local C, p = torch.class('nn.C', 'nn.Criterion') function C:__init() p.__init(self) self.net = nn.Linear(3, 2) end "
     "function C:parameters() return self.net:parameters() end local c = nn.C() local w, g = nn.Module.getParameters(c) "
     "w:fill(1) g:fill(2) nn.Module.updateParameters(c, 0.25) nn.Module.zeroGradParameters(c) "
     "return w:nElement(), c.net.weight:sum(), g:sum(), torch.isTypeOf(c, 'nn.Module'), c.updateParameters",
     (8, 3, 0, False, None)),
    ("local M, p = torch.class('nn.M', 'nn.Module') function M:__init() p:__init(self) self.n = 2 end "
     "function M:updateOutput(i) return self.output:resizeAs(i):copy(i):mul(self.n) end "
     "local L, q = torch.class('nn.L', 'nn.Linear') function L:__init() q:__init(2, 3) end "
     "return nn.M():forward(x), #nn.L():parameters(), (pcall(nn.Module.__init, nn.Module))", (2 * X, 2, False)),
    ("local M = torch.class('nn.M', 'nn.Module') function M:__init(...) nn.Module.__init(self) nn.Linear.__init(self, ...) end "
     "for _, name in ipairs{'updateOutput', 'updateGradInput'} do M[name] = nn.Linear[name] end local m = nn.M(2, 3) "
     "m.weight:fill(2) m.bias:zero() return m:forward(torch.ones(2)):sum(), m:backward(torch.ones(2), torch.ones(3)):sum()",
     (12, 12)),
    ("local a = torch.class('A') function a:__init(n) self.n = n end function a:get() return self.n end "
     "local b, p = torch.class('B', 'A') function b:get() return p.get(self) + 1 end "
     "return A(1):get(), B(1):get(), torch.type(B(1)), torch.isTypeOf(B(1), 'A'), tostring(A(1)), B.new(3):get()",
     (1, 2, "B", True, "A", 4)),
])  # fmt: skip
def test_torch_class(code, expected):
    got = result(f"{TWICE} {code}")
    for one, other in zip(*[value if isinstance(value, tuple) else (value,) for value in (got, expected)], strict=True):
        assert np.array_equal(one, other) if isinstance(other, np.ndarray) else one == other


@pytest.mark.parametrize("code, message", [
    ("torch.class('foo.X')", "t:1: foo is an invalid module name"),
    ("torch.class('nn.X', 'nn.Tanh') torch.class('nn.X', 'nn.Tanh')",
     "t:1: class nn.X has been already assigned a parent class"),
    ("nn.Nothing(1)", "t:1: attempt to call field 'Nothing' (a nil value)"),
    ("return nn.Tanh() + 1", "t:1: attempt to perform arithmetic on a table value"),
    ("return nn.Tanh() .. 'x'", "t:1: attempt to concatenate a table value"),
    ("nn.Tanh():nothing()", "t:1: attempt to call method 'nothing' (a nil value)"),
    ("nn.Linear.forward({}, x)", "t:1: calling 'forward' on bad self"),
    ("nn.Linear(3)", "t:1: nn.Linear: expected 2 to 3 arguments (inputSize, outputSize, bias), got 1"),
    ("nn.Sequential():add(nn.Linear(3, 3)):add(nn.Linear(4, 4)):forward(x)",
     "In 2 module of nn.Sequential:\nt:1: size mismatch, nn.Linear: input: expected 4 columns, the inputSize, got 2 x 3"),
    ("local l = nn.Tanh() function l:updateOutput(i) error('no') end nn.Sequential():add(nn.Sequential():add(l)):forward(x)",
     "In 1 module of nn.Sequential:\nIn 1 module of nn.Sequential:\nt:1: no"),
    ("local l = nn.Tanh() function l:updateOutput(i) return i.foo.bar end nn.Sequential():add(l):forward({})",
     "In 1 module of nn.Sequential:\nt:1: attempt to index field 'foo' (a nil value)"),
    ("nn.Sequential():add(nn.LookupTable(5, 2)):forward(torch.Tensor{6, 1})",
     "In 1 module of nn.Sequential:\nt:1: nn.LookupTable: input: expected 1 to 5, got 6"),
    ("nn.ClassNLLCriterion():forward(torch.zeros(1, 5), torch.Tensor{0})",
     "t:1: nn.ClassNLLCriterion: target: expected 1 to 5, got 0"),
    ("nn.Narrow(1, 2, 3):forward(torch.zeros(2))",
     "t:1: nn.Narrow: offset 2, length 3: out of range for dimension 1 of size 2"),
    ("nn.Select(3, 1):forward(torch.zeros(2, 5))", "t:1: nn.Select: dimension: 3 is out of range for a 2-D array"),
    ("nn.Sequential():add(nn.Identity()):get(2)", "t:1: nn.Sequential: index: 2 is out of range for 1 modules"),
    ("nn.Sequential():insert(nn.Identity(), 5)", "t:1: nn.Sequential: insert: index 5 is out of range for 0 modules"),
    ("nn.utils.addSingletonDimension(torch.rand(2), 5)",
     "nn.utils.addSingletonDimension: dim: 5 is out of range for a 1-D array"),
    ("nn.Select(-3, 1):forward(torch.zeros(2, 5))", "t:1: nn.Select: dimension: -3 is out of range for a 2-D array"),
    ("nn.SelectTable(2):forward{torch.zeros(2)}", "t:1: nn.SelectTable: index: 2 is not in a table of 1"),
    ("nn.CAddTable():forward{torch.zeros(2), torch.zeros(3)}",
     "t:1: size mismatch, nn.CAddTable: input[2]: expected 2, got 3"),
    ("nn.JoinTable(2):forward{torch.zeros(2, 2), torch.zeros(3, 3)}",
     "t:1: size mismatch, nn.JoinTable: input[2]: expected the sizes of input[1], 2 x 2, but for dimension 2, got 3 x 3"),
    ("nn.JoinTable(1)({nn.Identity()(), nn.Tanh()})", "t:1: nn.JoinTable: inputs[2] is an nn.Module, specifically a nn.Tanh, but "
     "the only valid thing to pass is an instance of nngraph.Node, which a call of the module returns"),
    ("require 'nngraph' local a = nn.Identity()() nn.gModule({a}, {a, nil, a})",
     "t:1: nn.gModule: outputs[2] is nil (typo / bad index?)"),
    ("require 'nngraph' nn.Tanh()({unknown})", "t:1: nn.Tanh: cannot pass an empty table of inputs. To indicate no incoming "
     "connections, leave the second set of parens blank."),
    ("require 'optim' optim.ConfusionMatrix(3):add(1, 4)",
     "t:1: optim.ConfusionMatrix: targets: expected classes from 1 to 3, got 4"),
])  # fmt: skip
def test_errors(code, message):
    assert error(code) == message


def test_an_error_has_its_cause():
    with pytest.raises(pl.lua.LuaError) as caught:
        result("nn.Linear(4, 4):forward(x)")
    assert isinstance(caught.value.__cause__, pl.errors.ShapeError)


# ------------------------------------------------------------------------------------------------------ replaced methods


@pytest.mark.parametrize("code, expected", [
    ("local l = nn.Tanh() function l:updateOutput(i) self.n = (self.n or 0) + 1 self.output = nn.Tanh.updateOutput(self, i) "
     "return self.output end local s = nn.Sequential():add(l) s:forward(x) s:forward(x) local c = s:clone() c:forward(x) "
     "l.updateOutput = nil s:forward(x) return l.n, c:get(1).n", (2, 3)),
    ("function nn.Linear:reset() self.wasReset = true return self end "
     "return nn.Linear(2, 2).wasReset, torch.class('nn.L', 'nn.Linear') and nn.L(2, 2).wasReset, "
     "nn.Linear(2, 2):clone().wasReset", (True, True, True)),
    ("local l = nn.Tanh() function nn.Tanh:updateOutput(i) self.output = i return i end "
     "return l:forward(x) == x, nn.Sequential():add(l):forward(x) == x", (True, True)),
    ("local old = nn.Tanh.updateOutput function nn.Tanh:updateOutput(i) self.called = true return old(self, i) end "
     "local l = nn.Tanh() nn.Sequential():add(l):forward(x) return l.called, torch.type(l)", (True, "nn.Tanh")),
    ("nn.Alias = nn.Tanh return torch.type(nn.Alias())", "nn.Tanh"),
    ("function nn.Module:mine() return torch.type(self) end return nn.Tanh():mine(), nn.Sequential():mine()",
     ("nn.Tanh", "nn.Sequential")),
    ("local l = nn.Tanh() l.forward = function(self, i) return 'mine' end return l:forward(x), l:clone():forward(x)",
     ("mine", "mine")),
])  # fmt: skip
def test_methods_are_replaced(code, expected):
    assert result(code) == expected


def test_a_replaced_method_counts_from_one():
    code = """
        local m = nn.NCEModule(3, 6, 2, torch.Tensor{1, 2, 3, 1, 1, 2})
        m.noiseSample = function(self, sampleidx, batchsize, k) return sampleidx:resize(batchsize, k):fill(6) end
        m:forward{x, torch.LongTensor{1, 6}}
        local drawn = torch.LongTensor()
        nn.NCEModule(3, 6, 2, m.unigrams):noiseSample(drawn, 50, 4)
        return m, m.sampleidx, drawn:size(1), drawn:size(2), drawn:min(), drawn:max()
    """
    module, samples, *sizes = result(code, "dpnn")
    assert samples.tolist() == [6, 6, 1, 6] and sizes == [50, 4, 1, 6]
    assert module.noiseSample(np.empty((1, 2), np.int64), 1, 2).tolist() == [[5, 5]]


def test_a_session_replaces_methods_for_itself():
    result("function nn.Linear:reset() error('no') end")
    assert nn.Linear(2, 2).weight is not None and result("return nn.Linear(2, 2)").weight is not None


# ------------------------------------------------------------------------------------------------------ nngraph and optim


def test_nngraph_brings_penlight() -> None:
    assert session("nngraph").execute("return pl.List({3, 4}):len()") == 2


def test_nodes():
    lua = session("nngraph")
    net, names = lua.execute("""
        local i, h = nn.Identity()(), - nn.Identity()
        local a = i - nn.Linear(3, 2) - nn.Tanh()
        local b = nn.CAddTable()({a, nn.Linear(3, 2)(h)}):annotate{name = 'sum'}
        local g = nn.gModule({i, h}, {{a, b} - nn.JoinTable(2), b})
        local names = {}
        for _, node in ipairs(g.forwardnodes) do
           if node.data.module then names[#names + 1] = torch.type(node.data.module) end
        end
        local out = g:forward({x, x})
        return g, table.concat(names, ' '), #out, out == g.output
    """)[:2]
    assert isinstance(net, pl.nngraph.gModule) and names.split()[-1] in ("nn.JoinTable", "nn.CAddTable")
    assert net.forward([X, X])[0].shape == (2, 4)


OPEN = {
    *("__typename", "__index", "__newindex", "__init", "__version", "__tostring", "__metatable"),
    *("__call", "__len", "__pairs", "__unm", "__sub", *(f"__{name}" for name in OPERATORS)),
}


def names() -> list[str]:
    """Returns the names of all attributes that Python's side of a module has, and some of what lies behind."""
    things = (
        nn,
        nn.Linear,
        nn.Linear(2, 2),
        pl.optim,
        pl.nngraph,
        nn.Tanh()(),
        type,
        np.ndarray,
        test_nodes,
        test_nodes.__code__,
    )
    return sorted({name for thing in things for name in dir(thing)} | {"import_module", "python", "border", "shape"})


def reachable(state: Any, start: list[Any]) -> Iterator[tuple[Any, str]]:
    """Yields the values that a script gets from others by any name, and their ways."""
    waiting, seen = [(value, "") for value in start], {id(value) for value in start}
    keep = list(start)
    while waiting:
        value, way = waiting.pop()
        yield value, way
        if isinstance(value, (Table, Object)):
            own = [key for key in table.keys(value) if isinstance(key, (str, int, float))] if isinstance(value, Table) else []
            for name in [*own, *names()]:
                try:
                    found = state.index(value, name)
                except Exception:
                    continue
                if found is not None and id(found) not in seen and way.count(".") < 4:
                    seen.add(id(found))
                    keep.append(found)
                    waiting.append((found, f"{way}.{name}"))


def test_a_script_reaches_nothing_else():
    """No name of a module, a class, an object or a node leads to Python."""
    lua = session("nngraph", "optim", "rnn", "nnx", "cudnn", "inn")
    state = lua._state
    lua.execute("""
        values = {nn.Linear(2, 2), nn.Sequential():add(nn.LSTM(2, 2)), nn.Tanh()(), nn.ClassNLLCriterion(),
                  torch.class('Own') and Own(), torch.class('nn.Own', 'nn.Linear') and nn.Own(2, 2), optim.ConfusionMatrix(2)}
        values[1]:forward(torch.ones(2))
    """)
    count = 0
    for value, way in reachable(state, [state.globals.values, state.globals.nn, state.globals.optim, state.globals.nngraph]):
        kinds = (bool, float, str, Table, Object, Tensor, Storage)
        isFunction = isinstance(value, FunctionType) and value.__module__.startswith("pytorch_legacy.lua.")
        assert isFunction or isinstance(value, kinds), f"{way}: {value!r}"
        last = way.rpartition(".")[2]
        assert last[:2] != "__" or last in OPEN, way
        count += 1
    assert count > 1000


def test_what_a_script_stores_replaces_nothing_of_python():
    lua = session()
    layer = nn.Linear(2, 2)
    lua.globals.update(layer=layer, names=[name for name in names() if name[:1] == "_"])
    before = dict(vars(layer))
    lua.execute("for _, name in ipairs(names) do pcall(function() layer[name] = 1 nn.Linear[name] = 1 nn[name] = 1 end) end")
    after = {key: value for key, value in vars(layer).items() if key != "_luaFields"}
    assert after.keys() == before.keys() and all(after[key] is before[key] for key in before)
    assert type(layer) is nn.Linear and layer.clone().forward(np.ones((1, 2), np.float32)).shape == (1, 2)


def test_sessions_are_collected():
    def held() -> list[weakref.ref[Any]]:
        lua = session("nngraph", "optim", "rnn")
        net = lua.execute(
            f"{TWICE} function nn.Tanh:updateOutput(i) return i end net = nn.Sequential():add(nn.Twice()):add(nn.Tanh())"
            " net:forward(x) return net"
        )
        net.forward(X)
        return [weakref.ref(one) for one in (lua._state.border, type(net[0]), type(net[1]), net)]

    found = held()
    gc.collect()
    assert [one() for one in found] == [None] * 4
