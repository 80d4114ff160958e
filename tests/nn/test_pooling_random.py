"""Pooling at random places, and what unpools: sweeps over small sizes, frequencies of draws, identities."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from pytorch_legacy import manualSeed, nn
from tests.cases.windows import fractional


def awkward(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Few values, so that there are ties, and some NaN and infinities."""
    return rng.choice([-1.0, 0.0, 1.0, 2.0, np.nan, np.inf, -np.inf], shape, p=[0.2, 0.2, 0.2, 0.2, 0.05, 0.05, 0.1])


def largest(plane: np.ndarray, *windows: range) -> tuple[float, int]:
    """The largest cell and its place in the plane: a NaN before every number, the first of equals."""
    cells = [np.ravel_multi_index(cell, plane.shape) for cell in product(*windows)]
    best = cells[int(np.argmax(plane.ravel()[cells]))]  # which counts as we do
    return plane.flat[best], int(best)


# ---------------------------------------------------------------------------------------------- fractional


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fractional_sweep(dtype: type) -> None:
    """All sizes of planes, windows and outputs up to 7, with ties, NaN and infinities."""
    rng = np.random.default_rng(0)
    for height, width, poolH, poolW in product(range(2, 8), range(2, 8), (2, 3), (2, 3)):
        if height < poolH or width < poolW:
            continue
        outH, outW = rng.integers(1, height - poolH + 2), rng.integers(1, width - poolW + 2)
        x = awkward(rng, 2, height, width).astype(dtype)
        module = nn.SpatialFractionalMaxPooling(poolW, poolH, int(outW), int(outH)).type(dtype)
        output = module.forward(x)
        for plane in range(2):
            u, v = (float(sample) for sample in module.randomSamples[0, plane])
            rows, columns = fractional(height, outH, poolH, v), fractional(width, outW, poolW, u)
            expected = [largest(x[plane], r, c) for r in rows for c in columns]
            np.testing.assert_array_equal(output[plane].ravel(), [value for value, _ in expected])
            np.testing.assert_array_equal(module.indices[plane].ravel(), [index for _, index in expected])


def test_volumetric_fractional_sweep() -> None:
    rng = np.random.default_rng(1)
    for size in product((2, 4, 7), repeat=3):  # H x W x T
        pool = [int(rng.integers(2, min(3, cells) + 1)) for cells in size]
        out = [int(rng.integers(1, cells - p + 2)) for cells, p in zip(size, pool, strict=True)]
        x = awkward(rng, 2, *size)
        sizes = [pool[2], pool[1], pool[0], out[2], out[1], out[0]]  # T, W, H
        module = nn.VolumetricFractionalMaxPooling(*sizes).double()
        output = module.forward(x)
        for plane in range(2):
            samples = module.randomSamples[0, plane][::-1]
            windows = [fractional(*axis) for axis in zip(size, out, pool, samples, strict=True)]
            expected = [largest(x[plane], *box) for box in product(*windows)]
            np.testing.assert_array_equal(output[plane].ravel(), [value for value, _ in expected])
            np.testing.assert_array_equal(module.indices[plane].ravel(), [index for _, index in expected])


def test_fractional_samples_at_the_ends() -> None:
    """Windows stay on the plane whatever the samples are."""
    x = np.arange(30.0).reshape(1, 5, 6)
    module = nn.SpatialFractionalMaxPooling(2, 2, 3, 3).double().fixPoolingRegions()
    outputs = []
    for sample in (0.0, 1.0, -7.0, 1e300, np.nan, np.inf):
        module.randomSamples = np.full((1, 1, 2), sample)
        outputs.append(module.forward(x).copy())
    for i, same in ((2, 0), (3, 1), (4, 0), (5, 1)):
        np.testing.assert_array_equal(outputs[i], outputs[same])
    assert all((output >= 7).all() and output[0, 2, 2] == 29 for output in outputs)


def test_fractional_regions_are_drawn_or_kept() -> None:
    """New samples for each pass, for evaluation too, until they are fixed; a batch of another size draws again."""
    manualSeed(3)
    module = nn.SpatialFractionalMaxPooling(2, 2, 3, 3)
    x = np.zeros((2, 2, 8, 8), np.float32)
    seen = []
    for step in range(6):
        module.evaluate() if step % 2 else module.training()
        module.fixPoolingRegions(step >= 3)
        module.forward(x)
        seen.append(module.randomSamples.copy())
    assert [(a == b).all() for a, b in pairwise(seen)] == [False, False, True, True, True]
    module.forward(x[:1])
    assert module.randomSamples.shape == (1, 2, 2)
    seen = np.stack([module.fixPoolingRegions(False).forward(x) is not None and module.randomSamples for _ in range(500)])
    assert ((seen >= 0) & (seen < 1)).all()
    assert np.abs(seen.mean((0, 1, 2)) - 0.5).max() < 0.03
