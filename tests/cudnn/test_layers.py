"""Layers of cudnn that nn does not have as they are."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cudnn, nn
from pytorch_legacy.errors import ShapeError, T7Warning, ValueRangeError


def draw(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("shape", [(4, 5, 6), (2, 4, 5, 6)])
@pytest.mark.parametrize("groups", [2, 4])
def test_groups(transposed: bool, shape: tuple[int, ...], groups: int) -> None:
    """A convolution in groups is one convolution per group; four groups are one input plane each, with two outputs."""
    kind: Any = "SpatialFullConvolution" if transposed else "SpatialConvolution"
    args = (3, 2, 2, 1, 1, 1)
    more = (1, 0) if transposed else ()
    net = getattr(cudnn, kind)(4, 8, *args, *more, groups).double()
    parts = [getattr(nn, kind)(4 // groups, 8 // groups, *args, *more).double() for _ in range(groups)]
    for g, part in enumerate(parts):
        part.weight[...] = np.split(net.weight, groups)[g]
        part.bias[...] = np.split(net.bias, groups)[g]
        part.zeroGradParameters()
    x = draw(*shape)
    halves = [np.ascontiguousarray(half) for half in np.split(x, groups, -3)]
    expected = np.concatenate([part.forward(half) for part, half in zip(parts, halves, strict=True)], -3)
    np.testing.assert_allclose(net.forward(x), expected, rtol=1e-12, atol=1e-13)
    g = draw(*expected.shape, seed=2)
    net.zeroGradParameters()
    gradHalves = [np.ascontiguousarray(half) for half in np.split(g, groups, -3)]
    back = [part.backward(*pair) for part, *pair in zip(parts, halves, gradHalves, strict=True)]
    np.testing.assert_allclose(net.backward(x, g), np.concatenate(back, -3), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(net.gradWeight, np.concatenate([part.gradWeight for part in parts]), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(net.gradBias, np.concatenate([part.gradBias for part in parts]), rtol=1e-12, atol=1e-13)
    net.noBias()
    assert net.forward(x).shape == expected.shape


@pytest.mark.parametrize(
    "net, shape",
    [
        (lambda: cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2), (2, 4, 3, 4)),
        (lambda: cudnn.SpatialFullConvolution(4, 2, 3, 3, 2, 2, 1, 1, 0, 0, 2), (1, 4, 2, 3)),
        (lambda: cudnn.TemporalConvolution(3, 4, 2, 1, 1), (2, 5, 3)),
        (lambda: cudnn.TemporalConvolution(3, 4, 2), (5, 3)),
        (lambda: cudnn.SpatialDivisiveNormalization(3, 0.5, 0.75, 1.0), (2, 2, 4, 5)),
        (lambda: cudnn.SpatialDivisiveNormalization(4, 0.5, 0.5, 1.0), (2, 3, 6)),
        (lambda: cudnn.SoftMax(), (2, 2, 2, 3)),
        (lambda: cudnn.LogSoftMax(), (2, 2, 3)),
        (lambda: cudnn.VolumetricSoftMax(), (2, 3, 2, 1, 2)),
        (lambda: cudnn.VolumetricLogSoftMax(), (3, 2, 1, 2)),
    ],
)
def test_gradients(net: Any, shape: tuple[int, ...]) -> None:
    module, input = net().double(), draw(*shape)
    assert pl.nn.Jacobian.testJacobian(module, input) < 1e-6
    if module.weight is not None:
        assert pl.nn.Jacobian.testJacobianParameters(module, input, module.weight, module.gradWeight) < 1e-6


def test_softmax_of_a_sample() -> None:
    """cuDNN's instance mode takes all places together, its channel mode each by itself."""
    x = draw(2, 3, 2, 2)
    whole = np.exp(x) / np.exp(x).sum((1, 2, 3), keepdims=True)
    np.testing.assert_allclose(cudnn.SoftMax().double().forward(x), whole)
    np.testing.assert_allclose(cudnn.SpatialSoftMax().double().forward(x), nn.SoftMax().double().forward(x))
    y = draw(2, 3, 2, 2, 2)
    places = np.exp(y) / np.exp(y).sum(1, keepdims=True)
    np.testing.assert_allclose(cudnn.VolumetricSoftMax().double().forward(y), places)
    np.testing.assert_allclose(cudnn.VolumetricLogSoftMax().double().forward(y), np.log(places))


def test_temporal_padding() -> None:
    plain, padded = nn.TemporalConvolution(3, 4, 2).double(), cudnn.TemporalConvolution(3, 4, 2, 1, 1).double()
    padded.weight, padded.bias = plain.weight, plain.bias
    x = draw(2, 5, 3)
    np.testing.assert_allclose(padded.forward(x), plain.forward(np.pad(x, ((0, 0), (1, 1), (0, 0)))), rtol=1e-12)


@pytest.mark.parametrize("name", ["ReLU", "Tanh", "Sigmoid"])
def test_inplace(name: str) -> None:
    x, g = draw(2, 3), draw(2, 3, seed=2)
    plain, inplace = getattr(cudnn, name)().double(), getattr(cudnn, name)(True).double()
    expected, back = plain.forward(x).copy(), plain.backward(x, g).copy()
    work, gradient = x.copy(), g.copy()
    assert inplace.forward(work) is work and inplace.backward(work, gradient) is gradient
    np.testing.assert_array_equal(work, expected)
    np.testing.assert_allclose(gradient, back, rtol=1e-12)


