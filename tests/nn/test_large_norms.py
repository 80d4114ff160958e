"""Norms of rows whose squares are too large for the dtype: they are as right as those of small rows."""

import numpy as np
import pytest

from pytorch_legacy import nn, rnn

HUGE = pytest.mark.parametrize("dtype, huge", [(np.float64, 1e160), (np.float32, 1e25)])


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
    cosine = of(dtype, nn.Cosine(4, 2))
    cosine.weight.fill(1)
    close(cosine.forward(x), 1, dtype)
    cosine.weight.fill(huge / 4)
    close(cosine.forward(np.ones((1, 4), dtype)), 1, dtype)


@HUGE
def test_NormStabilizer(dtype, huge):
    layer = of(dtype, rnn.NormStabilizer())
    for factor in (1, 2):
        layer.forward(np.full((2, 4), factor * huge / 1e10, dtype))
    close(layer._norm(1), 4 * huge / 1e10, dtype)
