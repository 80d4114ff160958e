"""Layers that work in place behind arrays that are read-only, such as views that repeat their elements."""

from __future__ import annotations

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, cudnn, errors, inn, nn

LAYERS = {
    "ReLU": lambda inplace: nn.ReLU(inplace),
    "ReLU6": lambda inplace: nn.ReLU6(inplace),
    "HardTanh": lambda inplace: nn.HardTanh(-1, 1, inplace),
    "Threshold": lambda inplace: nn.Threshold(0.1, 0.05, inplace),
    "LeakyReLU": lambda inplace: nn.LeakyReLU(0.1, inplace),
    "ELU": lambda inplace: nn.ELU(0.5, inplace),
    "RReLU": lambda inplace: nn.RReLU(0.1, 0.3, inplace).evaluate(),
    "Dropout": lambda inplace: nn.Dropout(0.5, False, inplace),
    "AddConstant": lambda inplace: nn.AddConstant(2, inplace),
    "MulConstant": lambda inplace: nn.MulConstant(3, inplace),
    "cudnn.Tanh": lambda inplace: cudnn.Tanh(inplace),
    "cudnn.ReLU": lambda inplace: cudnn.ReLU(inplace),
    "inn.ConstAffine": lambda inplace: inn.ConstAffine(3, inplace),
}


@pytest.mark.parametrize("name", LAYERS)
def test_behind_replicate(name: str) -> None:
    """Values and gradients are those of the layer that is not in place, in each pass."""
    x = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    kept, results = x.copy(), []
    for inplace in (False, True):
        net = nn.Sequential(nn.Replicate(2), LAYERS[name](inplace), nn.Replicate(2), LAYERS[name](inplace), nn.View(-1))
        if name == "inn.ConstAffine":
            net = nn.Sequential(nn.Replicate(2), nn.Reshape(8, 3), nn.Replicate(1, 0), nn.Select(0, 0), LAYERS[name](inplace))
        pl.manualSeed(3)
        for _ in range(2):
            output = net.forward(x).copy()
            gradient = np.broadcast_to(np.float32(0.5), output.shape)
            results.append([output, net.backward(x, gradient).copy()])
    np.testing.assert_array_equal(x, kept)
    half = len(results) // 2
    for one, other in zip(results[:half], results[half:], strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


def test_tables_and_inputs() -> None:
    x = np.float32([-1, 2])
    x.flags.writeable = False
    np.testing.assert_array_equal(authors.InplaceClip01().forward(x), [0, 1])
    layer = nn.ReLU(True)
    np.testing.assert_array_equal(layer.forward(x), [0, 2])
    np.testing.assert_array_equal(layer.backward(x, x), [0, 2])
    table = nn.Sequential(nn.ConcatTable(nn.Replicate(2), nn.Replicate(2)), nn.CAddTable(True))
    np.testing.assert_array_equal(table.forward(x), [[-2, 4]] * 2)
    np.testing.assert_array_equal(x, [-1, 2])


@pytest.mark.parametrize("name", LAYERS)
def test_windows_that_overlap(name: str) -> None:
    """To write one element would change others: that is an error, and nothing has been written."""
    series = np.arange(1, 65, dtype=np.float32)
    for shape, strides in (((2, 3, 2, 2), (16, 8, 4, 4)), ((2, 3, 2, 2), (32, 8, 8, 8)), ((2, 3, 1, 2), (4, 8, 4, 0))):
        memory = series.copy()
        window = np.lib.stride_tricks.as_strided(memory, shape, strides)
        with pytest.raises(errors.ValueRangeError, match="several elements at one address"):
            LAYERS[name](True).forward(window)
        np.testing.assert_array_equal(memory, series)
    gap = np.lib.stride_tricks.as_strided(series.copy(), (2, 3, 1, 2), (4, 16, 4, 48))
    expected = LAYERS[name](True).evaluate().forward(gap.copy())
    np.testing.assert_array_equal(LAYERS[name](True).evaluate().forward(gap), expected)
