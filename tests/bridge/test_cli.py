"""``pytorch-legacy convert`` to .py, .onnx and .pt2."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn
from pytorch_legacy.cli import main

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')
DIGITS = Path(__file__).resolve().parents[2] / "examples" / "digits"


def convert(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    status = main(["convert", *map(str, arguments)])
    captured = capsys.readouterr()
    return captured.out if status == 0 else captured.err


def test_python_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command infers and prints the network's input; the written file computes the numbers of the network."""
    said = convert(capsys, DIGITS / "digits.t7", tmp_path / "digits.py")
    assert "wrote" in said and "digits.safetensors" in said and "assumed an input of Nx1xHxW; --input changes it" in said
    spec = importlib.util.spec_from_file_location("digits", tmp_path / "digits.py")
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    net = pl.load(DIGITS / "digits.t7")["model"]
    net.evaluate()
    x = np.random.default_rng(0).standard_normal((5, 1, 8, 8)).astype(np.float32)
    np.testing.assert_allclose(written.load()(torch.from_numpy(x)).detach().numpy(), net.forward(x), rtol=0, atol=1e-5)


def test_several_inputs_and_indices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pl.save(tmp_path / "net.t7", nn.Sequential().add(nn.ParallelTable().add(nn.LookupTable(9, 3)).add(nn.Identity())))
    for indices in ("1x4:int", "Nx4:0-8"):
        said = convert(capsys, tmp_path / "net.t7", tmp_path / "net.py", "--input", f"{indices},1x2")
        assert "it differs by 0.0e+00" in said
    assert "Takes (N, 4) of int64, (N, 2), gives (N, 4, 3), (N, 2)." in (tmp_path / "net.py").read_text()


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written, and one line says why."""
    net = tmp_path / "net.t7"
    pl.save(net, nn.Sequential().add(nn.SpatialConvolution(1, 2, 3, 3)).add(nn.View(2 * 4 * 4)).add(nn.Linear(32, 2)))
    target = tmp_path / "net.py"
    assert "expected sizes joined by x, such as 1x3x32x32" in convert(capsys, net, target, "--input", "1x")
    assert "--force is for .py, .onnx, .pt2" in convert(capsys, net, tmp_path / "net.npz", "--force")
    assert "expected a .t7 file with a network" in convert(capsys, DIGITS / "x.npz", target)
    said = convert(capsys, net, target, "--input", "NxCx6x6")
    assert "--input NxCx6x6: in module 1" in said and "the network expects an input of 1 x 6 x 6" in said
    both = nn.Sequential().add(nn.ParallelTable().add(nn.LookupTable(9, 3)).add(nn.Linear(4, 3))).add(nn.CAddTable())
    pl.save(net, both)
    assert "ParallelTable: input: expected a table of 2, got a float32 array" in convert(capsys, net, target, "--input", "N")
    assert "--input N:1-9,Nx4: in module 1" in convert(capsys, net, target, "--input", "N:1-9,Nx4")
    with pytest.raises(pl.THNNError, match=r"^1 \(nn.ParallelTable\), nn.ParallelTable: input: expected a table of 2, got"):
        pl.to_torch(both, (None, 4))
    pl.save(net, nn.Sequential().add(nn.SelectTable(0)))
    assert "pass it, such as --input 1x6,1x10:int" in convert(capsys, net, target)
    pl.save(net, nn.Sequential().add(nn.SplitTable(0)).add(rnn.Sequencer(nn.Linear(4, 3))))
    assert "as long as a size that varies" in (said := convert(capsys, net, target)) and "assumed an input of TxNx4" in said
    pl.save(net, nn.Sequential().add(nn.Linear(3, 3)).add(nn.Tanh()))
    monkeypatch.setattr(nn.Tanh, "updateOutput", lambda self, input: input * 0.5)
    assert "2 (nn.Tanh), the numbers differ by" in convert(capsys, net, target)
    assert [path.name for path in tmp_path.iterdir()] == ["net.t7"]
    assert "wrote" in convert(capsys, net, target, "--force")


def test_view_that_multiplies_the_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An input that was inferred is the one that the network was made for; if there is none, nothing is written."""
    net, target = tmp_path / "net.t7", tmp_path / "net.py"
    pl.save(net, nn.Sequential().add(nn.SpatialConvolution(1, 2, 3, 3)).add(nn.View(8)).add(nn.Linear(8, 2)))
    assert "assumed an input of Nx1x4x4; --input changes it" in convert(capsys, net, target)
    target.unlink()
    pl.save(net, rnn.Sequencer(nn.Sequential(nn.SpatialConvolution(1, 2, 3, 3), nn.View(8), nn.Linear(8, 2))))
    assert "assumed an input of TxNx1x4x4" in convert(capsys, net, target)  # not one whose steps have more samples
    pl.save(
        net,
        nn.Sequential(nn.Reshape(1, 84, 84), nn.SpatialConvolution(1, 2, 8, 8, 4, 4), nn.Reshape(2 * 20 * 20), nn.Linear(800, 2)),
    )
    assert "assumed an input of Nx1x84x84" in convert(capsys, net, target)
    target.unlink()
    for layers in ((nn.Linear(6, 6), nn.View(3), nn.Linear(3, 2)), (nn.LookupTable(9, 3), nn.View(-1, 1), nn.Linear(1, 2))):
        chain = nn.Sequential()
        for layer in layers:
            chain.add(layer)
        pl.save(net, chain)
        assert "changes the number of samples" in convert(capsys, net, target) and not target.exists()
    assert "wrote" in convert(capsys, net, target, "--input", "Nx8:int")


def test_what_may_vary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Letters, and the first size if the network takes that; tables in tables; a sequence of steps."""
    net, target = tmp_path / "net.t7", tmp_path / "net.py"
    inner = nn.ParallelTable().add(nn.Linear(2, 3)).add(nn.SpatialConvolution(3, 1, 3, 3))
    pl.save(net, nn.ParallelTable().add(inner).add(nn.OneHot(5)))
    for text, takes in (
        ("(1x2,1x3x8x8),4:int", "[(1, 2), (1, 3, 8, 8)], (4,) of int64"),
        ("(4x2,4x3xHxW),4:0..4", "[(N, 2), (N, 3, H, W)], (N,) of int64"),
        ("(Nx2,Mx3xHxH),N:long", "[(N, 2), (H, 3, W, W)], (N,) of int64"),
    ):
        assert "wrote" in convert(capsys, net, target, "--input", text)
        assert f"Takes {takes}" in target.read_text(), target.read_text()[:200]
    pl.save(net, nn.SpatialConvolution(3, 1, 3, 3))
    assert "wrote" in convert(capsys, net, target, "--input", "3x8x8") and "Takes (3, 8, 8)" in target.read_text()
    assert "expected float32, the type of the network, got double" in convert(capsys, net, target, "--input", "1x3x8x8:double")
    pl.save(net, rnn.Sequencer(rnn.FastLSTM(4, 3)))
    assert "assumed an input of TxNx4" in convert(capsys, net, target) and "Takes (N, H, 4)" in target.read_text()
