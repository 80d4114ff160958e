"""Norms of rows whose squares are too large or too small for the dtype: they are as right as those of other rows."""

import numpy as np
import pytest

from pytorch_legacy import nn, rnn

HUGE = pytest.mark.parametrize("dtype, huge", [(np.float64, 1e160), (np.float32, 1e25)])


SMALL = [(np.float64, 1e-170), (np.float64, 1e-310), (np.float32, 1e-25), (np.float32, 1e-40)]
TINY = pytest.mark.parametrize("dtype, tiny", SMALL)


def of(dtype, module):
    return module.double() if dtype is np.float64 else module.float()


def close(found, expected, dtype):
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype is np.float64 else 1e-5, atol=0)


@HUGE
@pytest.mark.parametrize("p", [1, 1.5, 2, 3, 4, np.inf])
def test_Normalize(p, dtype, huge):
    x, g = np.array([[3, -4, 0, 1], [0.5, 2, 2, -2]]), np.array([[1, 2, 3, 4], [0, 1, -1, 5]])
    layer, plain = of(dtype, nn.Normalize(p)), nn.Normalize(p).double()
    large = (x * huge).astype(dtype)
    unit = np.abs(x).max(1, keepdims=True) if np.isinf(p) else (np.abs(x) ** p).sum(1, keepdims=True) ** (1 / p)
    found = layer.forward(large)
    close(found, x / unit, dtype)
    plain.forward(x)
    # The gradient of the norm is that of the small row, and the infinite one of Torch7 is no true gradient, but scales likewise.
    expected = plain.backward(x, g.astype(np.float64))
    found = layer.backward(large, g.astype(dtype)).astype(np.float64) * huge
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@HUGE
def test_limits_of_parameters(dtype, huge):
    layer = of(dtype, nn.Linear(4, 2))
    layer.weight.fill(huge)
    layer.maxParamNorm(2)
    close(layer.weight, 1, dtype)
    layer.gradWeight.fill(huge)
    layer.gradBias[...] = huge
    norm = layer.gradParamClip(2)
    close(norm, np.sqrt(10) * huge, dtype)
    close(layer.gradWeight, 2 / np.sqrt(10), dtype)
    layer.gradWeight[0, 0] = np.nan
    assert np.isnan(layer.gradParamNorm())


@HUGE
def test_decorators(dtype, huge):
    x = np.ones((1, 4), dtype)
    layer = nn.WeightNorm(of(dtype, nn.Linear(4, 2)))
    plain = of(dtype, nn.LinearWeightNorm(4, 2, bias=False))
    for module in (layer, plain):
        module.v.fill(huge)
        module.g.fill(1)
    plain.evaluate()
    close(layer.forward(x), 2, dtype)
    close(plain.forward(x), 2, dtype)
    layer.backward(x, np.ones((1, 2), dtype))
    close(layer.gradG, 2, dtype)


@HUGE
def test_distances(dtype, huge):
    x = np.full((1, 4), huge, dtype)
    for layer in (of(dtype, nn.Euclidean(4, 2)), of(dtype, nn.WeightedEuclidean(4, 2))):
        layer.weight.fill(0)
        close(layer.forward(x), 2 * huge, dtype)
        close(layer.backward(x, np.ones((1, 2), dtype)), 1, dtype)
    layer.diagCov.fill(huge)
    unit = np.ones((1, 4), dtype)
    close(layer.forward(unit), 2 * huge, dtype)
    layer.zeroGradParameters()
    close(layer.backward(unit, np.ones((1, 2), dtype)), huge, dtype)
    close(layer.gradDiagCov, 0.5, dtype)
    cosine = of(dtype, nn.Cosine(4, 2))
    for weight, input in ((1, huge), (huge / 4, 1), (huge, huge)):
        cosine.weight.fill(weight)
        close(cosine.forward(np.full((1, 4), input, dtype)), 1, dtype)
        turned = np.array([[input, input, -input, -input]], dtype)
        cosine.zeroGradParameters()
        close(cosine.backward(turned, np.ones((1, 2), dtype)) * input, np.full((1, 4), 0.5), dtype)
        close(cosine.gradWeight * weight, turned.repeat(2, 0) / input / 4, dtype)


