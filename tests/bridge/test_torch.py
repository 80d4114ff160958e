"""The module and the file that come out: what they are called, what they share, what they need, and what is refused."""

from __future__ import annotations

import copy
import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, nn, rnn

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


def network() -> nn.Sequential:
    net = nn.Sequential().add(nn.SpatialConvolution(3, 4, 3, 5, 1, 1, 1, 2)).add(nn.ReLU(True))
    net[0].name = "conv1_1"  # as loadcaffe names modules
    net.add(nn.SpatialConvolution(4, 2, 1, 1)).add(nn.SpatialBatchNormalization(2)).add(nn.SpatialMaxPooling(2, 2).ceil())
    return net.add(nn.View(-1).setNumInputDims(3)).add(nn.Linear(2 * 3 * 4, 5))


def test_text() -> None:
    source = pl.to_torch(network(), (None, 3, 5, 7)).source
    for line in (
        "self.conv1 = nn.Conv2d(3, 4, (5, 3), padding=(2, 1))  # 1 conv1_1",
        "self.conv2 = nn.Conv2d(4, 2, 1)  # 3",
        "self.bn = nn.BatchNorm2d(2)  # 4",
        "self.fc = nn.Linear(24, 5)  # 7",
        "x = F.max_pool2d(x, 2, ceil_mode=True)",
        "x = torch.flatten(x, 1)",
        "Takes (N, 3, 5, 7), gives (N, 5).",
    ):
        assert line in source


def test_module_is_its_own() -> None:
    """Its weights are copies, any batch will do, the network is as it was, and nobody's random numbers are used up."""
    net, x = network(), np.random.default_rng(0).standard_normal((9, 3, 5, 7)).astype(np.float32)
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    module = pl.to_torch(net, (None, 3, 5, 7))
    assert torch.equal(torch.rand(1), expected)
    assert net.train and not module.training
    before = [parameter.copy() for parameter in net.parameters()[0]]
    for parameter in module.parameters():
        parameter.data.zero_()
    assert all(np.array_equal(a, b) for a, b in zip(before, net.parameters()[0], strict=True))
    module = pl.to_torch(net, (None, 3, 5, 7))
    net.evaluate()
    np.testing.assert_allclose(module(torch.from_numpy(x)).detach().numpy(), net.forward(x), rtol=0, atol=1e-5)


def test_file_stands_alone(tmp_path: Path) -> None:
    """The written file runs where this package is not."""
    net, x = network().double(), np.random.default_rng(0).standard_normal((2, 3, 5, 7))
    pl.to_python(net, tmp_path / "net.py", (None, 3, 5, 7))
    np.save(tmp_path / "x.npy", x)
    text = (
        'import net, numpy, torch; y = net.load()(torch.from_numpy(numpy.load("x.npy"))); numpy.save("y.npy", y.detach().numpy())'
    )
    code = f'import sys; sys.modules["pytorch_legacy"] = None; {text}'
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, env={"PYTHONDONTWRITEBYTECODE": "1"})
    net.evaluate()
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), net.forward(x), rtol=0, atol=1e-12)


def test_shared_weights_stay_shared() -> None:
    """A clone with the same weights, and one bias in layers of two kinds."""
    linear = nn.Linear(4, 4)
    siamese = nn.ParallelTable().add(linear).add(linear.clone("weight", "bias"))
    module = pl.to_torch(siamese, ((None, 4),) * 2)
    assert [*module.state_dict()] == ["fc.weight", "fc.bias"]
    unlike = nn.ParallelTable().add(nn.Linear(3, 3)).add(nn.Bilinear(3, 3, 3))
    unlike.modules[1].bias = unlike.modules[0].bias
    module = pl.to_torch(unlike, ((None, 3), ((None, 3), (None, 3))))
    assert module.bilinear.bias is module.fc.bias


