"""Files of ONNX and .pt2: the network's numbers in their own runtimes, at sizes that nobody exported."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cudnn, dpnn, nn

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


def draw(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def test_onnx_of_any_size(tmp_path: Path) -> None:
    """Batch, height and width of a network of two inputs are free; the file is run at a fourth size."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    one = (
        nn.Sequential()
        .add(nn.SpatialConvolution(3, 4, 3, 3, 1, 1, 1, 1))
        .add(nn.Threshold(1e-6, 0))
        .add(nn.SpatialMaxPooling(2, 2))
    )
    net = nn.Sequential().add(nn.ParallelTable().add(one).add(nn.Identity())).add(nn.JoinTable(1))
    pair = [[draw(n, 3, 2 * h, 10), draw(n, 2, h, 5)] for n, h in ((2, 3), (3, 5))]
    exported = pl.to_onnx(net, tmp_path / "net.onnx", pair)
    assert not exported.fixed and exported.difference < 1e-6
    session = runtime.InferenceSession(tmp_path / "net.onnx")
    assert [entry.name for entry in session.get_inputs()] == ["input1", "input2"]
    inputs = [draw(1, 3, 18, 10), draw(1, 2, 9, 5)]
    (output,) = session.run(["output"], dict(zip(("input1", "input2"), inputs, strict=True)))
    np.testing.assert_allclose(output, net.forward(inputs), rtol=0, atol=1e-5)


def test_names_of_nodes(tmp_path: Path) -> None:
    """Inputs and outputs are called as the nodes of a graph; in a file, and within a Sequential, too."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    image, other = nn.Identity()().annotate({"name": "the image"}), nn.Identity()()
    total = nn.CAddTable()([nn.Linear(4, 3)(image), nn.Linear(5, 3)(other)])
    hidden = nn.Tanh()(total).annotate({"name": "next_h"})
    graph = nn.gModule([image, other], [nn.LogSoftMax()(hidden), hidden])
    pl.save(tmp_path / "net.t7", nn.Sequential().add(graph))
    for i, net in enumerate((graph, pl.load(tmp_path / "net.t7"))):
        pl.to_onnx(net, tmp_path / f"{i}.onnx", ((None, 4), (None, 5)))
        session = runtime.InferenceSession(tmp_path / f"{i}.onnx")
        assert [entry.name for entry in session.get_inputs()] == ["the_image", "input2"]
        assert [entry.name for entry in session.get_outputs()] == ["output1", "next_h"]


def test_pt2(tmp_path: Path) -> None:
    net = nn.Sequential().add(nn.SpatialConvolution(3, 4, 3, 3)).add(nn.View(-1).setNumInputDims(3)).add(nn.Linear(36, 2))
    exported = pl.to_pt2(net, tmp_path / "net.pt2", (None, 3, 5, 5))
    assert exported.fixed == []
    x = draw(7, 3, 5, 5)
    y = torch.export.load(tmp_path / "net.pt2").module()(torch.from_numpy(x))
    np.testing.assert_allclose(y.detach().numpy(), net.forward(x), rtol=0, atol=1e-5)


def test_time_of_recurrent_networks(tmp_path: Path) -> None:
    """Time is free in ONNX, and in .pt2, step by step."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    net = pl.rnn.SeqLSTM(3, 4)
    pair = [draw(5, 2, 3), draw(7, 3, 3)]
    assert pl.to_onnx(net, tmp_path / "net.onnx", pair).fixed == []
    x = draw(11, 1, 3)
    (output,) = runtime.InferenceSession(tmp_path / "net.onnx").run(None, {"input": x})
    np.testing.assert_allclose(output, net.forward(x), rtol=0, atol=1e-5)
    assert pl.to_pt2(net, tmp_path / "net.pt2", pair) == ("torch.export, step by step", pytest.approx(0, abs=1e-6), [])
    x = draw(9, 2, 3)
    y = torch.export.load(tmp_path / "net.pt2").module()(torch.from_numpy(x))
    np.testing.assert_allclose(y.detach().numpy(), net.forward(x), rtol=0, atol=1e-5)


