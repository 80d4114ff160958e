"""Sizes that vary in files of ONNX and .pt2: windows whose size follows from that of the input, and any number of steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import inn, nn, rnn

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


def draw(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


def run(path: Path, x: np.ndarray) -> list[np.ndarray]:
    """Returns the results of the file in its own runtime."""
    if path.suffix == ".onnx":
        runtime = pytest.importorskip("onnxruntime")
        return list(runtime.InferenceSession(path).run(None, {"input": x}))
    output = torch.export.load(path).module()(torch.from_numpy(x))
    return [part.detach().numpy() for part in (output if isinstance(output, (tuple, list)) else [output])]


def write(net: nn.Module, path: Path, example: Any) -> Any:
    if path.suffix == ".onnx":
        pytest.importorskip("onnxruntime")
        pytest.importorskip("onnxscript")
    return (pl.to_onnx if path.suffix == ".onnx" else pl.to_pt2)(net, path, example)


def flat() -> tuple[list[nn.Module], list[nn.Module], tuple[int | None, ...]]:
    averages = [nn.SpatialAdaptiveAveragePooling(*sizes) for sizes in ((7, 5), (None, 3), (1, 1))]
    maxima = nn.SpatialAdaptiveMaxPooling(5, 7), nn.SpatialAdaptiveMaxPooling(3, None), inn.SpatialPyramidPooling([3, 2], [1, 1])
    return averages, [*maxima], (None, 2, None, None)


def deep() -> tuple[list[nn.Module], list[nn.Module], tuple[int | None, ...]]:
    return [nn.VolumetricAdaptiveAveragePooling(2, 4, 3)], [nn.VolumetricAdaptiveMaxPooling(3, 2, 5)], (None, 2, None, None, None)


def long() -> tuple[list[nn.Module], list[nn.Module], tuple[int | None, ...]]:
    return [nn.TemporalAdaptiveAveragePooling(4)], [nn.TemporalAdaptiveMaxPooling(6)], (None, None, 2)


SIZES = [(1, 1, 1), (2, 3, 4), (5, 7, 3), (10, 14, 9), (13, 6, 11)]  # one cell, fewer than bins, as many, whole multiples, any


@pytest.mark.parametrize(
    ("make", "kind"), [(flat, "float.onnx"), (flat, "float.pt2"), (deep, "double.onnx"), (long, "float.onnx")]
)
def test_adaptive_pooling(make: Callable[[], Any], kind: str, tmp_path: Path) -> None:
    averages, maxima, shape = make()
    net = nn.ConcatTable(*averages, *maxima)
    net = net.double() if kind.startswith("double") else net.float()
    assert write(net, tmp_path / kind, shape).fixed == []
    tolerance = 1e-12 if kind.startswith("double") else 1e-5
    for sizes in SIZES:
        more = iter(sizes)
        x = draw(*(3 if i == 0 else next(more) if size is None else size for i, size in enumerate(shape))).astype(net._dtype)
        for special in (None, np.inf, -np.inf, np.nan):
            if special is not None:
                x[1].flat[x[1].size // 2] = special
            found, expected = run(tmp_path / kind, x), net.forward(x)
            # onnxruntime has no NaN among maxima.
            count = len(averages) if special is np.nan and kind.endswith("onnx") else len(expected)
            for a, b in zip(found[:count], expected[:count], strict=True):
                np.testing.assert_allclose(a, b, rtol=0, atol=tolerance)


def test_a_fixed_size_has_no_places(tmp_path: Path) -> None:
    """An average of equal windows or of all cells is ONNX's own operator; nothing is computed from sizes."""
    onnx = pytest.importorskip("onnx")
    for layer, shape in (
        (nn.SpatialAdaptiveAveragePooling(4, 2), (None, 2, 6, 8)),
        (nn.SpatialAdaptiveAveragePooling(1, 1), (None, 2, None, None)),
        (nn.SpatialAdaptiveMaxPooling(1, 1), (None, 2, None, None)),
    ):
        write(layer, tmp_path / "net.onnx", shape)
        assert len(onnx.load(tmp_path / "net.onnx").graph.node) == 1