def test_a_shared_slice_is_told(tmp_path: Path) -> None:
    """A slice of another parameter becomes a parameter of its own; text, proof and command say so."""
    whole, part, apart = nn.Linear(4, 6), nn.Linear(4, 3), nn.Linear(4, 3)
    part.weight, part.gradWeight = whole.weight[1:4], whole.gradWeight[1:4]
    part.bias, part.gradBias = whole.bias[::2], whole.gradBias[::2]
    apart.bias, apart.gradBias = whole.bias[1::2], whole.gradBias[1::2]  # these share no number with the other slice
    net = nn.Sequential(nn.ConcatTable(whole, part, apart), nn.JoinTable(1))
    module = pl.to_torch(net, (None, 4))
    pairs = [{"fc1.weight", "fc2.weight"}, {"fc1.bias", "fc2.bias"}, {"fc1.bias", "fc3.bias"}]
    assert len(module.proof.untied) == 3 and all({*pair} in pairs for pair in module.proof.untied)
    assert "LEARNS OTHERWISE: " in module.source and "shares memory with" in str(module.proof)
    pl.save(tmp_path / "net.t7", net)
    command = [sys.executable, "-m", "pytorch_legacy", "convert", tmp_path / "net.t7", tmp_path / "net.py", "--input", "Nx4"]
    assert "but is trained separately in PyTorch" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
    net.getParameters()  # neighbours in one vector are no parts of each other
    assert len(pl.to_torch(net, (None, 4)).proof.untied) == 3
    assert pl.to_torch(network(), (None, 3, 5, 7)).proof.untied == []


def test_places_of_a_grid_are_the_network_s_own() -> None:
    """A grid that was made in single precision is no other one in double precision."""
    grid = authors.AffineGridGeneratorBHWD(20, 23).double()
    assert pl.to_torch(grid, (None, 2, 3)).proof.whole < 1e-14
    assert pl.to_torch(grid, (2, 3)).proof.whole < 1e-14


def test_what_nobody_reads_stays_behind() -> None:
    """The weights before a constant, and those of a part that a table leaves out; the others are numbered anew, and go back."""
    fixed = nn.Sequential().add(nn.Linear(4, 7)).add(nn.Constant(np.arange(2, dtype=np.float32), 1))
    dead = nn.Sequential().add(rnn.Sequencer(rnn.GRU(4, 3))).add(nn.Select(1, 0))
    heads = nn.ConcatTable().add(nn.Linear(4, 3)).add(nn.Linear(4, 2)).add(fixed)
    net = nn.Sequential().add(nn.ConcatTable().add(dead).add(nn.Select(0, 0))).add(nn.SelectTable(1))
    net.add(heads).add(nn.NarrowTable(1, 2)).add(nn.CAddTable())
    module = pl.to_torch(net, (3, None, 4))
    assert [*module.state_dict()] == ["constant", "fc.weight", "fc.bias"]
    assert "run_steps" not in module.source and "GRU" not in module.source
    before = [parameter.copy() for parameter in net.parameters()[0]]
    module.fc.bias.data += 1
    pl.from_torch(module, like=net)
    changed = [not np.array_equal(a, b) for a, b in zip(before, net.parameters()[0], strict=True)]
    assert sum(changed) == 1
    np.testing.assert_allclose(heads.modules[1].bias, module.fc.bias.detach().numpy())


def test_what_shares_with_the_unread_is_shared_still() -> None:
    """Two layers of other kinds keep the parameter that they share with a third one, which is left out."""
    dead, one, other = nn.Linear(3, 3), nn.Linear(3, 3), nn.Bilinear(3, 3, 3)
    one.bias, other.bias = dead.bias, dead.bias
    parts = nn.ConcatTable().add(dead).add(one).add(nn.Sequential().add(nn.ConcatTable().add(one).add(one)).add(other))
    net = nn.Sequential().add(parts).add(nn.NarrowTable(1, 2))
    module = pl.to_torch(net, (None, 3))
    assert [*module._modules] == ["fc", "bilinear"]
    assert module.bilinear.bias is module.fc.bias


def precise(*modules: nn.Module) -> nn.DontCast:
    return nn.DontCast(nn.Sequential(*modules).double(), True, True)


def test_two_precisions(tmp_path: Path) -> None:
    """Each part has its own, what is shared stands in the file once; in steps, too. The file goes back."""
    import importlib.util

    from safetensors.numpy import load_file

    one, two, last = nn.Linear(4, 4), nn.Linear(4, 4).double(), nn.Linear(4, 4)
    last.weight, last.gradWeight = one.weight, one.gradWeight
    tied = nn.Linear(4, 4).double()
    tied.weight, tied.gradWeight = two.weight, two.gradWeight
    steps = [rnn.Sequencer(rnn.GRU(4, 4)) for _ in range(2)]
    net = nn.Sequential(one, last, precise(two, tied), nn.Replicate(3), steps[0], precise(steps[1])).float()
    module = pl.to_python(net, tmp_path / "net.py", (None, 4))
    weights = load_file(tmp_path / "net.safetensors")
    assert sum(array.size for array in weights.values()) == sum(array.size for array in net.parameters()[0]) - 2 * 16
    assert {array.dtype.name for array in weights.values()} == {"float32", "float64"}
    spec = importlib.util.spec_from_file_location("net", tmp_path / "net.py")
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    loaded, x = written.load(), torch.randn(5, 4)
    assert torch.equal(loaded(x), module(x))
    assert loaded.fc2.weight is loaded.fc1.weight and loaded.fc4.weight is loaded.fc3.weight
    changed = pl.from_torch({name: array + 1 for name, array in weights.items()}, like=copy.deepcopy(net), example=(None, 4))
    for ours, before in zip(changed.parameters()[0], net.parameters()[0], strict=True):
        assert ours.dtype == before.dtype
        np.testing.assert_allclose(ours, before + 1, rtol=0, atol=1e-6)


