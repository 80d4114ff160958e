"""Layers that the author of a model wrote in Lua: files with them load, run, learn and are saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.cli import main

SCRIPT = Path(__file__).parent / "scripts" / "customlayer.lua"
X = np.linspace(-1, 1, 30).reshape(5, 6)


@pytest.fixture
def net():
    pl.manualSeed(1)
    return pl.lua.run(SCRIPT)


@pytest.fixture
def file(net, tmp_path):
    pl.save(tmp_path / "net.t7", net)
    return tmp_path / "net.t7"


def test_a_network_comes_back(net, file):
    assert isinstance(pl.load(file)[0], nn.Unknown)
    loaded = pl.load(file, lua=[SCRIPT])
    assert repr(loaded) == repr(net) and repr(loaded[0]) == "nn.ScaledTanhLinear(6 -> 9)"
    assert np.array_equal(loaded.evaluate().forward(X), net.evaluate().forward(X))
    assert loaded[0].scale.tolist() == [1.5] * 9 and loaded[1].sigma == 0.1


def test_it_learns_and_is_saved_again(file, tmp_path):
    net = pl.load(file, lua=[SCRIPT])
    params, grads = net.getParameters()
    assert params.size == 102 and net[0].scale.base is not None  # a parameter under a name of the script's
    before = net.evaluate().forward(X).copy()
    net.training().zeroGradParameters()
    output = net.forward(X)
    net.backward(X, np.ones_like(output))
    assert grads[54:72].any() and net[1].count == 1
    net.updateParameters(0.1)
    pl.save(tmp_path / "again.t7", net)
    again = pl.load(tmp_path / "again.t7", lua=[SCRIPT])
    after = net.evaluate().forward(X)
    assert not np.array_equal(after, before) and np.array_equal(again.evaluate().forward(X), after)


def test_other_types(file):
    net = pl.load(file, lua=[SCRIPT]).evaluate()
    wanted = net.forward(X).copy()
    assert net.float()[0].scale.dtype == np.float32
    assert np.allclose(net.forward(X.astype(np.float32)), wanted, atol=1e-6)
    assert net.clone()[0].scale is not net[0].scale


def test_the_files_run_in_a_sandbox(file, tmp_path):
    (tmp_path / "own.lua").write_text("return dofile('SCRIPT')".replace("SCRIPT", str(tmp_path / "layer.lua")))
    (tmp_path / "layer.lua").write_text(SCRIPT.read_text())
    assert pl.load(file, lua=[tmp_path / "own.lua"])[0].scale is not None
    (tmp_path / "own.lua").write_text(f"io.open('{tmp_path}/x', 'w')")
    with pytest.raises(pl.lua.LuaError, match=r"a sandbox has no io\.open"):
        pl.load(file, lua=[tmp_path / "own.lua"])
    assert not (tmp_path / "x").exists()


def test_a_class_of_a_script_comes_before_ours(tmp_path):
    pl.save(tmp_path / "net.t7", nn.Sequential(nn.Tanh()).double())
    (tmp_path / "Tanh.lua").write_text(
        "local Tanh = torch.class('nn.Tanh', 'nn.Module')\n"
        "function Tanh:updateOutput(input) self.output = input * 2 return self.output end\n"
    )
    assert pl.load(tmp_path / "net.t7", lua=[tmp_path / "Tanh.lua"]).forward(X).tolist() == (2 * X).tolist()
    assert type(pl.load(tmp_path / "net.t7")[0]) is nn.Tanh


def test_tables_in_fields(tmp_path):
    lua = pl.lua.Session(requires=["nn"])
    net = lua.execute("""
        local K, parent = torch.class('nn.Keeper', 'nn.Module')
        function K:__init()
           parent.__init(self)
           self.kept, self._own = {torch.ones(2), name = {nn.Linear(2, 2)}}, torch.ones(1)
        end
        function K:updateOutput(input) return input end
        return nn.Keeper()
    """)
    copy = net.clone().float()
    lua.globals.update(one=net, two=copy)
    assert lua.execute("return one.kept[1]:type(), two.kept[1]:type(), two.kept.name[1].weight:type(), two._own:type()") == (
        "torch.DoubleTensor", "torch.FloatTensor", "torch.FloatTensor", "torch.FloatTensor",
    )  # fmt: skip
    pl.save(tmp_path / "net.t7", net)
    fields = pl.load(tmp_path / "net.t7").fields
    assert fields["kept"][1].tolist() == [1, 1] and isinstance(fields["kept"]["name"][0], nn.Linear)
    assert fields["_own"].tolist() == [1]


@pytest.mark.parametrize("how", ["class", "object"])
def test_a_layer_of_lua_counts_as_its_caller_does(how):
    lua = pl.lua.Session(requires=["nn"])
    net = lua.execute("""
        local W, parent = torch.class('nn.Words', 'nn.Module')
        function W:__init() parent.__init(self) self.inner = nn.LookupTable(3, 2) self.inner.weight:copy(torch.range(1, 6)) end
        function W:updateOutput(input) self.output = self.inner:forward(input) return self.output end
        local plain = nn.Module()
        plain.inner = nn.LookupTable(3, 2)
        plain.inner.weight:copy(torch.range(1, 6))
        function plain:updateOutput(input) self.output = self.inner:forward(input) return self.output end
        return {class = nn.Sequential():add(nn.Words()), object = nn.Sequential():add(plain)}
    """)[how]
    lua.globals["net"] = net
    assert net.forward(np.array([0, 2])).tolist() == [[1, 2], [5, 6]]
    assert lua.execute("return net:forward(torch.Tensor{1, 3})").tolist() == [[1, 2], [5, 6]]


def test_a_layer_of_lua_is_not_compiled(net):
    with pytest.raises(pl.errors.THNNError, match="written in Lua compute with arrays of NumPy"):
        pl.compile(net.float(), (None, 6))


def test_the_commands(file, capsys):
    assert main(["inspect", str(file), "--lua", str(SCRIPT)]) in (0, None)
    assert "nn.ScaledTanhLinear(6 -> 9)" in capsys.readouterr().out
    assert main(["run", str(file), "--input", "5x6", "--double", "--lua", str(SCRIPT)]) in (0, None)
    assert "class" in capsys.readouterr().out
    assert main(["convert", str(file), str(file.with_suffix(".npz")), "--lua", str(SCRIPT)]) in (0, None)
    assert len(np.load(file.with_suffix(".npz"))) == 5
