"""Back from PyTorch, and training mode: both by labels."""

from __future__ import annotations

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, dpnn, inn, nn, nnx, rnn

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')

from pytorch_legacy.bridge.labels import list_arrays  # noqa: E402


def convolutional() -> nn.Sequential:
    net = nn.Sequential().add(nn.SpatialConvolution(3, 4, 3, 5)).add(nn.SpatialBatchNormalization(4)).add(nn.ReLU(True))
    net.add(nn.SpatialDepthWiseConvolution(4, 2, 3, 3)).add(nn.SpatialMaxPooling(2, 2)).add(nn.View(-1).setNumInputDims(3))
    return net.add(nn.Linear(32, 3)).add(nn.LogSoftMax())


def recurrent() -> nn.Sequential:
    net = nn.Sequential().add(rnn.SeqLSTM(3, 4)).add(rnn.SeqGRU(4, 5)).add(cudnn.GRU(5, 2, 2))
    return net.add(rnn.Sequencer(rnn.FastLSTM(2, 3))).add(rnn.Sequencer(rnn.LSTM(3, 2)))


def frames() -> nn.Sequential:
    return nn.Sequential().add(nn.TemporalConvolution(3, 4, 2)).add(nn.Tanh()).add(nn.Mean(0, 2)).add(nn.CMul(4)).add(nn.Add(4))


def reparametrized() -> nn.Sequential:
    """Weights that are computed from what learns."""
    net = nn.Sequential().add(nn.WeightNorm(nn.SpatialConvolution(3, 4, 3, 5, 1, 2, 1, 0))).add(nn.Tanh())
    net.add(dpnn.SpatialBinaryConvolution(4, 2, 3, 1, 1, 1, 1)).add(nn.View(-1).setNumInputDims(3))
    net.modules[2].weight[0, 0, 0, 0] = 0
    net.add(nn.WeightNorm(nn.Linear(80, 3))).add(nn.WeightNorm(nn.Linear(3, 24).noBias(), 1)).add(nn.View(4, 6))
    net.add(nn.WeightNorm(nn.TemporalConvolution(6, 8, 2, 1))).add(nn.View(2, 3, 4))
    net.add(nn.WeightNorm(nn.SpatialFullConvolution(2, 3, 2, 3, 2, 1, 1, 1, 1), 1)).add(
        nn.WeightNorm(nn.SpatialFullConvolution(3, 1, 2, 2))
    )
    return net.add(nn.WeightNorm(nn.SpatialConvolutionMM(1, 2, 2, 2), 1))


def tied() -> nn.Sequential:
    """A table of words that is the weight of the last layer."""
    words, scores = nn.LookupTable(7, 5), nn.Linear(5, 7)
    scores.weight, scores.gradWeight = words.weight, words.gradWeight
    return nn.Sequential().add(words).add(nn.Mean(1)).add(scores).add(nn.LogSoftMax())