def test_average_pooling_counts_by_mode() -> None:
    x = draw(1, 2, 4, 4)
    for mode, count in (("INCLUDE", True), ("EXCLUDE", False)):
        net = cudnn.SpatialAveragePooling.__new__(cudnn.SpatialAveragePooling)
        fields = cudnn.SpatialAveragePooling(3, 3, 2, 2, 1, 1)._toTorch7()
        assert "divide" not in fields
        del fields["count_include_pad"]
        net._fromTorch7(fields | {"mode": f"CUDNN_POOLING_AVERAGE_COUNT_{mode}_PADDING", "_type": "torch.DoubleTensor"}, 1)
        plain = nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1).double()
        plain.count_include_pad = count
        np.testing.assert_array_equal(net.forward(x), plain.forward(x))


@pytest.mark.parametrize("old", [False, True])
def test_cross_entropy(old: bool) -> None:
    x, target = draw(2, 3, 2, 2), np.random.default_rng(2).integers(0, 3, (2, 2, 2))
    criterion: Any = cudnn.SpatialCrossEntropyCriterion()
    if old:
        criterion.nll = nn.ClassNLLCriterion(sizeAverage=False)
    criterion.double()
    logs = x - np.log(np.exp(x).sum(1, keepdims=True))
    loss = -np.take_along_axis(logs, target[:, None], 1).sum()
    assert criterion.forward(x, target) == pytest.approx(loss if old else loss / 8)
    gradient = np.exp(logs)
    np.put_along_axis(gradient, target[:, None], np.take_along_axis(gradient, target[:, None], 1) - 1, 1)
    np.testing.assert_allclose(criterion.backward(x, target), gradient / (2 if old else 8), rtol=1e-10)
    volume = cudnn.VolumetricCrossEntropyCriterion().double()
    assert volume.forward(x[:, :, None], target[:, None]) == pytest.approx(loss / 8)
    np.testing.assert_allclose(volume.backward(x[:, :, None], target[:, None])[:, :, 0], gradient / 8, rtol=1e-10)


def network() -> Any:
    net = nn.Sequential().add(cudnn.SpatialConvolution(2, 4, 3, 3)).add(cudnn.SpatialBatchNormalization(4))
    net.add(cudnn.ReLU(True)).add(cudnn.SpatialMaxPooling(2, 2)).add(cudnn.SpatialAveragePooling(2, 2))
    net.add(nn.Sequential().add(cudnn.SpatialConvolution(4, 2, 1, 1, groups=2)).add(cudnn.Tanh()))
    return net.add(nn.View(-1)).add(cudnn.LogSoftMax()).double()


def test_convert() -> None:
    """To nn and back: same numbers, same parameters; groups stay."""
    net, x = network(), draw(2, 2, 6, 6)
    net.evaluate()
    expected = net.forward(x).copy()
    weight = net.get(0).weight
    assert cudnn.convert(net, nn) is net
    names = [module._typename for module in net.listModules()]
    assert [name for name in names if name.startswith("cudnn.")] == ["cudnn.SpatialConvolution"]
    assert net.get(0).weight is weight
    np.testing.assert_allclose(net.forward(x), expected)
    net.backward(x, draw(*expected.shape))
    cudnn.convert(net, cudnn)
    assert [type(module).__module__.split(".")[1] for module in net.modules] == ["cudnn"] * 5 + ["nn", "nn", "cudnn"]
    np.testing.assert_allclose(net.forward(x), expected)
    assert net.get(2)._toTorch7()["mode"] == "CUDNN_ACTIVATION_RELU" and "threshold" not in net.get(2)._toTorch7()
    excluded = cudnn.convert(net, nn, lambda module: "Convolution" in module._typename)
    assert excluded.get(0)._typename == "cudnn.SpatialConvolution"


def test_convert_matrix_convolution() -> None:
    plain, x = nn.SpatialConvolutionMM(2, 3, 3, 3).double(), draw(1, 2, 4, 4)
    net: Any = cudnn.convert(plain, cudnn)
    assert net.weight.shape == (3, 2, 3, 3)
    np.testing.assert_array_equal(net.forward(x), plain.forward(x))
    with pytest.raises(ValueRangeError, match=r"pl\.nn or pl\.cudnn"):
        cudnn.convert(plain, pl.inn)


def test_functions_of_lua_stay() -> None:
    """Some versions left functions in their objects: they hide no method, and go back to the file."""
    record = cudnn.SpatialConvolution(2, 3, 3, 3)._toRecord()
    record.fields |= {"accGradParameters": pl.t7.Function(b"\x1bLJ", []), "fmode": "X"}
    file, again = io.BytesIO(), io.BytesIO()
    pl.t7.write(file, record)
    with pytest.warns(T7Warning, match="accGradParameters"):
        net = pl.load(file.getvalue())
    x = np.ones((1, 2, 3, 3), np.float32)
    net.backward(x, net.forward(x))
    pl.save(again, net)
    back = pl.t7.read(again.getvalue()).fields
    assert back["accGradParameters"].bytecode == b"\x1bLJ" and back["fmode"] == "X"


def test_errors() -> None:
    with pytest.raises(ValueRangeError, match="nOutputPlane: expected a multiple of the 2 groups, got 3"):
        cudnn.SpatialConvolution(2, 3, 1, 1, groups=2)
    with pytest.raises(ShapeError, match=r"cudnn\.SpatialConvolution: input: expected 4 x 5 x 5, got 3 x 5 x 5"):
        cudnn.SpatialConvolution(4, 4, 1, 1, groups=2).double().forward(draw(3, 5, 5))
    with pytest.raises(ShapeError, match=r"input: expected 5 x 3, got 5 x 2"):
        cudnn.TemporalConvolution(3, 4, 2).double().forward(draw(5, 2))
    with pytest.raises(ValueRangeError, match="size: expected 1 to 16, got 17"):
        cudnn.SpatialDivisiveNormalization(17)