def cell() -> nn.Module:
    x, h = nn.Identity()(), nn.Identity()()
    return nn.gModule([x, h], [nn.Tanh()(nn.CAddTable()([nn.Linear(4, 3)(x), nn.Linear(3, 3)(h)]))])


def masked(layer: Any, batchFirst: bool) -> nn.Module:
    layer.maskzero, layer.batchfirst = True, batchFirst
    return layer  # type: ignore[no-any-return]


def layers() -> nn.Module:
    both = nn.Sequential(masked(rnn.SeqLSTM(4, 3), False), masked(rnn.SeqGRU(3, 3), True))
    return nn.ConcatTable(rnn.SeqLSTM(4, 3), pl.cudnn.BLSTM(4, 3, 2), both)


def loops() -> nn.Module:
    gated = nn.Sequential(rnn.Sequencer(rnn.LSTM(4, 4)), rnn.Sequencer(rnn.GRU(4, 3)).remember("both"))
    started = rnn.Sequencer(rnn.Recurrent(3, nn.Linear(4, 3), nn.Linear(3, 3), nn.Tanh(), 99))
    return nn.ConcatTable(gated, started, rnn.Sequencer(nn.Sequential(nn.Linear(4, 4), nn.BatchNormalization(4))))


@pytest.mark.parametrize("make", [layers, loops])
@pytest.mark.parametrize("kind", ["double.onnx", "float.pt2"])
def test_steps(make: Callable[[], nn.Module], kind: str, tmp_path: Path) -> None:
    """Steps and batch are free."""
    net = make()
    net = (net.double() if kind.startswith("double") else net.float()).evaluate()
    pair = [draw(4, 2, 4).astype(net._dtype), draw(6, 3, 4).astype(net._dtype)]
    assert write(net, tmp_path / kind, pair).fixed == []
    for steps, batch in ((1, 1), (1, 3), (9, 1), (5, 6)):
        x = draw(steps, batch, 4).astype(net._dtype)
        x[0, 0] = 0
        for found, expected in zip(run(tmp_path / kind, x), net.forget().forward(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def rows() -> nn.Module:
    return nn.Sequential(nn.SplitTable(-1), nn.JoinTable(1))


def narrowed() -> nn.Module:
    return nn.ConcatTable(nn.Narrow(3, 0, -1), nn.View(2, -1).setNumInputDims(3))


@pytest.mark.parametrize("kind", ["net.onnx", "net.pt2"])
@pytest.mark.parametrize(("make", "fixed"), [(rows, ["input: dimension 3"]), (narrowed, [])])
def test_a_size_that_is_one_in_both_examples(make: Callable[[], nn.Module], fixed: list[str], kind: str, tmp_path: Path) -> None:
    """Widths of 3 and 4 become 1; larger ones do not."""
    pooled = nn.SpatialMaxPooling(1, 1, 5, 1).ceil()
    net = nn.Sequential(pooled, make()).float()
    assert write(net, tmp_path / kind, [draw(size, 2, 7, size).astype(np.float32) for size in (3, 4)]).fixed == fixed
    for width in [4] if fixed else [6, 18]:
        x = draw(5, 2, 7, width).astype(np.float32)
        for found, expected in zip(run(tmp_path / kind, x), net.forward(x) if not fixed else [net.forward(x)], strict=True):
            np.testing.assert_array_equal(found, expected)


def pooled_steps(*then: nn.Module) -> nn.Module:
    """Steps are the first dimension; of up to six of them one is left."""
    return nn.Sequential(nn.Transpose([0, 1]), nn.TemporalMaxPooling(2, 5), *then).float()


@pytest.mark.parametrize("kind", ["net.onnx", "net.pt2"])
def test_a_size_that_follows_from_the_first_dimension(kind: str, tmp_path: Path) -> None:
    """A size that is 1 for few steps stays dynamic; a table of as many entries fixes the steps."""
    pair = [draw(3, 2, 4).astype(np.float32), draw(4, 3, 4).astype(np.float32)]
    free, fixed = pooled_steps(nn.Narrow(1, 0, -1)), pooled_steps(nn.SplitTable(1), nn.JoinTable(1))
    assert write(free, tmp_path / kind, pair).fixed == []
    for steps, batch in ((2, 1), (12, 2), (90, 3)):
        x = draw(steps, batch, 4).astype(np.float32)
        np.testing.assert_array_equal(run(tmp_path / kind, x)[0], free.forward(x))
    assert write(fixed, tmp_path / kind, pair).fixed == ["input: dimension 0"]
    x = draw(4, 5, 4).astype(np.float32)
    np.testing.assert_array_equal(run(tmp_path / kind, x)[0], fixed.forward(x))
    with pytest.raises(Exception, match=r"(?i)dimension|guard|size"):
        run(tmp_path / kind, draw(12, 5, 4).astype(np.float32))


ONES = {
    "rows": (nn.LayerNormalization(4), ((3, 4), (4, 4))),
    "planes": (nn.SpatialAdaptiveMaxPooling(3, 3), ((2, 3, 5, 5), (3, 4, 6, 7))),
    "cells": (nn.SpatialContrastiveNormalization(2, np.ones((3, 3))), ((2, 2, 4, 5), (3, 2, 5, 6))),
    "squeezed": (nn.Squeeze(), ((2, 3, 1, 4), (3, 4, 1, 5))),
    "columns": (nn.Sequential(nn.ConcatTable(nn.Identity(), nn.Tanh()), nn.MM(True)), ((4, 3, 2), (5, 4, 3))),
}


@pytest.mark.parametrize("kind", ["net.onnx", "net.pt2"])
@pytest.mark.parametrize("name", ONES)
def test_sizes_of_one(name: str, kind: str, tmp_path: Path) -> None:
    """Each free size may be 1 alone, and all of them together."""
    net, shapes = ONES[name]
    net = net.float()
    pair = [draw(*shape).astype(np.float32) for shape in shapes]
    assert write(net, tmp_path / kind, pair).fixed == []
    free = [axis for axis, sizes in enumerate(zip(*shapes, strict=True)) if len({*sizes}) > 1]
    for ones in [*([axis] for axis in free), free]:
        x = draw(*(1 if axis in ones else size for axis, size in enumerate(shapes[1]))).astype(np.float32)
        np.testing.assert_allclose(run(tmp_path / kind, x)[0].ravel(), net.forward(x).ravel(), rtol=0, atol=1e-5)


def test_layers_of_onnx(tmp_path: Path) -> None:
    """Recurrent layers are those of ONNX, whatever stands beside them, for any number of steps and samples."""
    onnx = pytest.importorskip("onnx")
    cudnn = pl.cudnn
    kinds = cudnn.LSTM(4, 3, 2), cudnn.BGRU(4, 3, 2), cudnn.RNNReLU(4, 3, 1), cudnn.RNNTanh(4, 2, 2), cudnn.BLSTM(4, 3, 1, True)
    nets = [nn.Sequential(kind, nn.TemporalMaxPooling(1, 2)) for kind in (*kinds, rnn.SeqLSTM(4, 3).remember("both"))]
    net = nn.ConcatTable(*nets).float().evaluate()
    assert write(net, tmp_path / "net.onnx", [draw(4, 2, 4).astype(np.float32), draw(6, 3, 4).astype(np.float32)]).fixed == []
    ops = {node.op_type for node in onnx.load(tmp_path / "net.onnx").graph.node}
    assert {"LSTM", "GRU", "RNN"} == ops & {"LSTM", "GRU", "RNN", "Scan"}
    for steps, batch in ((1, 1), (9, 1), (2, 5)):
        x = draw(steps, batch, 4).astype(np.float32)
        for found, expected in zip(run(tmp_path / "net.onnx", x), net.forget().forward(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["net.onnx", "net.pt2"])
def test_windows_behind_the_input(kind: str, tmp_path: Path) -> None:
    """`ceil` asks for a window that would start behind the input in some sizes, in those of the examples and not in others."""
    sums = nn.SpatialAveragePooling(2, 1, 4, 5).ceil()
    sums.divide = False
    counted = nn.SpatialAveragePooling(3, 2, 5, 4, 1, 1).ceil()
    net = nn.ConcatTable(
        nn.SpatialMaxPooling(1, 2, 5, 4, 0, 1).ceil(),
        nn.SpatialDilatedMaxPooling(2, 1, 7, 5, 1, 0, 2, 2).ceil(),
        counted,
        nn.SpatialAveragePooling(3, 2, 5, 4, 1, 1).ceil().setCountExcludePad(),
        sums,
        nn.Sequential(counted.clone(), nn.Padding(3, 2, 4, 0.5, 1)),  # nn.Padding reads the size
    ).float()
    assert write(net, tmp_path / kind, [draw(2, 2, 3, 8).astype(net._dtype), draw(3, 2, 4, 9).astype(net._dtype)]).fixed == []
    for height, width in ((2, 5), (5, 6), (9, 11), (12, 18), (6, 23)):
        x = draw(3, 2, height, width).astype(net._dtype)
        for found, expected in zip(run(tmp_path / kind, x), net.forward(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["net.onnx", "net.pt2"])
def test_volumes_smaller_than_the_kernel(kind: str, tmp_path: Path) -> None:
    """PyTorch refuses them, also if padding or `ceil` make up for it. A window that has no cell of the input gives 0."""
    net = nn.ConcatTable(
        nn.VolumetricAveragePooling(3, 3, 3, 1, 1, 1, 1, 1, 1),
        nn.VolumetricAveragePooling(3, 3, 3, 2, 2, 2, 1, 1, 1).setCountExcludePad(),
        nn.VolumetricAveragePooling(2, 2, 2, 2, 2, 2).ceil(),
        nn.VolumetricAveragePooling(3, 2, 2, 3, 2, 2, 1, 0, 1).ceil().setCountExcludePad(),
        nn.VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 2),
    ).float()
    assert write(net, tmp_path / kind, (None, 2, None, None, None)).fixed == []
    for sizes in ((1, 1, 1), (2, 1, 3), (2, 5, 4)):
        x = draw(2, 2, *sizes).astype(net._dtype)
        for found, expected in zip(run(tmp_path / kind, x), net.forward(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["net.onnx", "net.pt2"])
def test_planes_without_a_batch(kind: str, tmp_path: Path) -> None:
    net = nn.ConcatTable(nn.SpatialAveragePooling(3, 2, 5, 4, 1, 1).ceil(), pl.dpnn.SpatialUniformCrop(2)).float()
    assert write(net, tmp_path / kind, [draw(2, 3, 8).astype(np.float32), draw(3, 4, 9).astype(np.float32)]).fixed == []
    for shape in ((1, 2, 5), (4, 9, 11), (2, 12, 18)):
        x = draw(*shape).astype(np.float32)
        for found, expected in zip(run(tmp_path / kind, x), net.evaluate().forward(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_small_constants(tmp_path: Path) -> None:
    """A small constant is kept, though ONNX's optimizer takes numbers near 0 for 0."""
    net = nn.ConcatTable(nn.Normalize(2), nn.Sequential(nn.AddConstant(1e-9), nn.MulConstant(1e9))).float()
    write(net, tmp_path / "net.onnx", (None, 4))
    for x in (np.zeros((2, 4), np.float32), np.full((1, 4), 1e-6, np.float32)):
        for found, expected in zip(run(tmp_path / "net.onnx", x), net.forward(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("kind", ["net.onnx", "net.pt2"])
def test_criterion(kind: str, tmp_path: Path) -> None:
    """It takes input and target."""
    assert write(nn.MSECriterion().float(), tmp_path / kind, None).fixed == []


class Tall(nn.Module):
    """As many times the input as it is high."""

    def updateOutput(self, input: np.ndarray) -> np.ndarray:
        self.output = input * input.shape[2]
        return self.output


_TALL = """
def tall(x):
    y = torch.zeros_like(x)
    for _ in range(x.size(2)):
        y = y + x
    return y"""


def test_what_can_stay_free_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One size is fixed by a loop; the three beside it are not."""
    from pytorch_legacy.bridge import registry

    monkeypatch.setitem(registry.RULES, Tall, lambda m, x, w: f"{w.helper(_TALL)}({x})")
    pair = [np.ones(shape, np.float32) for shape in ((2, 3, 4, 5), (3, 4, 6, 7))]
    assert write(Tall(), tmp_path / "net.pt2", pair).fixed == ["input: dimension 2"]
    x = draw(1, 7, 6, 2).astype(np.float32)  # the height of the second example
    np.testing.assert_allclose(run(tmp_path / "net.pt2", x)[0], 6 * x, rtol=0, atol=1e-5)
