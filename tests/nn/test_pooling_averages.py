"""Adaptive averages against their definition: windows of every kind that has a way of its own, forward and back."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pytorch_legacy import nn

TOLERANCE = {np.float32: 2e-6, np.float64: 1e-13}


def weights(size: int, out: int) -> np.ndarray:
    """out x size: 1 / n for the n cells of each window."""
    w = np.zeros((out, size))
    for o in range(out):
        first, end = o * size // out, -(-(o + 1) * size // out)
        w[o, first:end] = 1 / (end - first)
    return w


def check(module: nn.Module, dtype: type, seed: int, *axes: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((3, *(size for size, _ in axes)))
    g = rng.standard_normal((3, *(out for _, out in axes)))
    y, gx = x, g
    for axis, (size, out) in enumerate(axes, 1):
        y = np.moveaxis(np.tensordot(weights(size, out), y, (1, axis)), 0, axis)
        gx = np.moveaxis(np.tensordot(weights(size, out).T, gx, (1, axis)), 0, axis)
    module.type(dtype)
    np.testing.assert_allclose(module.forward(x.astype(dtype)), y, rtol=0, atol=TOLERANCE[dtype], err_msg=str(axes))
    gradInput = module.updateGradInput(x.astype(dtype), g.astype(dtype))
    np.testing.assert_allclose(gradInput, gx, rtol=0, atol=TOLERANCE[dtype] * np.abs(gx).max(), err_msg=str(axes))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_rows(dtype: type) -> None:
    """Windows from parts of a cell to more cells than a few vectors hold, less and more of them than a vector has lanes."""
    for out, width in product((1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 64), (1, 5, 16, 17, 40, 63, 64, 65, 130, 300, 1000)):
        check(nn.SpatialAdaptiveAveragePooling(out, 1), dtype, out, (1, 1), (width, out))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_planes(dtype: type) -> None:
    """Rows of gradInput that are copies of another, and those that are not; single rows, and more than are taken at once."""
    for outH, outW, height, width in product((1, 2, 14, 70), (1, 5, 16, 20), (1, 3, 14, 28, 37, 150), (4, 20, 37, 200)):
        check(nn.SpatialAdaptiveAveragePooling(outW, outH), dtype, outH, (height, outH), (width, outW))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_volumes(dtype: type) -> None:
    for times, rows, sides in product(((4, 2), (5, 3), (2, 5), (4, 4)), ((8, 3), (1, 1)), ((6, 6), (17, 5), (20, 12))):
        check(nn.VolumetricAdaptiveAveragePooling(times[1], sides[1], rows[1]), dtype, 1, times, rows, sides)


LARGEST = {np.float32: 3.4e38, np.float64: 1.7e308}
MEANS = {
    "global": (nn.SpatialGlobalAveragePooling, (2, 2, 5, 6)),
    "global, many small planes": (nn.SpatialGlobalAveragePooling, (1, 40, 3, 3)),
    "global, in parts": (nn.SpatialGlobalAveragePooling, (1, 1, 300, 301)),
    "global, sequences": (nn.TemporalGlobalAveragePooling, (1, 1000, 3)),
    "adaptive": (lambda: nn.SpatialAdaptiveAveragePooling(3, 2), (2, 2, 5, 7)),
    "adaptive, long windows": (lambda: nn.TemporalAdaptiveAveragePooling(4), (2, 130, 2)),
    "adaptive, one column": (lambda: nn.SpatialAdaptiveAveragePooling(1, 3), (2, 2, 7, 40)),
    "adaptive, volumes": (lambda: nn.VolumetricAdaptiveAveragePooling(2, 2, 2), (1, 2, 5, 4, 5)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", MEANS)
def test_means_of_numbers_whose_sum_is_too_large(name: str, dtype: type) -> None:
    make, shape = MEANS[name]
    x = np.random.default_rng(4).uniform(0.9, 1, shape)
    small, large = make().type(dtype), make().type(dtype)
    expected = small.forward(x.astype(dtype)).astype(np.float64) * LARGEST[dtype]
    huge = (x.astype(dtype) * dtype(LARGEST[dtype])).astype(dtype)
    np.testing.assert_allclose(large.forward(huge), expected, rtol=1e-6 if dtype == np.float32 else 1e-12)
    huge.reshape(-1)[:2] = np.inf, np.nan
    assert np.isnan(large.forward(huge)).any() and np.isfinite(large.output).any() == (large.output.size > 1)


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("shape", [(3, 1, 7, 7), (2, 2, 65, 80), (1, 2, 290, 300)], ids=str)
def test_windows_of_whole_planes(dtype: str, shape: tuple[int, ...]) -> None:
    """The one window of each plane is the plane. Sums of sliding windows have the range of the elements, as Torch7's."""
    height, width = shape[-2:]
    sliding = [nn.SpatialAveragePooling(width, height), nn.SpatialAveragePooling(width, height, 3, 2).setCountExcludePad()]
    sliding.append(nn.VolumetricAveragePooling(2, width, height))
    adaptive = [nn.SpatialAdaptiveAveragePooling(1, 1), nn.VolumetricAdaptiveAveragePooling(1, 1, 1)]
    for layer in sliding + adaptive:
        whole = shape if "Spatial" in type(layer).__name__ else (shape[0], shape[1], 2, height, width)
        axes = tuple(range(2, len(whole)))
        x = np.random.default_rng(0).standard_normal(whole).astype(dtype) + 1
        near = 1e-5 if dtype == "f" else 1e-12
        layer = layer.type(x.dtype)
        output = layer.forward(x)
        np.testing.assert_allclose(output, x.mean(axes, dtype="d", keepdims=True), rtol=near)
        gradOutput = np.arange(1, output.size + 1, dtype=dtype).reshape(output.shape)
        cells = x.size // output.size
        np.testing.assert_allclose(layer.backward(x, gradOutput), np.broadcast_to(gradOutput / cells, x.shape), rtol=near)
        x[...] = np.finfo(dtype).max / 2
        expected = np.inf if layer in sliding else np.finfo(dtype).max / 2
        np.testing.assert_allclose(layer.forward(x), np.full(output.shape, expected), rtol=near)
