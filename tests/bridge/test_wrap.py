"""Layers without a rule, embedded alive."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.cli import main

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


@pl.register("bridgeTests.Both")
class Both(nn.Module):
    """Gives a table of two: w x, and a table with w x alone."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.gradWeight = np.full(3, 2.0, self._dtype), np.zeros(3, self._dtype)

    def updateOutput(self, input: np.ndarray) -> list[Any]:
        self.output = [input * self.weight, [input * self.weight]]
        return self.output

    def updateGradInput(self, input: np.ndarray, gradOutput: list[Any]) -> np.ndarray:
        self.gradInput = (gradOutput[0] + gradOutput[1][0]) * self.weight
        return self.gradInput

    def accGradParameters(self, input: np.ndarray, gradOutput: list[Any], scale: float = 1.0) -> None:
        self.gradWeight += scale * ((gradOutput[0] + gradOutput[1][0]) * input).sum(0)


def network() -> nn.Sequential:
    return nn.Sequential().add(nn.Linear(4, 3)).add(Both()).add(nn.FlattenTable()).add(nn.CMulTable())


@pytest.mark.parametrize("dtype", ["float", "double"])
def test_module(dtype: str) -> None:
    """It computes and learns with what surrounds it; the network stays apart."""
    net = getattr(network(), dtype)()
    with pytest.raises(pl.bridge.NoRule, match="there is no rule"):
        pl.to_torch(net, (None, 4))
    module = pl.to_torch(net, (None, 4), wrap=True)
    assert module.proof.whole < 1e-6 and "NEEDS pytorch_legacy" in module.source
    x = torch.randn(5, 4, dtype=getattr(torch, dtype))
    module(x).sum().backward()
    output = net.forward(x.numpy())
    net.zeroGradParameters()
    net.backward(x.numpy(), np.ones_like(output))
    np.testing.assert_allclose(module.fc.weight.grad.numpy(), net.modules[0].gradWeight, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(module.legacy.weight.grad.numpy(), net.modules[1].gradWeight, rtol=1e-4, atol=1e-5)
    module.legacy.weight.data.zero_()
    assert (module(x) == 0).all() and (net.modules[1].weight == 2).all()


def test_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The layer lies beside the text."""
    net = network()
    pl.save(tmp_path / "net.t7", net)
    command = ["convert", str(tmp_path / "net.t7"), str(tmp_path / "out.py"), "--input", "Nx4"]
    assert main([*command, "--wrap"]) == 0
    assert "out.2.t7" in capsys.readouterr().out
    spec = importlib.util.spec_from_file_location("out", tmp_path / "out.py")
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    x = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    np.testing.assert_allclose(written.load()(torch.from_numpy(x)).detach().numpy(), net.forward(x), rtol=0, atol=1e-5)


def test_onnx_refuses_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pl.save(tmp_path / "net.t7", network())
    command = ["convert", str(tmp_path / "net.t7"), str(tmp_path / "out.onnx"), "--input", "Nx4"]
    assert main([*command, "--wrap"]) != 0
    assert "--wrap is for .py" in capsys.readouterr().err
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    assert main(command) != 0
    assert "no rule" in capsys.readouterr().err and not (tmp_path / "out.onnx").exists()


@pl.register("bridgeTests.Gain")
class Gain(nn.Module):
    """w x."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.gradWeight = np.linspace(0.5, 2, 3, dtype=self._dtype), np.zeros(3, self._dtype)

    def updateOutput(self, input: np.ndarray) -> np.ndarray:
        self.output = input * self.weight
        return self.output

    def updateGradInput(self, input: np.ndarray, gradOutput: np.ndarray) -> np.ndarray:
        self.gradInput = gradOutput * self.weight
        return self.gradInput

    def accGradParameters(self, input: np.ndarray, gradOutput: np.ndarray, scale: float = 1.0) -> None:
        self.gradWeight += scale * (gradOutput * input).reshape(-1, 3).sum(0)


@pytest.mark.parametrize("places", [1, 2])
def test_within_a_step(places: int, tmp_path: Path) -> None:
    """The class that a loop calls embeds it, in the written file too; several places have a layer each."""
    transfer = nn.Sequential().add(nn.Tanh())
    for _ in range(places):
        transfer.add(Gain())
    cell = pl.rnn.Recurrent(3, nn.Linear(4, 3), nn.Linear(3, 3), transfer, 99)
    net = nn.Sequential().add(pl.rnn.Sequencer(cell)).add(Gain())
    module = pl.to_python(
        net, tmp_path / "net.py", [np.random.default_rng(n).standard_normal((n, 2, 4)) for n in (3, 5)], wrap=True
    )
    assert module.proof.whole < 1e-6 and "run_recurrent" in module.source
    spec = importlib.util.spec_from_file_location("net", tmp_path / "net.py")
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    x = np.random.default_rng(0).standard_normal((4, 2, 4)).astype(np.float32)
    loaded, leaf = written.load(), torch.from_numpy(x).requires_grad_()
    np.testing.assert_allclose(loaded(leaf).detach().numpy(), net.evaluate().forward(x), rtol=0, atol=1e-5)
    loaded(leaf).sum().backward()
    grads = [p.grad for name, p in loaded.named_parameters() if "legacy" in name]
    assert len(grads) >= places + 1 and all(grad is not None and grad.abs().max() > 0 for grad in grads)


def test_shared_and_unknown() -> None:
    """One layer at two places is one; what cannot run is named."""
    both = Both()
    net = nn.Sequential().add(nn.ConcatTable().add(both).add(both)).add(nn.FlattenTable()).add(nn.CAddTable())
    module = pl.to_torch(net, (None, 3), wrap=True)
    assert [*module.state_dict()] == ["legacy.weight"] and len(module.legacy_parts) == 1
    with pytest.raises(pl.THNNError, match=r"^1 \(nn.Odd\).*not known"):
        pl.to_torch(nn.Sequential().add(nn.Unknown("nn.Odd")), (None, 3), wrap=True)


def test_goes_back(tmp_path: Path) -> None:
    """Weights that an embedded layer learned return with those around it, from a module and from its file; no export has them."""
    from safetensors.numpy import load_file

    net = network()
    module = pl.to_python(net, tmp_path / "net.py", (None, 4), wrap=True)
    weights = {name: array + 1 for name, array in load_file(tmp_path / "net.safetensors").items()}
    before = [array.copy() for array in net.parameters()[0]]
    pl.from_torch(weights, like=net, example=(None, 4))
    for array, old in zip(net.parameters()[0], before, strict=True):
        np.testing.assert_allclose(array, old + 1, rtol=0, atol=1e-6)
    pl.from_torch(module, like=net)
    for array, old in zip(net.parameters()[0], before, strict=True):
        np.testing.assert_allclose(array, old, rtol=0, atol=1e-6)
    with pytest.raises(Exception, match="layers that pytorch_legacy runs cannot be exported"):
        torch.export.export(module, (torch.randn(2, 4),))