def test_layers_between_recurrent_ones(tmp_path: Path) -> None:
    """Time and batch are free in ONNX."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    rnn = pl.rnn
    pair = [draw(4, 2, 3), draw(6, 3, 3)]
    net = rnn.Sequencer(nn.Sequential(rnn.FastLSTM(3, 4), nn.Linear(4, 3), rnn.FastLSTM(3, 4)))
    loop = rnn.Sequencer(nn.Sequential(rnn.GRU(3, 4), nn.Linear(4, 3)))
    for model, x in ((net, draw(11, 1, 3)), (loop, draw(7, 5, 3))):
        assert pl.to_onnx(model, tmp_path / "net.onnx", pair).fixed == []
        (output,) = runtime.InferenceSession(tmp_path / "net.onnx").run(None, {"input": x})
        np.testing.assert_allclose(output, model.evaluate().forward(x), rtol=0, atol=1e-5)


KINDS = [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"num_layers": 2, "bidirectional": True, "batch_first": True}, {"bias": False}])
def test_loops_of_steps(kind, options) -> None:
    """The loops that replace PyTorch's recurrent layers for exporters compute the same, with a state and without."""
    from pytorch_legacy.bridge.loops import Stepwise

    layer = kind(3, 4, **options).double()
    x, state = torch.from_numpy(draw(5, 2, 3)).double(), None
    for _ in range(2):
        (expected, after), (found, state) = layer(x, state), Stepwise(layer)(x, state)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
        torch.testing.assert_close(state, after, rtol=0, atol=1e-12)


def test_steps_in_double(tmp_path: Path) -> None:
    """onnxruntime has recurrent layers in single precision alone: a table of steps leaves for ONNX all the same."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    net = pl.rnn.Sequencer(pl.rnn.FastLSTM(3, 4)).double()
    steps = [[draw(n, 3).astype(np.float64) for _ in range(3)] for n in (2, 3, 5)]
    assert pl.to_onnx(net, tmp_path / "net.onnx", steps[:2]).fixed == []
    inputs = {f"input{i}": step for i, step in enumerate(steps[2], 1)}
    outputs = runtime.InferenceSession(tmp_path / "net.onnx").run(None, inputs)
    np.testing.assert_allclose(outputs, net.evaluate().forward(steps[2]), rtol=0, atol=1e-12)


def test_advice_on_double(tmp_path: Path) -> None:
    """There are no convolutions in double in onnxruntime: the error says what to do."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    net = nn.SpatialConvolution(1, 2, 2, 2)
    with pytest.raises(pl.bridge.Differs, match=r"export net.clone\(\).float\(\)"):
        pl.to_onnx(net.clone().double(), tmp_path / "net.onnx", (None, 1, 3, 3))
    assert pl.to_onnx(net, tmp_path / "net.onnx", (None, 1, 3, 3)).fixed == []


HALVED = {
    "maxima": (nn.SpatialMaxPooling(2, 2).ceil(), (None, 3, None, None)),
    "averages": (nn.VolumetricAveragePooling(1, 2, 2), (None, 2, 3, None, None)),
    "convolution": (nn.SpatialConvolution(3, 4, 3, 3, 2, 2, 1, 1), (None, 3, None, None)),
    "frames": (nn.TemporalMaxPooling(2), (None, None, 3)),
}


@pytest.mark.parametrize("name", HALVED)
def test_inner_sizes_of_one(name: str, tmp_path: Path) -> None:
    """Heights, widths and lengths that vary may come to be 1 inside of a file of .pt2."""
    net, shape = HALVED[name]
    assert pl.to_pt2(net, tmp_path / "net.pt2", shape).fixed == []
    module = torch.export.load(tmp_path / "net.pt2").module()
    for size in (2, 5):
        x = draw(*(size if known is None else known for known in shape))
        np.testing.assert_allclose(module(torch.from_numpy(x)).detach(), net.forward(x), rtol=0, atol=1e-5)