def test_weights_that_are_shared_turned() -> None:
    """The decoder of an autoencoder has the encoder's weight, turned: one parameter, with the gradients of both."""
    from pytorch_legacy.bridge.labels import training_differences

    def autoencoder() -> nn.Sequential:
        encoder, decoder = nn.Linear(6, 4), nn.Linear(4, 6)
        decoder.weight, decoder.gradWeight = encoder.weight.T, encoder.gradWeight.T
        return nn.Sequential().add(encoder).add(nn.Tanh()).add(decoder)

    net = autoencoder()
    module = pl.to_torch(net, (None, 6))
    assert {*module.state_dict()} == {"fc.weight", "fc.bias", "bias"} and module.proof.whole < 1e-6
    found = training_differences(net, (None, 6))
    assert max(found["output"], found["gradInput"]) < 1e-12
    x = torch.randn(3, 6)
    module(x).square().sum().backward()
    net.zeroGradParameters()
    net.backward(x.numpy(), 2 * net.forward(x.numpy()))
    np.testing.assert_allclose(module.fc.weight.grad.numpy(), net.modules[0].gradWeight, rtol=1e-4, atol=1e-5)
    changed = pl.from_torch(
        {name: tensor + 1 for name, tensor in module.state_dict().items()}, like=autoencoder(), example=(None, 6)
    )
    np.testing.assert_allclose(changed.modules[0].weight, module.fc.weight.detach().numpy() + 1, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(changed.modules[2].weight, changed.modules[0].weight.T)


def test_shared_weights_stand_in_the_file_once(tmp_path) -> None:
    """The module that it is loaded into shares them; they go back under one name."""
    import importlib.util

    from safetensors.numpy import load_file

    net = tied()
    module = pl.to_python(net, tmp_path / "net.py", (None, 4))
    weights = load_file(tmp_path / "net.safetensors")
    assert len(weights) == 2 and sum(w.size for w in weights.values()) == 7 * 5 + 7
    spec = importlib.util.spec_from_file_location("net", tmp_path / "net.py")
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    x = torch.arange(4)[None]
    loaded = written.load()
    torch.testing.assert_close(loaded(x), module(x))
    assert len([*loaded.parameters()]) == 2
    changed = pl.from_torch({name: w + 1 for name, w in weights.items()}, like=tied(), example=(None, 4))
    np.testing.assert_allclose(changed.modules[0].weight, net.modules[0].weight + 1, rtol=0, atol=1e-6)
    np.testing.assert_allclose(changed.modules[2].weight, net.modules[2].weight + 1, rtol=0, atol=1e-6)


NETWORKS = {
    "reparametrized": (reparametrized, (None, 3, 10, 8)),
    "convolutional": (convolutional, (None, 3, 10, 8)),
    "recurrent": (recurrent, (6, None, 3)),
    "frames": (frames, (None, 7, 3)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_training(name: str) -> None:
    """In training mode outputs, all gradients and running statistics are those of our layers."""
    from pytorch_legacy.bridge.labels import training_differences

    make, example = NETWORKS[name]
    found = training_differences(make(), example)
    assert found.keys() == {"output", "gradInput", "gradParameters", "statistics"}
    assert max(found.values()) < 1e-12, found


@pytest.mark.parametrize("name", NETWORKS)
def test_there_and_back(name: str) -> None:
    """Weights that a written module learned return into a network of the same kind."""
    make, example = NETWORKS[name]
    net = make()
    module = pl.to_torch(net, example)
    with torch.no_grad():
        for parameter in (*module.parameters(), *(b for n, b in module.named_buffers() if n.endswith("running_mean"))):
            parameter.add_(torch.randn_like(parameter) * 0.1)
    x = torch.randn([2 if size is None else size for size in example])
    assert pl.from_torch(module, like=net) is net
    net.evaluate()
    np.testing.assert_allclose(net.forward(x.numpy()), module(x).detach().numpy(), rtol=0, atol=1e-5)
    other = pl.from_torch(module.state_dict(), like=make(), example=example)
    other.evaluate()
    np.testing.assert_array_equal(other.forward(x.numpy()), net.forward(x.numpy()))


def test_refusals() -> None:
    net = convolutional()
    before = [parameter.copy() for parameter in net.parameters()[0]]
    module = pl.to_torch(net, (None, 3, 10, 8))
    state = module.state_dict()
    with pytest.raises(pl.THNNError, match=r"not in the state dict: fc\.weight"):
        pl.from_torch({k: v for k, v in state.items() if k != "fc.weight"}, like=net, example=module.example)
    with pytest.raises(pl.THNNError, match=r"fc\.weight: expected the shape"):
        pl.from_torch(state | {"fc.weight": torch.zeros(2, 2)}, like=net, example=module.example)
    folded = nn.WeightNorm(nn.TemporalRowConvolution(3, 1))
    with pytest.raises(pl.THNNError, match="is computed from the network's parameters"):
        pl.from_torch(pl.to_torch(folded, (None, 4, 3)), like=folded)
    assert all(np.array_equal(a, b) for a, b in zip(before, net.parameters()[0], strict=True))


def scaled() -> nn.Module:
    layer = nn.MulConstant(1.0)
    layer.constant_scalar = np.float32([1, 2, 3])
    return layer


def half_affine() -> nn.Module:
    net = nn.BatchNormalization(3)
    net.weight = net.gradWeight = None
    return net


# A network, its example, and the name of a constant in the state dict of its module.
CONSTANTS = {
    "grid": (lambda: authors.AffineGridGeneratorBHWD(3, 4), (None, 2, 3), "grid"),
    "kernel": (lambda: nn.SpatialSubtractiveNormalization(2, np.ones((3, 3))), (None, 2, 5, 6), "kernel"),
    "mean": (lambda: inn.MeanSubtraction(np.float32([1, 2, 3])), (None, 3, 4, 5), "mean"),
    "constant": (lambda: nn.Constant(np.float32([1, 2]), 1), (None, 4), "constant"),
    "table": (scaled, (None, 3), "scale"),
    "connected planes": (lambda: nn.SpatialConvolutionMap(nn.tables.oneToOne(3), 2, 2), (None, 3, 4, 5), "rows"),
    "ways of a tree": (
        lambda: nnx.SoftMaxTree(4, {1: np.array([2, 3]), 2: np.array([4, 5])}, 1),
        [[np.zeros((n, 4), np.float32), np.full(n, 3)] for n in (2, 3)],
        "ways",
    ),
    "part": (lambda: nn.PartialLinear(4, 3).setPartition([0, 2]), (None, 4), "partition"),
    "no weight": (half_affine, (None, 3), "bn.weight"),
    "padding": (lambda: rnn.LookupTableMaskZero(4, 3), (None, 2), "embed.weight"),
    "weights of classes": (lambda: nn.ClassNLLCriterion(np.float32([1, 2, 3])), None, "weights"),
    "beside steps": (lambda: rnn.Sequencer(nn.Sequential(rnn.GRU(3, 3), scaled())), (3, None, 3), "scale"),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name: str) -> None:
    """Constants of a state dict are compared with those of the network; other ones are refused, and nothing is changed."""
    make, example, key = CONSTANTS[name]
    net = make()
    state = pl.to_torch(net, example).state_dict()
    before = [array.copy() for array in list_arrays(net)]
    pl.from_torch(state, like=net, example=example)
    pl.from_torch({k: v.double() if v.is_floating_point() else v for k, v in state.items()}, like=net, example=example)
    changed = state | {k: v + 1 for k, v in state.items()}
    with pytest.raises(pl.THNNError, match=f"{key}: a constant of the network: expected .* got"):
        pl.from_torch(changed, like=net, example=example)
    for other in (torch.zeros_like(state[key]) + 7, torch.full_like(state[key], 7)):
        with pytest.raises(pl.THNNError, match=f"from_torch: {key}: a constant"):
            pl.from_torch(state | {key: other}, like=net, example=example)
    with pytest.raises(pl.THNNError, match=f"{key}: expected the shape"):
        pl.from_torch(state | {key: state[key][..., None]}, like=net, example=example)
    assert all(np.array_equal(a, b) for a, b in zip(before, list_arrays(net), strict=True))


def test_a_criterion_with_a_module() -> None:
    """Weights that the module of a criterion learned return."""
    criterion = nn.ModuleCriterion(nn.MSECriterion(), nn.Linear(5, 5))
    module = pl.to_torch(criterion)
    with torch.no_grad():
        module.fc.bias += 1
    before = criterion.inputModule.bias.copy()
    pl.from_torch(module.state_dict(), like=criterion)
    np.testing.assert_allclose(criterion.inputModule.bias, before + 1, rtol=1e-6)


def test_what_the_network_has_not() -> None:
    """An entry that the network has no place for is named, and nothing is changed."""
    net = nn.Linear(3, 2)
    state = pl.to_torch(net, (None, 3)).state_dict()
    with pytest.raises(pl.THNNError, match=r"^from_torch: not in the network: fc2\.bias, fc2\.weight$"):
        pl.from_torch(state | {"fc2.weight": torch.zeros(2, 2), "fc2.bias": torch.zeros(2)}, like=net, example=(None, 3))


def test_two_biases() -> None:
    """PyTorch's LSTM has a second bias, which does not learn; a file where it learned gives the sum of both."""
    net = rnn.SeqLSTM(3, 4)
    module = pl.to_torch(net, (5, None, 3))
    assert [name for name, p in module.named_parameters() if not p.requires_grad] == ["lstm.bias_hh_l0"]
    assert "self.lstm.bias_hh_l0.requires_grad_(False)  # constant" in module.source
    module.lstm.bias_hh_l0.add_(torch.randn(16))
    x = torch.randn(5, 2, 3)
    np.testing.assert_allclose(pl.from_torch(module, like=net).forward(x.numpy()), module(x).detach(), rtol=0, atol=1e-6)


def test_numbers_that_are_not_finite_go_back() -> None:
    """A network that diverged in PyTorch has its NaN here, too."""
    net = nn.Linear(3, 2)
    state = pl.to_torch(net, (None, 3)).state_dict()
    state["fc.weight"][0] = torch.tensor([float("nan"), float("inf"), 1])
    pl.from_torch(state, like=net, example=(None, 3))
    np.testing.assert_array_equal(net.weight[0], [np.nan, np.inf, 1])


def test_entries_of_other_types() -> None:
    net = nn.Linear(3, 2)
    state = pl.to_torch(net, (None, 3)).state_dict()
    halves = {name: tensor.bfloat16() for name, tensor in state.items()}
    pl.from_torch(halves, like=net, example=(None, 3))
    np.testing.assert_array_equal(net.weight, halves["fc.weight"].float().numpy())
    for wrong in (torch.zeros(2, 3, dtype=torch.complex64), np.array([["a"] * 3] * 2)):
        with pytest.raises(pl.THNNError, match=r"fc\.weight: expected numbers, got"):
            pl.from_torch(state | {"fc.weight": wrong}, like=net, example=(None, 3))
