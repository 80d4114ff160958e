"""Layers that worked in place, and no longer do: they leave alone what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.nn.Module import Module

LAYERS: dict[str, Callable[[], Module]] = {
    "ReLU": lambda: nn.ReLU(True),
    "Threshold": lambda: nn.Threshold(0.1, 0.0, True),
    "HardTanh": lambda: nn.HardTanh(-0.5, 0.5, True),
    "LeakyReLU": lambda: nn.LeakyReLU(0.1, True),
    "ELU": lambda: nn.ELU(1.0, True),
    "RReLU": lambda: nn.RReLU(0.1, 0.3, True),
    "AddConstant": lambda: nn.AddConstant(2.0, True),
    "MulConstant": lambda: nn.MulConstant(3.0, True),
    "Dropout": lambda: nn.Dropout(0.5, False, True),
    "ConstAffine": lambda: pl.inn.ConstAffine(3, True),
    "CAddTable": lambda: nn.CAddTable(True),
}


def random(seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal((4, 3))


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("isSaved", [False, True])
def test_switched_off(name: str, isSaved: bool, tmp_path: Any) -> None:
    """In a chain, the output is the array of the layer before; files keep that they are one."""
    layer = LAYERS[name]()
    isTable = name == "CAddTable"
    first = nn.ConcatTable(nn.Tanh(), nn.Sigmoid()) if isTable else nn.Tanh()
    net = nn.Sequential(first, layer, nn.Tanh()).double()
    net.forward(random(0))
    net.backward(random(0), random(1))
    if isSaved:
        pl.save(tmp_path / "net.t7", net)
        net = pl.load(tmp_path / "net.t7")
        layer = net.get(1)
    layer.inplace = False
    pl.manualSeed(1)
    output, gradInput = net.forward(random(2)).copy(), net.backward(random(2), random(3)).copy()
    fresh = net.get(0).get(0).output if isTable else net.get(0).output
    np.testing.assert_allclose(fresh, np.tanh(random(2)), rtol=1e-12)
    twin = nn.Sequential(net.get(0).clone(), LAYERS[name](), nn.Tanh()).double()
    twin.get(1).inplace = False
    pl.manualSeed(1)
    np.testing.assert_array_equal(output, twin.forward(random(2)))
    np.testing.assert_array_equal(gradInput, twin.backward(random(2), random(3)))


@pytest.mark.parametrize("name", [name for name in LAYERS if name != "CAddTable"])
def test_each_pass_writes_to_what_it_is_given(name: str) -> None:
    """The same array again, others, one that is read-only: no pass writes to the array of one before."""
    layer, twin = LAYERS[name]().double().evaluate(), LAYERS[name]().double().evaluate()
    twin.inplace = False
    same, given = random(0), []
    for i in range(6):
        x = same if i % 3 == 0 else random(i)
        expected = twin.forward(x.copy()).copy()
        assert layer.forward(x) is x
        np.testing.assert_array_equal(x, expected)
        gradOutput = random(9 + i)
        assert layer.updateGradInput(x, gradOutput) is (layer.gradInput if name == "Dropout" else gradOutput)
        given.append((gradOutput, gradOutput.copy()))
        given.append((x, x.copy()))
        for array, old in given:
            assert array is same or np.array_equal(array, old)
    fixed = random(7)
    fixed.flags.writeable = False
    for _ in range(2):
        np.testing.assert_array_equal(layer.forward(fixed), twin.forward(random(7)))
    np.testing.assert_array_equal(fixed, random(7))


@pytest.mark.parametrize("isSaved", [False, True])
@pytest.mark.parametrize("name", [name for name in LAYERS if name != "CAddTable"])
def test_two_switched_off_in_a_row(name: str, isSaved: bool, tmp_path: Any) -> None:
    """The second one's output is the array of the layer before both, which others read; it leaves that alone, too."""
    chain = nn.Sequential(LAYERS[name](), LAYERS[name]())
    net = nn.Sequential(nn.Tanh(), nn.ConcatTable(chain, nn.Identity())).double().evaluate()
    net.forward(random(0))
    net.backward(random(0), [random(1), random(4)])
    if isSaved:
        pl.save(tmp_path / "net.t7", net)
        net = pl.load(tmp_path / "net.t7")
    for layer in net.listModules():
        if hasattr(layer, "inplace"):
            layer.inplace = False
    gradients = [random(3), random(4)]
    twin = net.clone().clearState()
    for _ in range(2):
        for one, other in zip(net.forward(random(2)), twin.forward(random(2)), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(net.backward(random(2), gradients), twin.backward(random(2), gradients))
        np.testing.assert_array_equal(gradients[0], random(3))
    outputs = [layer.output for layer in (net.get(0), *net.get(1).get(0).modules)]
    assert not any(np.shares_memory(one, other) for i, one in enumerate(outputs) for other in outputs[:i])


def test_sum_switched_off() -> None:
    """While nn.CAddTable works in place, the gradients of all terms are one array; afterwards each is its own."""
    net, x = nn.CAddTable(True).double(), [random(0), random(1)]
    net.forward(x)
    net.backward(x, random(2))
    net.inplace = False
    net.forward(x)
    first, second = net.backward(x, random(3))
    assert not np.shares_memory(first, second)