def remembering() -> nn.Module:
    return pl.rnn.Sequencer(nn.Sequential(pl.rnn.FastLSTM(3, 4), nn.Linear(4, 3))).remember("both")


def projected() -> nn.Module:
    return nn.Sequential(pl.rnn.SeqLSTMP(3, 8, 4), pl.rnn.SeqLSTMP(4, 3, 5).remember("both"))


@pytest.mark.parametrize("make", [remembering, projected])
def test_states_and_projections(make, tmp_path: Path) -> None:
    """A file of a network that remembers begins anew in each run; projections, which exporters get wrong, are written out."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    net, pair = make(), [draw(6, 2, 3), draw(6, 3, 3)]
    assert pl.to_onnx(net, tmp_path / "net.onnx", pair).fixed == []
    assert pl.to_pt2(net, tmp_path / "net.pt2", pair).fixed == []
    x = draw(6, 5, 3)
    (output,) = runtime.InferenceSession(tmp_path / "net.onnx").run(None, {"input": x})
    y = torch.export.load(tmp_path / "net.pt2").module()(torch.from_numpy(x))
    for found in (output, y.detach().numpy()):
        np.testing.assert_allclose(found, net.evaluate().forget().forward(x), rtol=0, atol=1e-5)


ADAPTIVE = {
    "divided": (nn.SpatialAdaptiveMaxPooling(3, 5), (2, 15, 9)),
    "uneven": (nn.SpatialAdaptiveMaxPooling(4, 7), (2, 13, 11)),
    "volumes": (nn.VolumetricAdaptiveMaxPooling(2, 2, 3), (2, 5, 6, 7)),
    "averages": (nn.VolumetricAdaptiveAveragePooling(2, 2, 3), (2, 5, 6, 7)),
    "frames": (nn.TemporalAdaptiveMaxPooling(3), (7, 2)),
    "largest": (nn.Sequential(nn.ReLU(), nn.TemporalDynamicKMaxPooling(3, 0.5)), (40, 2)),
}


@pytest.mark.parametrize("layer", [nn.Clamp(0, 1.5), nn.HardTanh(-0.5, 1), cudnn.ClippedReLU(1.0), dpnn.Clip(-1, 0.5)])
def test_limits_of_two_kinds(layer: nn.Module, tmp_path: Path) -> None:
    """The exporter refuses a clamp of an integer and a fraction."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    assert pl.to_onnx(layer, tmp_path / "net.onnx", (None, 4)).way == "dynamo"


@pytest.mark.parametrize("name", ADAPTIVE)
def test_windows(name: str, tmp_path: Path) -> None:
    """No exporter to ONNX has all of them."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    net, shape = ADAPTIVE[name]
    assert pl.to_onnx(net, tmp_path / "net.onnx", (None, *shape)).fixed == []
    x = draw(4, *shape)
    (output,) = runtime.InferenceSession(tmp_path / "net.onnx").run(None, {"input": x})
    np.testing.assert_allclose(output, net.forward(x), rtol=0, atol=1e-5)


@pytest.mark.parametrize("v2", [True, False])
def test_boxes(tmp_path: Path, v2: bool) -> None:
    """Windows that depend on numbers of the input: the files have them as masks, with as many boxes and cells as one likes."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")

    def drawn(count: int, boxes: int, height: int, width: int) -> list[np.ndarray]:
        rng = np.random.default_rng(boxes)
        places = np.concatenate([rng.integers(0, count, (boxes, 1)), rng.uniform(-5, 60, (boxes, 4))], 1)
        return [rng.standard_normal((count, 3, height, width)).astype(np.float32), places.astype(np.float32)]

    layer = pl.inn.ROIPooling(3, 2, 0.35)
    layer.v2 = v2
    pair = [drawn(2, 7, 9, 11), drawn(3, 9, 12, 10)]
    assert not pl.to_onnx(layer, tmp_path / "net.onnx", pair).fixed
    assert pl.to_pt2(layer, tmp_path / "net.pt2", pair).difference == 0
    session = runtime.InferenceSession(tmp_path / "net.onnx")
    for boxes in range(1, 20):
        x = drawn(boxes % 4 + 1, boxes, 5 + boxes, 25 - boxes)
        (output,) = session.run(None, {"input1": x[0], "input2": x[1]})
        np.testing.assert_array_equal(output, layer.forward(x))


