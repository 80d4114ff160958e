"""A torch.nn.Sequential becomes a network that pl.save writes: the same numbers after saving and loading."""

from __future__ import annotations

import numpy as np
import pytest

import pytorch_legacy as pl

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')
t = torch.nn

NETWORKS = {
    "picture": (
        lambda: [
            t.ZeroPad2d((1, 0, 2, 1)), t.Conv2d(4, 6, (3, 2), (2, 1), (1, 0), bias=False), t.BatchNorm2d(6),
            t.ReLU(inplace=True),
            t.Conv2d(6, 6, 3, padding="same", groups=6), t.Conv2d(6, 4, 3, groups=2), t.PReLU(4),
            t.Conv2d(4, 4, 3, dilation=(1, 2)),
            t.Sequential(t.MaxPool2d((3, 2), 2, 1, ceil_mode=True), t.SiLU()), t.ConvTranspose2d(4, 3, (2, 3), 2, 1, (1, 0)),
            t.Dropout2d(0.3), t.AvgPool2d(3, 2, 1, count_include_pad=False), t.Upsample(scale_factor=2), t.ReflectionPad2d(1),
            t.AdaptiveAvgPool2d((3, 2)), t.Flatten(), t.Linear(18, 5), t.BatchNorm1d(5), t.Softplus(2), t.LogSoftmax(1),
        ],
        (3, 4, 19, 23),
    ),
    "line": (
        lambda: [
            t.Conv1d(3, 4, 3, 2, 1), t.BatchNorm1d(4), t.MaxPool1d(3, 2, 1),
            t.ConvTranspose1d(4, 2, 3, bias=False), t.AvgPool1d(2),
            t.Hardtanh(-0.5, 0.5), t.AdaptiveMaxPool1d(3), t.Flatten(), t.Linear(6, 2), t.Softmax(dim=-1),
        ],
        (2, 3, 20),
    ),
    "volume": (
        lambda: [
            t.Conv3d(2, 3, (3, 2, 1)), t.BatchNorm3d(3), t.ELU(), t.MaxPool3d(2),
            t.ConvTranspose3d(3, 2, 2), t.AvgPool3d((2, 2, 1)),
            t.AdaptiveAvgPool3d(1), t.Flatten(), t.Linear(2, 2),
        ],
        (2, 2, 6, 7, 5),
    ),
    "line_stretched": (
        lambda: [
            t.ReLU(), t.Upsample(scale_factor=2), t.Conv1d(3, 4, 3), t.Tanh(),
            t.Upsample(scale_factor=3, mode="linear", align_corners=True),
        ],
        (2, 3, 7),
    ),
    "pictures_stretched": (
        lambda: [
            t.Conv2d(3, 2, 3), t.UpsamplingNearest2d(scale_factor=2), t.UpsamplingBilinear2d(scale_factor=2),
            t.Softmax2d(),
        ],
        (2, 3, 6, 8),
    ),
    "line_normalized": (lambda: [t.Sequential(t.BatchNorm1d(3), t.ReLU()), t.Conv1d(3, 4, 3)], (2, 3, 7)),
    "rows": (lambda: [t.Sequential(t.BatchNorm1d(3), t.ReLU()), t.Linear(3, 4)], (2, 3)),
    "style": (
        lambda: [
            t.Conv2d(3, 4, 3), t.InstanceNorm2d(4, affine=True, eps=1e-3), t.ReLU(), t.LPPool2d(2, (3, 2), 2), t.SELU(),
            t.InstanceNorm2d(4), t.LocalResponseNorm(3, 0.1, 0.7, 1.5), t.LPPool2d(4, 2, ceil_mode=True),
            t.LayerNorm([4, 2, 3], eps=0.1), t.Flatten(), t.LayerNorm(24), t.Linear(24, 6),
            t.Unflatten(1, (2, 3)), t.LayerNorm(3, eps=0.01, bias=False), t.Unflatten(-1, (3, 1)),
        ],
        (3, 3, 10, 12),
    ),
    "generator": (
        lambda: [
            t.Linear(5, 24), t.LayerNorm(24, elementwise_affine=False), t.Unflatten(-1, (4, -1)), t.InstanceNorm1d(4),
            t.Sigmoid(), t.LPPool1d(3, 2), t.Unflatten(1, (2, 2)), t.Conv2d(2, 3, 2), t.InstanceNorm2d(3),
        ],
        (4, 5),
    ),
    "volume_of_norms": (lambda: [t.Conv3d(1, 2, 2), t.Sigmoid(), t.LPPool3d(3, 2, 1)], (2, 1, 5, 4, 6)),
    "long_rows": (lambda: [t.LayerNorm(6), t.Tanh(), t.LayerNorm(6, 0.1)], (3, 5, 6)),
    "flat": (lambda: [t.Flatten(), t.Linear(12, 4), t.Tanh(), t.Dropout(), t.Linear(4, 3)], (2, 3, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("double", [False, True])
def test_the_same_numbers(name: str, double: bool, tmp_path) -> None:
    torch.manual_seed(0)
    make, shape = NETWORKS[name]
    module = t.Sequential(*make()).train(name != "flat")
    module = module.double() if double else module
    x = torch.randn(shape, dtype=torch.float64 if double else torch.float32)
    module(x)  # running statistics move
    module.eval()
    pl.save(tmp_path / "net.t7", pl.from_torch(module))
    net = pl.load(tmp_path / "net.t7")
    with torch.no_grad():
        expected = module(x).numpy()
    found = net.forward(x.numpy())
    assert found.dtype == expected.dtype and not net.train
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 if double else 1e-5)
    single = net.forward(x.numpy()[:1])  # a batch of one stays a batch
    np.testing.assert_allclose(single, expected[:1], rtol=0, atol=1e-12 if double else 1e-5)


def test_words() -> None:
    module = t.Sequential(t.Embedding(7, 4, padding_idx=0), t.Linear(4, 3), t.Softmax(dim=-1))
    words = np.array([[0, 3, 6], [1, 2, 5]])
    np.testing.assert_allclose(
        pl.from_torch(module).forward(words), module(torch.from_numpy(words)).detach().numpy(), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (t.GELU(), r"1\.0 \(GELU\): Torch7 has no layer"),
        (t.Conv2d(2, 2, 3, padding=1, padding_mode="reflect"), "no padding but zeros"),
        (t.Conv2d(2, 2, 2, padding="same"), "the same padding on both sides"),
        (t.Conv2d(2, 2, 3, groups=2, dilation=2), "no dilation here"),
        (t.Softmax(0), "the dimension of classes"),
        (t.Upsample(scale_factor=2, mode="bilinear"), "align_corners"),
        (t.BatchNorm2d(2, track_running_stats=False), "running statistics"),
        (t.InstanceNorm2d(2, track_running_stats=True), "no running statistics; write a class of your own"),
        (t.LocalResponseNorm(4), "an odd number of planes"),
        (t.LayerNorm([2, 3]), "to know that a sample has 2 dimensions"),
        (t.LPPool2d(float("inf"), 2), "finite norms"),
        (t.Unflatten(1, (2, 2)), "to know the rank of its input"),
    ],
)
def test_what_torch7_lacks(layer, text: str) -> None:
    with pytest.raises(pl.THNNError, match=text):
        pl.from_torch(t.Sequential(t.ReLU(), t.Sequential(layer)))


def test_no_sequential() -> None:
    with pytest.raises(pl.THNNError, match=r"expected a torch\.nn\.Sequential of common layers, got LSTM"):
        pl.from_torch(t.LSTM(2, 3))
    with pytest.raises(pl.THNNError, match="got dict"):
        pl.from_torch({"0.weight": torch.zeros(2, 2)})


def test_losses() -> None:
    """They are not converted; the error names the criterion, and says how it differs."""
    with pytest.raises(pl.THNNError, match=r"BCELoss: losses are not converted; .* nn\.BCECriterion, which differs: .* 27\.6 "):
        pl.from_torch(t.BCELoss())
    with pytest.raises(pl.THNNError, match=r"1 \(BCELoss\): a loss is no layer .* which differs"):
        pl.from_torch(t.Sequential(t.Sigmoid(), t.BCELoss()))
    with pytest.raises(pl.THNNError, match=r"nearest criterion is nn\.MSECriterion$"):
        pl.from_torch(t.MSELoss())
    with pytest.raises(pl.THNNError, match="no criterion for this class that is known here"):
        pl.from_torch(t.CTCLoss())


def test_a_layer_that_stands_twice() -> None:
    """It runs twice, and its weights are one."""
    layer, relu = t.Linear(3, 3), t.ReLU()
    module = t.Sequential(layer, relu, layer, relu, t.Sequential(t.BatchNorm1d(3), layer)).eval()
    net = pl.from_torch(module)
    x = torch.randn(2, 3)
    np.testing.assert_allclose(net.forward(x.numpy()), module(x).detach().numpy(), rtol=0, atol=1e-6)
    assert np.shares_memory(net.get(0).weight, net.get(2).weight) and net.get(0) is not net.get(2)
