"""Properties of sampling layers beyond their cases: exact places, and agreement between layers."""

from __future__ import annotations

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape)


@pytest.mark.parametrize("size, out", [(4, 7), (5, 13), (11, 21), (101, 301), (7, 3)])
def test_cells_are_kept_where_outputs_lie_on_them(size: int, out: int) -> None:
    """No rounding: an output that lies on a cell is that cell, even beside an infinity."""
    x = drawn(1, 1, size)
    x[0, 0, -1] = np.inf
    y = nn.SpatialUpSamplingBilinear({"oheight": 1, "owidth": out}).double().forward(x)
    steps = np.arange(out) * (size - 1)
    exact = steps % (out - 1) == 0
    np.testing.assert_array_equal(y[0, 0, exact], x[0, 0, steps[exact] // (out - 1)])


def test_constant_stays_constant() -> None:
    for out in range(1, 40):
        y = nn.SpatialUpSamplingBilinear({"oheight": 2, "owidth": out}).double().forward(np.full((1, 3, 9), 3.0))
        np.testing.assert_allclose(y, 3.0, rtol=1e-15)


def test_sampling_a_regular_grid_is_stretching() -> None:
    planes = drawn(2, 3, 5, 4)
    rows, columns = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 6), indexing="ij")
    grid = np.stack([np.stack([columns, rows], -1)] * 2)
    sampled = nn.SpatialGridSamplerBilinear().double().forward([planes, grid])
    stretched = nn.SpatialUpSamplingBilinear({"oheight": 9, "owidth": 6}).double().forward(planes)
    np.testing.assert_allclose(sampled, stretched, atol=1e-12)


def test_volumes_of_one_layer_are_planes() -> None:
    planes = drawn(2, 3, 5, 4)
    for kind, (flat, deep) in {
        "nearest": (nn.SpatialUpSamplingNearest(3), nn.VolumetricUpSamplingNearest(3)),
        "linear": (nn.SpatialUpSamplingBilinear(3), nn.VolumetricUpSamplingTrilinear(3)),
    }.items():
        expected = flat.double().forward(planes)
        output = deep.double().forward(planes[:, :, None])
        assert output.shape[2] == 3, kind
        for layer in range(3):
            np.testing.assert_array_equal(output[:, :, layer], expected, kind)


def test_places_outside_see_nothing() -> None:
    planes = np.full((1, 1, 3, 3), np.nan)
    grid = np.array([3.0, 0, -9, 1, 0, np.inf, -np.inf, -np.inf]).reshape(1, 2, 2, 2)
    module = nn.SpatialGridSamplerBilinear().double()
    assert module.forward([planes, grid]).tolist() == [[[[0, 0], [0, 0]]]]
    gradPlanes, gradGrid = module.backward([planes, grid], np.full((1, 1, 2, 2), np.inf))
    assert not gradPlanes.any()
    assert not gradGrid.any()


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("poison", [np.inf, np.nan])
def test_places_on_a_cell_see_that_cell(channels: int, poison: float) -> None:
    """A neighbour without weight counts nothing, whatever is in it, nor does the plane before."""
    planes = drawn(2, channels, 5, 9)
    planes[0] = poison
    poisoned = planes.copy()
    poisoned[:, :, 1::2] = poisoned[:, :, :, 1::2] = poison
    rows, columns = np.meshgrid(np.linspace(-1, 1, 3), np.linspace(-1, 1, 5), indexing="ij")
    sampled = nn.SpatialGridSamplerBilinear().double().forward([poisoned, np.stack([np.stack([columns, rows], -1)] * 2)])
    np.testing.assert_array_equal(sampled, planes[:, :, ::2, ::2])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("height,width", [(1, 1), (3, 1), (1, 5), (6, 7)])
def test_a_plane_alone_is_sampled_as_one_among_many(dtype: type, height: int, width: int) -> None:
    """Its rows have one channel; the bits are the same at edges, on cells, outside, and beside what is not finite."""
    draws = np.random.default_rng(5)
    x = draws.standard_normal((2, 1, height, width)).astype(dtype)
    x.flat[::3] = np.resize([np.nan, np.inf, 7], len(x.flat[::3]))
    on_cells = [np.linspace(-1, 1, 2 * height + 1), np.linspace(-1, 1, width)]
    grid = draws.choice(np.concatenate([draws.uniform(-1.6, 1.6, 90), *on_cells, [np.nan, 3, -3]]), (2, 9, 37, 2)).astype(dtype)
    module = nn.SpatialGridSamplerBilinear().type(dtype)
    alone = module.forward([x, grid]).copy()
    assert np.isnan(alone).any()
    assert np.isfinite(alone).any()
    among = module.forward([np.repeat(x, 5, axis=1), grid])
    np.testing.assert_array_equal(np.repeat(alone, 5, axis=1), among)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("channels", [1, 3, 16, 20])
def test_threads_share_the_places_of_few_planes(dtype: type, channels: int) -> None:
    draws = np.random.default_rng(6)
    planes = draws.standard_normal((1, channels, 150, 97)).astype(dtype)
    grid = draws.uniform(-1.1, 1.1, (1, 151, 99, 2)).astype(dtype)
    module = nn.SpatialGridSamplerBilinear().type(dtype)
    threads = pl.getNumThreads()
    try:
        pl.setNumThreads(1)
        alone = module.forward([planes, grid]).copy()
        for several in (2, 3, 4, 16):
            pl.setNumThreads(several)
            module.output = np.full_like(alone, np.nan)
            np.testing.assert_array_equal(module.forward([planes, grid]), alone)
    finally:
        pl.setNumThreads(threads)