class Counter(nn.Module):
    """As many sums as a number of the input says."""

    def updateOutput(self, input: np.ndarray) -> np.ndarray:
        self.output = input * 2.0 ** int(input[0, 0])
        return self.output


_COUNTED = """
def counted(x):
    for _ in range(int(x[0, 0])):
        x = x + x
    return x"""


def test_what_no_exporter_has(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops whose length is in the input are no constant of a file. One error on one line says why."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    from pytorch_legacy.bridge import registry

    monkeypatch.setitem(registry.RULES, Counter, lambda m, x, w: f"{w.helper(_COUNTED)}({x})")
    pair = [np.full((n, 3), n, np.float32) + np.eye(n, 3, dtype=np.float32) for n in (2, 3)]
    for write, name in ((pl.to_onnx, "net.onnx"), (pl.to_pt2, "net.pt2")):
        with pytest.raises(pl.bridge.Differs, match="no exporter") as caught:
            write(Counter(), tmp_path / name, pair)
        text = str(caught.value)
        assert "\x1b" not in text and "\n" not in text and "Next steps" not in text
    assert capfd.readouterr() == ("", "") and not [*tmp_path.iterdir()]


@pytest.mark.parametrize("ending", ["onnx", "pt2"])
def test_refusals(ending: str, tmp_path: Path) -> None:
    if ending == "onnx":
        pytest.importorskip("onnxruntime")
        pytest.importorskip("onnxscript")
    write = {"onnx": pl.to_onnx, "pt2": pl.to_pt2}[ending]
    with pytest.raises(pl.THNNError, match=rf"expected a name that ends in \.{ending}"):
        write(nn.Linear(3, 3), tmp_path / "net.txt", (None, 3))
    assert not [*tmp_path.iterdir()]


def summed(layer: nn.Module) -> nn.Module:
    layer.divide = False
    return layer


def planes() -> nn.Module:
    """Average pooling with ceil in all its forms, and maxima beside it."""
    return nn.ConcatTable(
        nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1).ceil(),
        nn.SpatialAveragePooling(2, 2, 2, 2).ceil(),
        nn.SpatialAveragePooling(5, 4, 4, 3, 1, 2).ceil().setCountExcludePad(),
        summed(nn.SpatialAveragePooling(3, 2, 2, 2, 1, 1).ceil()),
        pl.cudnn.SpatialAveragePooling(3, 3, 2, 2, 1, 1).ceil(),
        pl.cudnn.SpatialAveragePooling(3, 3, 2, 2, 1, 1).ceil().setCountExcludePad(),
        pl.inn.SpatialAveragePooling(3, 2, 2, 3, 1, 0),
        nn.SpatialMixedPooling(3, 3, 2, 2, 1, 1).ceil(),
        nn.SpatialGatedPooling(2, 2, 2, 2).ceil(),
        nn.SpatialPowerAveragePooling(2, 3, 3, 2, 2, 1, 1).ceil(),
        nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1),
        nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1).ceil(),
        pl.inn.SpatialMaxPooling(2, 2, 3, 3),
    )