@HUGE
def test_pairs(dtype, huge):
    g = np.ones(1, dtype)
    x, y = (np.array([row], dtype) * dtype(huge) for row in ([3, -1, 0, 2], [1, 3, 0, 2]))
    for p in (1, 1.5, 2, 3, 7):
        layer = of(dtype, nn.PairwiseDistance(p))
        length = (2**p + 4**p) ** (1 / p)
        close(layer.forward([x, y]), length * huge, dtype)
        slope = np.array([[(2 / length) ** (p - 1), -((4 / length) ** (p - 1)), 0, 0]])
        close(layer.backward([x, y], g)[0], slope, dtype)
        close(layer.gradInput[1], -slope, dtype)
    layer, loss = of(dtype, nn.CosineDistance()), of(dtype, nn.CosineEmbeddingCriterion())
    cosine = 4 / 14
    slope = np.array([[1, 3, 0, 2]]) / 14 - cosine * np.array([[3, -1, 0, 2]]) / 14
    close(layer.forward([x, y]), cosine, dtype)
    close(layer.backward([x, y], g)[0] * huge, slope, dtype)
    close(layer.forward([x, y / dtype(huge)]), cosine, dtype)
    close(layer.backward([x, y / dtype(huge)], g)[0] * huge, slope, dtype)
    close(loss.forward([x, y], -g), cosine, dtype)
    close(loss.backward([x, y], -g)[0] * huge, slope, dtype)


@TINY
def test_small_distances(dtype, tiny):
    x, zero = np.full((1, 4), tiny, dtype), np.zeros((1, 4), dtype)
    for p in (1.5, 2, 3):
        length = of(dtype, nn.PairwiseDistance(p)).forward([x, zero])
        np.testing.assert_allclose(length, float(x[0, 0]) * 4 ** (1 / p), rtol=1e-4)
    for layer in (of(dtype, nn.Euclidean(4, 2)), of(dtype, nn.WeightedEuclidean(4, 2))):
        layer.weight.fill(0)
        close(layer.forward(x), 2 * x[0, 0], dtype)
    layer = of(dtype, nn.Normalize(2, 0))
    np.testing.assert_allclose(layer.forward(x), 0.5, rtol=1e-4)


@HUGE
def test_Kmeans(dtype, huge):
    centres = np.arange(12, dtype=dtype).reshape(3, 4)
    for unit in (huge, 1 / huge):
        layer = of(dtype, nn.Kmeans(3, 4))
        layer.weight[...] = centres * unit
        assert layer.forward((centres[::-1] + 1).astype(dtype) * dtype(unit)).tolist() == [2, 1, 0]


@HUGE
def test_divisive(dtype, huge):
    x, g = np.sin(np.arange(50)).reshape(2, 5, 5).astype(dtype), np.cos(np.arange(50)).reshape(2, 5, 5).astype(dtype)
    layer = of(dtype, nn.SpatialDivisiveNormalization(2, np.ones((3, 3))))
    output, gradient = layer.forward(x).copy(), layer.backward(x, g).copy()
    np.testing.assert_allclose(layer.forward(x * dtype(huge)), output, rtol=1e-5)
    np.testing.assert_allclose(layer.backward(x * dtype(huge), g) * dtype(huge), gradient, rtol=1e-4, atol=1e-6)


def test_gradParamNorm_of_small_gradients():
    layer = nn.Linear(2, 2).double()
    layer.gradWeight.fill(1e-200)
    layer.gradBias.fill(0)
    assert layer.gradParamNorm() == pytest.approx(2e-200, abs=0)
    layer.gradWeight.fill(1e200)
    assert nn.Sequential(layer).gradParamClip(1, moduleLocal=True) == pytest.approx(2e200)


@HUGE
def test_NormStabilizer(dtype, huge):
    layer = of(dtype, rnn.NormStabilizer())
    for factor in (1, 2):
        layer.forward(np.full((2, 4), factor * huge / 1e10, dtype))
    close(layer._norm(1), 4 * huge / 1e10, dtype)