def test_layers_in_place_are_seen_by_all() -> None:
    """Whoever holds the input of a layer in place sees its output, before it or after."""
    for table in (nn.ConcatTable().add(nn.Identity()).add(nn.ReLU(True)), nn.ConcatTable().add(nn.ReLU(True)).add(nn.Identity())):
        net = nn.Sequential().add(nn.Linear(4, 4)).add(table).add(nn.CSubTable())
        assert pl.to_torch(net, (None, 4)).proof.whole == 0


def test_sizes_that_vary() -> None:
    """A shape with several None, two inputs of two sizes, and a table of shapes."""
    net = nn.Sequential().add(nn.SpatialConvolution(1, 2, 3, 3, 2, 2)).add(nn.SpatialConvolution(2, 1, 9, 9))
    x = np.random.default_rng(0).standard_normal((1, 1, 40, 51)).astype(np.float32)
    y = pl.to_torch(net, (None, 1, None, None))(torch.from_numpy(x))
    np.testing.assert_allclose(y.detach().numpy(), net.forward(x), rtol=0, atol=1e-5)
    pair = [[np.ones((n, 3), np.float32), np.ones((n, 2), np.float32)] for n in (2, 5)]
    joined = nn.JoinTable(1)
    for example in (pair, ((None, 3), (None, 2))):
        assert pl.to_torch(joined, example)(torch.ones(7, 3), torch.ones(7, 2)).shape == (7, 5)


def branches() -> nn.Module:
    """Outputs that are as large as each other, or smaller by one, by whether the input is even."""
    return nn.DepthConcat(1).add(nn.SpatialConvolution(2, 3, 2, 2, 2, 2)).add(nn.SpatialConvolution(2, 4, 3, 3, 2, 2, 1, 1))


def doubled() -> nn.Module:
    """A network that takes even sizes alone."""
    inner = nn.Sequential(nn.SpatialMaxPooling(2, 2), nn.SpatialUpSamplingNearest(2))
    return nn.Sequential(nn.ConcatTable(nn.Identity(), inner), nn.JoinTable(1))


@pytest.mark.parametrize("make, sizes", [(branches, [(8, 9), (9, 8), (5, 5), (6, 6)]), (doubled, [(2, 6), (10, 4)])])
def test_odd_and_even_sizes(make: Callable[[], nn.Module], sizes: list[tuple[int, int]]) -> None:
    net = make()
    module = pl.to_torch(net, (None, 2, None, None))
    for height, width in sizes:
        x = np.random.default_rng(0).standard_normal((2, 2, height, width)).astype(np.float32)
        np.testing.assert_allclose(module(torch.from_numpy(x)).detach().numpy(), net.forward(x), rtol=0, atol=1e-6)


class Strange(nn.Module):
    """A class that the bridge has never heard of."""

    _typename = "nn.Strange"

    def updateOutput(self, input: np.ndarray) -> np.ndarray:
        return input


def test_refusals(tmp_path: Path) -> None:
    net = nn.Sequential().add(nn.Linear(3, 3)).add(nn.Sequential().add(Strange()))
    with pytest.raises(pl.bridge.NoRule, match=r"^2\.1 \(nn.Strange\), there is no rule"):
        pl.to_torch(net, (None, 3))
    with pytest.raises(pl.THNNError, match=r"1 .*nn.Linear.*expected 3 columns"):
        pl.to_torch(net, (None, 4))
    with pytest.raises(pl.bridge.NoRule, match=r"nn\.Parallel: the number of slices varies"):
        pl.to_torch(nn.Parallel(1, 1, nn.Linear(3, 2), nn.Linear(3, 4)), (2, None, 3))
    with pytest.raises(pl.THNNError, match="example: expected a shape"):
        pl.to_torch(net, "2x3")
    with pytest.raises(pl.THNNError, match="net: expected a module"):
        pl.to_torch([net], (None, 3))
    with pytest.raises(pl.THNNError, match=r"ends in \.py"):
        pl.to_python(nn.Linear(3, 3), tmp_path / "net.txt", (None, 3))
    assert not [*tmp_path.iterdir()]