def volumes() -> nn.Module:
    return nn.ConcatTable(
        nn.VolumetricAveragePooling(3, 3, 3, 2, 2, 2, 1, 1, 1).ceil(),
        nn.VolumetricAveragePooling(2, 2, 2, 2, 2, 2).ceil().setCountExcludePad(),
        pl.cudnn.VolumetricAveragePooling(2, 3, 3, 2, 2, 2, 0, 1, 1).ceil(),
        nn.VolumetricMaxPooling(3, 3, 3, 2, 2, 2, 1, 1, 1).ceil(),
    )


def lines() -> nn.Module:
    """Average pooling of sequences, which run as planes of height 1."""
    pools = [nn.SpatialAveragePooling(3, 1, 2, 1, 1, 0).ceil(), nn.SpatialAveragePooling(2, 1).ceil()]
    return nn.ConcatTable(*(nn.Sequential(nn.Unsqueeze(1, 2), pool, nn.Squeeze(1, 3)) for pool in pools))


def run_onnx(runtime: str, path: Path) -> Callable[[np.ndarray], list[np.ndarray]]:
    """Returns a function that runs the file in the given runtime."""
    module = pytest.importorskip(runtime, reason=f"the test needs {runtime}: pip install {runtime}")
    if runtime == "onnxruntime":
        session = module.InferenceSession(path)
        return lambda x: list(session.run(None, {"input": x}))
    core = module.Core()
    model = core.compile_model(core.read_model(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return lambda x: list(model(x).values())


RUNTIMES = ["onnxruntime", "openvino"]


@pytest.fixture(scope="module")
def pooled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[nn.Module, Path]]:
    """Networks of pooling layers and their files, with free sizes and with fixed ones."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    folder = tmp_path_factory.mktemp("pooled")
    shapes = {
        "planes": (planes, (None, 2, None, None)),
        "planes of one size": (lambda: nn.ConcatTable(*planes().modules[:3]), (2, 2, 7, 8)),
        "volumes": (volumes, (None, 2, None, None, None)),
        "lines": (lines, (None, 2, None)),
    }
    made = {}
    for name, (make, shape) in shapes.items():
        net = make().evaluate()
        assert pl.to_onnx(net, folder / f"{name}.onnx", shape).fixed == []
        made[name] = net, folder / f"{name}.onnx"
    return made


SIZES = {
    "planes": [(4, 4), (4, 7), (5, 6), (8, 5), (12, 13)],
    "planes of one size": [(7, 8)],
    "volumes": [(4, 4, 4), (5, 6, 7), (6, 5, 8)],
    "lines": [(4,), (5,), (10,)],
}


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", SIZES)
def test_pooling_with_ceil(pooled: dict[str, tuple[nn.Module, Path]], name: str, runtime: str) -> None:
    """Each runtime gives our numbers where a window reaches beyond the padding."""
    net, path = pooled[name]
    run = run_onnx(runtime, path)
    for size in SIZES[name]:
        x = draw(2, 2, *size)
        for found, expected in zip(run(x), net.forward(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", SIZES)
def test_averages_without_ceil_mode(pooled: dict[str, tuple[nn.Module, Path]], name: str) -> None:
    """Runtimes read ``ceil_mode`` of averages differently, so that no file has it."""
    onnx = pytest.importorskip("onnx")
    nodes = [node for node in onnx.load(pooled[name][1]).graph.node if node.op_type == "AveragePool"]
    assert nodes and not any(attribute.name == "ceil_mode" and attribute.i for node in nodes for attribute in node.attribute)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize(
    ("layer", "size", "row", "value"),
    [(nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1).ceil(), 4, 0, 2), (nn.SpatialAveragePooling(2, 2, 2, 2).ceil(), 5, -1, 25)],
)
def test_the_last_average(layer: nn.Module, size: int, row: int, value: float, runtime: str, tmp_path: Path) -> None:
    """A window that reaches beyond the padding is divided by the cells that it has within, so it may be that of one cell."""
    for package in ("onnxscript", runtime):
        pytest.importorskip(package, reason=f"the test needs {package}: pip install {package}")
    pl.to_onnx(layer, tmp_path / "net.onnx", (1, 1, size, size))
    x = np.arange(1, size * size + 1, dtype=np.float32).reshape(1, 1, size, size)
    found = run_onnx(runtime, tmp_path / "net.onnx")(x)[0]
    np.testing.assert_allclose(found, layer.forward(x), rtol=1e-6)
    assert found[0, 0, row, -1] == pytest.approx(value)


def test_onnx_in_openvino(tmp_path: Path) -> None:
    """Another runtime gives the network's numbers, at a size that nobody exported."""
    pytest.importorskip("onnxscript")
    net = nn.Sequential().add(nn.SpatialConvolution(3, 4, 3, 3, 1, 1, 1, 1)).add(nn.SpatialBatchNormalization(4))
    net.add(nn.ReLU(True))
    net.add(nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1).ceil()).add(nn.SpatialAveragePooling(2, 2, 2, 2)).add(nn.LogSoftMax())
    pl.to_onnx(net, tmp_path / "net.onnx", (None, 3, None, None))
    x = draw(5, 3, 19, 22)
    np.testing.assert_allclose(run_onnx("openvino", tmp_path / "net.onnx")(x)[0], net.evaluate().forward(x), rtol=0, atol=1e-5)


