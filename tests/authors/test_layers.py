"""Layers that authors wrote, against their definitions."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, nn, t7
from pytorch_legacy.errors import ShapeError, UnsupportedError
from pytorch_legacy.files.classes import _registered


def draw(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def reloaded(typename: str, fields: dict[str, Any], version: int = 1, header: Any = None) -> Any:
    file = io.BytesIO()
    t7.write(file, t7.TorchObject(typename, version, fields, header))
    return pl.load(file.getvalue())


@pytest.mark.parametrize(
    "net, shape",
    [
        (lambda: authors.InstanceNormalization(3), (2, 3, 3, 2)),
        (lambda: authors.InstanceNormalization(3), (3, 3, 2)),
        (lambda: authors.ShaveImage(1), (2, 2, 4, 5)),
        (lambda: authors.GramMatrix(), (3, 2, 4)),
        (lambda: authors.GramMatrix(), (2, 3, 2, 2)),
        (lambda: authors.SpatialSymmetricPadding(1, 2, 0, 3), (1, 2, 3, 4)),
        (lambda: authors.SpatialSymmetricPadding(-1, 2, 1, -1), (1, 2, 3, 4)),
        (lambda: authors.SpatialConstDiagonal(3), (2, 3, 2, 2)),
        (lambda: authors.FeatExpander(3), (2, 4)),
        (lambda: authors.L2Normalize(), (3, 4)),
        (lambda: authors.Rectifier(), (3, 4)),
        (lambda: authors.W2nnLeakyReLU(0.2), (3, 4)),
        (lambda: authors.SpatialDeconvolution(2, 3, 2, 2), (1, 2, 3, 3)),
        (lambda: authors.SpatialCrossLRN(3), (4, 2, 2)),
        (lambda: authors.FbnnSpatialBatchNormalization(2), (2, 2, 2, 2)),
        (lambda: authors.AffineGridGeneratorBHWD(3, 4), (2, 2, 3)),
        (lambda: authors.AffineGridGeneratorBHWD(3, 4), (2, 3)),
        (lambda: authors.AffineTransformMatrixGenerator(), (2, 6)),
        (lambda: authors.AffineTransformMatrixGenerator(True), (2, 1)),
        (lambda: authors.AffineTransformMatrixGenerator(True, False, True), (3,)),
        (lambda: authors.AffineTransformMatrixGenerator(True, True, True), (2, 4)),
        (lambda: authors.AffineTransformMatrixGenerator(False, True, False), (2, 1)),
    ],
)
def test_gradients(net: Any, shape: tuple[int, ...]) -> None:
    module, input = net().double(), draw(*shape)
    assert pl.nn.Jacobian.testJacobian(module, input) < 1e-6
    if isinstance(module, authors.InstanceNormalization):
        for name in ("weight", "bias"):
            parameter, gradient = getattr(module, name), getattr(module, f"grad{name.title()}")
            assert pl.nn.Jacobian.testJacobianParameters(module, input, parameter, gradient) < 1e-6


def by_differences(module: Any, input: list[Any], g: Any) -> list[Any]:
    """The gradients of a table of arrays."""
    steps = [np.zeros_like(array) for array in input]
    for k, array in enumerate(input):
        for place in np.ndindex(array.shape):
            for sign in (1, -1):
                moved = [entry.copy() for entry in input]
                moved[k][place] += sign * 1e-6
                steps[k][place] += sign * (module.forward(moved) * g).sum() / 2e-6
    return steps


@pytest.mark.parametrize(
    "net, shapes",
    [
        (lambda: authors.AdaptiveInstanceNormalization(2), [(2, 2, 3, 2), (2, 2, 2, 3)]),
        (lambda: authors.AdaptiveInstanceNormalization(2), [(2, 3, 2), (2, 2, 2)]),
        (lambda: authors.BilinearSamplerBHWD(), [(2, 4, 5, 2), (2, 3, 2, 2)]),
        (lambda: authors.BilinearSamplerBHWD(), [(4, 5, 2), (3, 2, 2)]),
        (lambda: authors.ScaleTable(), [(2, 3, 2, 2), (2, 3, 1, 1)]),
    ],
)
def test_gradients_of_tables(net: Any, shapes: list[tuple[int, ...]]) -> None:
    module = net().double()
    input = [draw(*shape, seed=k) * (0.4 if k and "Sampler" in module._typename else 1) for k, shape in enumerate(shapes)]
    g = draw(*module.forward(input).shape, seed=9)
    actual = [gradient.copy() for gradient in module.backward(input, g)]
    for gradient, expected in zip(actual, by_differences(module, input, g), strict=True):
        np.testing.assert_allclose(gradient, expected, atol=2e-6)


def test_instance_normalization_of_a_batch_of_one() -> None:
    """It never looks at running statistics, in training or evaluation."""
    net, x = authors.InstanceNormalization(3).double(), draw(1, 3, 4, 5) * 3 + 7
    net.weight.fill(1)
    expected = (x - x.mean((2, 3), keepdims=True)) / np.sqrt(x.var((2, 3), keepdims=True) + 1e-5)
    np.testing.assert_allclose(net.forward(x), expected, atol=1e-12)
    net.evaluate()
    np.testing.assert_allclose(net.forward(x), expected, atol=1e-12)
    np.testing.assert_allclose(net.forward(np.concatenate([x, 2 * x]))[:1], expected, atol=1e-12)


def test_instance_normalization_from_a_file() -> None:
    """The batch normalisation inside comes along and does nothing."""
    inner = t7.TorchObject("nn.SpatialBatchNormalization", 2, {"running_mean": np.ones(3), "running_var": np.ones(3)})
    fields = {"nOutput": 3, "eps": 1e-5, "prev_N": 1, "bn": inner, "weight": np.ones(3), "bias": np.zeros(3)}
    net = reloaded("nn.InstanceNormalization", fields | {"_type": "torch.DoubleTensor"})
    x = draw(1, 3, 4, 4) + 5
    assert abs(net.forward(x).mean()) < 1e-10
    net.backward(x, x)
    saved = net._toTorch7()
    assert isinstance(saved["bn"], nn.SpatialBatchNormalization) and not {"save_mean", "save_std"} & saved.keys()
    bare = reloaded("nn.InstanceNormalization", {"nOutput": 3, "gradInput": np.empty(0), "_type": "torch.DoubleTensor"})
    np.testing.assert_allclose(bare.forward(x), net.forward(x))
    assert bare.backward(x, x).shape == x.shape
    bare.disabled = True
    assert bare.forward(x) is x


def test_adaptive_instance_normalization() -> None:
    content, style = draw(2, 3, 4, 4), draw(2, 3, 5, 2, seed=2) * 4 + 1
    output = authors.AdaptiveInstanceNormalization(3).double().forward([content, style])
    np.testing.assert_allclose(output.mean((2, 3)), style.mean((2, 3)))
    np.testing.assert_allclose(output.std((2, 3)), style.std((2, 3), ddof=1), rtol=1e-4)


@pytest.mark.parametrize("kind", [authors.TotalVariation, authors.TVLoss])
def test_total_variation(kind: Any) -> None:
    """The gradient that the layer adds is the gradient of its loss."""
    net, x, g = kind(0.3).double(), draw(2, 3, 4), draw(2, 3, 4, seed=2)

    def loss(x: Any) -> float:
        here = x[:, :-1, :-1]
        return 0.15 * float(((here - x[:, :-1, 1:]) ** 2 + (here - x[:, 1:, :-1]) ** 2).sum())

    assert net.forward(x) is x
    steps = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * 1e-6
            steps[place] += sign * loss(moved) / 2e-6
    np.testing.assert_allclose(net.backward(x, g) - g, steps, atol=1e-7)


@pytest.mark.parametrize("style", [False, True])
def test_losses(style: bool) -> None:
    """Capture a target, then compare: loss and gradient."""
    net: Any = (authors.StyleLoss if style else authors.ContentLoss)(2.0)
    net.double()
    x, other, g = draw(3, 2, 4), draw(3, 2, 4, seed=2), draw(3, 2, 4, seed=3)
    net.mode = "capture"
    assert net.forward(other) is other
    net.mode = "loss"

    def seen(x: Any) -> Any:
        return x.reshape(3, -1) @ x.reshape(3, -1).T / x.size if style else x

    def loss(x: Any) -> float:
        return float(2 * ((seen(x) - seen(other)) ** 2).mean())

    net.forward(x)
    assert net.loss == pytest.approx(loss(x))
    steps = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * 1e-6
            steps[place] += sign * loss(moved) / 2e-6
    np.testing.assert_allclose(net.backward(x, g) - g, steps, atol=1e-7)
    net.normalize = True
    net.forward(x)
    np.testing.assert_allclose(net.backward(x, g) - g, 2 * steps / np.abs(steps).sum(), atol=1e-6)
    net.mode = "none"
    np.testing.assert_array_equal(net.backward(net.forward(x), g), g)


def test_grids_of_no_sample() -> None:
    layer = authors.AffineGridGeneratorBHWD(3, 4).double()
    grid = layer.forward(np.empty((0, 2, 3)))
    assert grid.shape == (0, 3, 4, 2)
    assert layer.backward(np.empty((0, 2, 3)), grid).shape == (0, 2, 3)


def test_identity_map_samples_the_image() -> None:
    image = draw(1, 4, 5, 2)
    grid = authors.AffineGridGeneratorBHWD(4, 5).double().forward(np.eye(2, 3)[None])
    np.testing.assert_allclose(authors.BilinearSamplerBHWD().double().forward([image, grid]), image, atol=1e-6)


def test_transform_matrix() -> None:
    angle, scale, shift = 0.3, 2.0, np.array([0.5, -1.0])
    matrix = authors.AffineTransformMatrixGenerator(True, True, True).double().forward(np.array([angle, scale, *shift]))
    rotation = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    np.testing.assert_allclose(matrix, np.concatenate([rotation, (rotation @ shift)[:, None]], 1))


def test_symmetric_padding() -> None:
    x = np.arange(4.0).reshape(1, 1, 1, 4)
    output = authors.SpatialSymmetricPadding(2, 1, 0, 0).double().forward(x)
    assert output.ravel().tolist() == [1, 0, 0, 1, 2, 3, 3]


def test_split_batch() -> None:
    net = authors.SequentialSplitBatch(2).add(nn.Linear(3, 2)).double()
    x = draw(5, 3)
    np.testing.assert_allclose(net.forward(x), x @ net.get(0).weight.T + net.get(0).bias)
    with pytest.raises(UnsupportedError, match="more than 2 samples"):
        net.backward(x, draw(5, 2))
    net.forward(x[:2])
    assert net.backward(x[:2], draw(2, 2)).shape == (2, 3)


def test_no_backprop() -> None:
    net, x = authors.NoBackprop(nn.Linear(3, 2)).double(), draw(2, 3)
    net.zeroGradParameters()
    assert net.forward(x).shape == (2, 2) and not net.backward(x, draw(2, 2)).any()
    assert not net.modules[0].gradWeight.any()
    old = reloaded("nn.NoBackprop", {"inner": t7.TorchObject("nn.Identity", 1, {})}, 1)
    assert isinstance(old.modules[0], nn.Identity)


def test_waifu2x() -> None:
    x = draw(2, 3)
    clip = authors.InplaceClip01().double()
    assert clip.forward(x) is x and x.min() >= 0 and x.max() <= 1
    leaky = reloaded("w2nn.LeakyReLU", {"negative_scale": 0.1, "negative": np.empty(0), "_type": "torch.DoubleTensor"})
    np.testing.assert_allclose(leaky.forward(np.array([-1.0, 2.0])), [-0.1, 2.0])
    assert leaky._toTorch7()["negative_scale"] == 0.1 and "negval" not in leaky._toTorch7()
    shake, pair = authors.ShakeShakeTable().double(), [draw(2, 3), draw(2, 3, seed=2)]
    shake.forward(pair)
    one, other = shake.backward(pair, np.ones((2, 3)))
    np.testing.assert_allclose(one + other, 1)
    shake.evaluate()
    np.testing.assert_array_equal(shake.forward(pair), pair[0] + pair[1])
    table = reloaded("w2nn.AuxiliaryLossTable", {"i": 2, "train": False, "_type": "torch.DoubleTensor"})
    np.testing.assert_array_equal(table.forward(pair), pair[1])
    table.training()
    assert len(table.forward(pair)) == 2 and table._toTorch7()["i"] == 2


def test_data_parallel_table() -> None:
    net: Any = authors.DataParallelTable(0).add(nn.Linear(3, 2), [1, 2]).double()
    x = draw(2, 3)
    np.testing.assert_array_equal(net.forward(x), net.modules[0].output)
    assert net.parameters()[0][0] is net.modules[0].weight
    record = net._toRecord()
    assert record.header == [1, 2] and record.version == 3 and record.fields["dimension"] == 1
    assert net.clone().impl.dpt is not net
    with pytest.raises(ShapeError, match="a second one"):
        net.add(nn.Identity(), 3)
    oldest = reloaded("nn.DataParallelTable", {"modules": [t7.TorchObject("nn.Identity", 1, {})], "dimension": 1}, 1)
    assert oldest.forward(x) is x and str(oldest) == "DataParallelTable: 1 x nn.Identity"


def test_registered_classes_come_first() -> None:
    """A class of the user's takes the place of ours, and gets the fields."""

    class Mine(nn.Module):
        _file = pl.Form(oneBased=("first",))

        def updateOutput(self, input: Any) -> Any:
            self.output = input * self.strength + self.first
            return self.output

        strength: float
        first: int

    assert isinstance(reloaded("nn.TotalVariation", {"strength": 2}), authors.TotalVariation)
    pl.register("nn.TotalVariation")(Mine)
    try:
        net = reloaded("nn.TotalVariation", {"strength": 2, "first": 1})
        assert isinstance(net, Mine) and (net.forward(np.ones(2)) == 2).all()
    finally:
        del _registered["nn.TotalVariation"]