def test_difference_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A layer that computes something else is named, and nothing is written but by force."""
    net = nn.Sequential().add(nn.Linear(3, 3)).add(nn.Tanh())
    monkeypatch.setattr(nn.Tanh, "updateOutput", lambda self, input: input * 0.5)
    with pytest.raises(pl.bridge.Differs, match=r"^2 \(nn.Tanh\)"):
        pl.to_python(net, tmp_path / "net.py", (None, 3))
    assert not [*tmp_path.iterdir()]
    module = pl.to_python(net, tmp_path / "net.py", (None, 3), force=True)
    assert "IT DIFFERS from the old network: 2 (nn.Tanh)" in (tmp_path / "net.py").read_text()
    assert module.proof.worst.place == "2"


def test_frames_of_equal_size() -> None:
    """Behind a ReLU many frames are zero: of equal ones the first stays, whatever PyTorch's topk takes."""
    net = nn.Sequential(nn.ReLU(), nn.TemporalDynamicKMaxPooling(3, 0.5))
    x = np.round(np.random.default_rng(0).standard_normal((5, 40, 7)), 1).astype(np.float32)
    module = pl.to_torch(net, (None, 40, 7))
    np.testing.assert_array_equal(module(torch.from_numpy(x)).numpy(), net.forward(x))


def test_a_size_that_is_the_batch_by_chance() -> None:
    """A quarter of the frames is as long as the batch in both examples; the text takes frames of any number."""
    net = nn.Sequential(nn.View(1, 4, -1).setNumInputDims(2))
    x = np.random.default_rng(0).standard_normal((5, 16, 2)).astype(np.float32)
    module = pl.to_torch(net, [x[:2, :4], x[:3, :6]])
    np.testing.assert_array_equal(module(torch.from_numpy(x)).numpy(), net.forward(x))


@pytest.mark.parametrize("name", ["SoftMax", "LogSoftMax", "SpatialSoftMax", "SpatialLogSoftMax", "VolumetricSoftMax"])
def test_softmax_of_cudnn(name: str) -> None:
    """Over channels, or over channels and places together, for samples and batches."""
    for mode in ("CUDNN_SOFTMAX_MODE_INSTANCE", "CUDNN_SOFTMAX_MODE_CHANNEL"):
        layer = getattr(cudnn, name)()
        layer.mode = mode
        places = (2, 3, 4) if name.startswith("Vol") else (3, 4)
        for shape in ((5,), (None, 5), (3, *places), (None, 3, *places)):
            assert pl.to_torch(layer, shape).proof.whole < 1e-6, (mode, shape)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Squeeze(1), (None, None, 4)),
        (nn.Squeeze(-1), (None, None, None)),
        (nn.Squeeze(), (3, None, None)),
        (nn.Squeeze(), (1, None)),
        (nn.Squeeze(numInputDims=2), (None, None, 4)),
        (nn.Squeeze(0, 2), (None, None, 4)),
    ],
)
def test_sizes_that_may_become_one(layer: nn.Module, shape: Any) -> None:
    """A layer that drops dimensions of size 1 drops dynamic ones, too; a batch stays."""
    module = pl.to_torch(layer, shape)
    for sizes in itertools.product((1, 3, 4), repeat=shape.count(None)):
        free = iter(sizes)
        x = np.ones([next(free) if size is None else size for size in shape], np.float32)
        assert module(torch.from_numpy(x)).shape == layer.forward(x).shape
    batch = pl.to_torch(nn.Squeeze(), (None, 4, None))
    assert [batch(torch.ones(n, 4, k)).shape for n, k in ((1, 3), (1, 1), (3, 1))] == [(1, 4, 3), (1, 4), (3, 4)]


def test_shapes_of_a_table_are_a_tuple() -> None:
    parts = nn.ParallelTable(nn.Linear(10, 4), nn.ParallelTable(nn.Linear(5, 4), nn.Linear(3, 4)))
    net = nn.Sequential(parts, nn.FlattenTable(), nn.CAddTable())
    shapes = ((None, 10), ((None, 5), (None, 3)))
    assert pl.to_torch(net, shapes).proof.whole < 1e-5
    with pytest.raises(pl.errors.DtypeError, match="expected a tuple for the shapes of a table"):
        pl.to_torch(net, [*shapes])