LARGER = {
    "averages": (lambda: nn.SpatialAveragePooling(3, 3, 2, 2).ceil(), (2, 2)),
    "averages of cells": (lambda: nn.SpatialAveragePooling(5, 5, 4, 4, 1, 1).ceil().setCountExcludePad(), (2, 2)),
    "averages of volumes": (lambda: nn.VolumetricAveragePooling(3, 3, 3, 2, 2, 2).ceil(), (2, 3, 2)),
    "padded volumes": (lambda: nn.VolumetricAveragePooling(5, 5, 5, 4, 4, 4, 1, 1, 1).ceil(), (1, 2, 2)),
    "cells of volumes": (lambda: nn.VolumetricAveragePooling(5, 5, 5, 4, 4, 4, 1, 1, 1).ceil().setCountExcludePad(), (1, 2, 2)),
    "volumes, of which no layer has sums": (lambda: summed(nn.VolumetricAveragePooling(3, 3, 3, 2, 2, 2).ceil()), (2, 3, 2)),
    "maxima": (lambda: nn.SpatialMaxPooling(3, 3, 2, 2).ceil(), (2, 2)),
    "dilated maxima": (lambda: nn.SpatialDilatedMaxPooling(2, 2, 2, 2, 0, 0, 2, 2).ceil(), (2, 2)),
    "maxima of volumes": (lambda: nn.VolumetricMaxPooling(3, 3, 3, 2, 2, 2).ceil(), (2, 3, 2)),
}


@pytest.mark.parametrize("name", LARGER)
def test_a_window_larger_than_the_plane(name: str, tmp_path: Path) -> None:
    """With ceil there may be one cell of the output for such a plane, in PyTorch and in each runtime, too."""
    pytest.importorskip("onnxscript", reason="the test needs onnxscript: pip install onnxscript")
    make, size = LARGER[name]
    layer, x = make(), draw(2, 2, *size)
    expected = layer.forward(x).copy()
    made = pl.to_torch(layer, x.shape)(torch.from_numpy(x))
    np.testing.assert_allclose(made.numpy(), expected, rtol=0, atol=1e-6)
    pl.to_onnx(layer, tmp_path / "net.onnx", x.shape)
    for runtime in RUNTIMES:
        if importlib.util.find_spec(runtime):
            np.testing.assert_allclose(run_onnx(runtime, tmp_path / "net.onnx")(x)[0], expected, rtol=0, atol=1e-6)
