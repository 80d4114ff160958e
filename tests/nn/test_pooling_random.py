"""Pooling at random places, and what unpools: sweeps over small sizes, frequencies of draws, identities."""

from __future__ import annotations

import pickle
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import manualSeed, nn
from pytorch_legacy.backend import call
from pytorch_legacy.errors import IndexRangeError, ShapeError, ValueRangeError
from tests.cases.windows import fractional

GOLDEN = Path(__file__).parent.parent / "golden"


def awkward(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Few values, so that there are ties, and some NaN and infinities."""
    return rng.choice([-1.0, 0.0, 1.0, 2.0, np.nan, np.inf, -np.inf], shape, p=[0.2, 0.2, 0.2, 0.2, 0.05, 0.05, 0.1])


def largest(plane: np.ndarray, *windows: range) -> tuple[float, int]:
    """The largest cell and its place in the plane: a NaN before every number, the first of equals."""
    cells = [np.ravel_multi_index(cell, plane.shape) for cell in product(*windows)]
    best = cells[int(np.argmax(plane.ravel()[cells]))]  # argmax counts cells in our order
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
    """Windows stay on the plane."""
    x = np.arange(30.0).reshape(1, 5, 6)
    module = nn.SpatialFractionalMaxPooling(2, 2, 3, 3).double().fixPoolingRegions()
    for sample in (0.0, np.nextafter(1, 0)):
        module.randomSamples = np.full((1, 1, 2), sample)
        output = module.forward(x)
        assert (output >= 7).all() and output[0, 2, 2] == 29


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
    module.randomSamples = np.zeros((1, 2), np.float32)
    with pytest.raises(ShapeError, match="randomSamples: expected a 3-D array, got 2-D"):
        module.forward(x[:1])
    module.randomSamples = np.zeros((1, 2, 3), np.float32)
    with pytest.raises(ShapeError, match="randomSamples: expected 1 x 2 x 2, got 1 x 2 x 3"):
        module.forward(x[:1])
    module.fixPoolingRegions(False)
    draws = []
    for _ in range(500):
        module.forward(x)
        draws.append(module.randomSamples)
    seen = np.stack(draws)
    assert ((seen >= 0) & (seen < 1)).all()
    assert np.abs(seen.mean((0, 1, 2)) - 0.5).max() < 0.03


# ---------------------------------------------------------------------------------------------- unpooling


class Pooled(nn.Module):
    """A pooling layer that has gone forward over planes of this size, with any indices."""

    def __init__(self, indices: np.ndarray, size: tuple[int, ...]) -> None:
        super().__init__()
        self.indices = indices
        for name, length in zip(("itime", "iheight", "iwidth")[-len(size) :], size, strict=True):
            setattr(self, name, length)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dims", [2, 3])
def test_unpooling_sweep(dims: int, dtype: type) -> None:
    """The last of equal indices wins and takes the gradient; -1 is no cell."""
    rng = np.random.default_rng(dims)
    layer = nn.SpatialMaxUnpooling if dims == 2 else nn.VolumetricMaxUnpooling
    for _ in range(60):
        shape, size = (tuple(rng.integers(1, 5, dims).tolist()) for _ in range(2))
        cells = int(np.prod(size))
        x, g = rng.standard_normal((2, 3, *shape)).astype(dtype), rng.standard_normal((2, 3, *size)).astype(dtype)
        indices = rng.integers(-1, cells, x.shape)
        module = layer(Pooled(indices, size)).type(dtype)
        y, gx = np.zeros((6, cells)), np.zeros((6, x[0, 0].size))
        for plane in range(6):
            values, places, gradient = (array.reshape(6, -1)[plane] for array in (x, indices, g))
            last = {int(place): o for o, place in enumerate(places) if place >= 0}
            for place, o in last.items():
                y[plane, place], gx[plane, o] = values[o], gradient[place]
        np.testing.assert_array_equal(module.forward(x), y.reshape(2, 3, *size))
        np.testing.assert_array_equal(module.backward(x, g), gx.reshape(x.shape))


def test_unpooling_of_pooling() -> None:
    """Pooling what was unpooled gives it back, if it is positive."""
    rng = np.random.default_rng(4)
    for kernel, height, width in product((1, 2, 3), (6, 7), (6, 8)):
        x = rng.uniform(1, 2, (2, 3, height, width)).astype(np.float32)
        pool, again = nn.SpatialMaxPooling(kernel, kernel), nn.SpatialMaxPooling(kernel, kernel)
        pooled = pool.forward(x).copy()
        np.testing.assert_array_equal(again.forward(nn.SpatialMaxUnpooling(pool).forward(pooled)), pooled)
        np.testing.assert_array_equal(again.indices, pool.indices)


def test_unpooling_shares_its_pooling_layer() -> None:
    """In a clone, in another precision, in a pickle, and in a file."""
    pool = nn.SpatialMaxPooling(2, 2)
    net = nn.Sequential().add(pool).add(nn.SpatialMaxUnpooling(pool))
    assert net.modules[1].pooling is pool
    for twin in (net.clone(), pickle.loads(pickle.dumps(net)), net.double()):
        assert twin.modules[1].pooling is twin.modules[0]
    assert pool._type == "torch.DoubleTensor"
    loaded = pl.load(GOLDEN / "pooling" / "SpatialMaxUnpooling_2x4x6.t7")["module"]
    assert loaded.modules[1].pooling is loaded.modules[0]


# ---------------------------------------------------------------------------------------------- k largest


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kmax_sweep(dtype: type) -> None:
    """All lengths up to 9 and all k, with ties, both zeros, NaN and infinities."""
    rng = np.random.default_rng(5)
    for length in range(1, 10):
        x = awkward(rng, 20, length, 18).astype(dtype)
        x[x == 0] *= rng.choice([1, -1], (x == 0).sum())
        rank = np.argsort(np.where(np.isnan(x), -np.inf, np.where(x == np.inf, -1e9, -x)), -2, kind="stable")
        for k in range(1, length + 1):
            module = nn.TemporalDynamicKMaxPooling(k).type(dtype)
            kept = np.sort(rank[:, :k], 1)
            np.testing.assert_array_equal(module.forward(x), np.take_along_axis(x, kept, 1))
            np.testing.assert_array_equal(module.indices, kept)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kmax_tells_close_numbers_apart(dtype: type) -> None:
    """Neighbours in the whole range of numbers, where any digit may decide."""
    rng = np.random.default_rng(6)
    near = rng.standard_normal(200) * 10.0 ** rng.integers(-30, 30, 200)
    x = np.stack([near.astype(dtype), np.nextafter(near.astype(dtype), dtype(np.inf))], 1).reshape(-1, 1)
    x = rng.permutation(x)
    for k in (1, 7, 150, 399):
        module = nn.TemporalDynamicKMaxPooling(k).type(dtype)
        np.testing.assert_array_equal(np.sort(module.forward(x)[:, 0]), np.sort(x[:, 0])[-k:])


# ---------------------------------------------------------------------------------------------- stochastic


def weights(values: np.ndarray) -> np.ndarray:
    """Returns numbers that are proportional to the probabilities of cells."""
    infinite = values == np.inf
    return infinite.astype(float) if infinite.any() else np.maximum(values, 0)


def chosen(values: np.ndarray, noise: float) -> int:
    """Returns the cell that the noise draws, or -1."""
    if np.isnan(values).any():
        return int(np.argmax(np.isnan(values)))
    a = weights(values)
    beyond = np.flatnonzero((np.cumsum(a) > noise * a.sum()) & (a > 0))
    return int(beyond[0]) if beyond.size else int(np.flatnonzero(a > 0)[-1]) if a.any() else -1


def averaged(values: np.ndarray) -> tuple[float, np.ndarray]:
    """The average of these cells, and its derivative by each."""
    if np.isnan(values).any():
        return np.nan, np.where(values <= 0, 0, np.nan)
    a = weights(values)
    if not a.any():
        return 0.0, np.zeros(len(a))
    if np.inf in values:
        return np.inf, a / a.sum()
    y = (a * a).sum() / a.sum()
    return y, np.where(a > 0, (2 * a - y) / a.sum(), 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_stochastic_sweep(dtype: type) -> None:
    """All windows, strides and paddings on small planes, with ties, NaN and infinities; forward and backward, both modes."""
    rng = np.random.default_rng(7)
    for kernel, stride, ceil, size in product((1, 2, 3), (1, 2, 3), (False, True), ((3, 4), (6, 5), (7, 3))):
        pad = int(rng.integers(0, kernel // 2 + 1))
        module = nn.SpatialStochasticPooling(kernel, kernel, stride, stride, pad, pad).type(dtype)
        module = module.ceil() if ceil else module
        x = awkward(rng, 1, *size).astype(dtype)
        output = module.forward(x)
        _, outH, outW = output.shape
        g = rng.integers(1, 9, output.shape).astype(dtype)
        module.noise[0, 0, 0], module.noise[0, -1, -1] = rng.choice([0, 1, -1, np.nan], 2)
        output = module.fixNoise().forward(x).copy()
        gradInput = module.backward(x, g).copy()
        indices = module.indices.copy()
        module.evaluate()
        mean, meanGradInput = module.forward(x).copy(), module.backward(x, g).copy()
        expected, expectedMean = np.zeros_like(x), np.zeros(x.shape)
        for o, p in product(range(outH), range(outW)):
            rows, columns = (np.arange(i * stride - pad, i * stride - pad + kernel) for i in (o, p))
            rows, columns = rows[(rows >= 0) & (rows < size[0])], columns[(columns >= 0) & (columns < size[1])]
            cells = (rows[:, None] * size[1] + columns).ravel()
            values, gradient = x.ravel()[cells], g[0, o, p]
            noise = float(module.noise[0, o, p])
            pick = chosen(values, 2 if np.isnan(noise) else max(noise, 0))
            assert indices[0, o, p] == (cells[pick] if pick >= 0 else -1)
            np.testing.assert_array_equal(output[0, o, p], values[pick] if pick >= 0 else 0)
            if pick >= 0:
                expected.flat[cells[pick]] += gradient
            y, slopes = averaged(values.astype(np.float64))
            np.testing.assert_allclose(mean[0, o, p], y, rtol=1e-6)
            expectedMean.flat[cells] += gradient * slopes
        np.testing.assert_array_equal(gradInput, expected)
        np.testing.assert_allclose(meanGradInput, expectedMean, rtol=1e-5, atol=1e-5)


def test_stochastic_frequencies() -> None:
    """Cells come as often as their values say: chi-square of 200 000 draws, and their mean is that of evaluation."""
    manualSeed(8)
    window = np.array([[0.5, 0.0, 2.0], [-1.0, 1.0, 3.5]], np.float32)
    x = np.broadcast_to(window, (200_000, 1, 2, 3))
    module = nn.SpatialStochasticPooling(3, 2)
    drawn = module.forward(x)
    count = np.bincount(module.indices.ravel(), minlength=6)
    assert count[[1, 3]].tolist() == [0, 0]
    expected = len(x) * np.maximum(window.ravel(), 0) / 7
    above = expected > 0
    chiSquare = (np.square(count - expected)[above] / expected[above]).sum()
    assert chiSquare < 16.3  # with 3 degrees of freedom, exceeded once in 1000 seeds
    mean, deviation = drawn.mean(dtype=float), drawn.std(dtype=float)
    module.evaluate()
    assert abs(module.forward(x[:1]).item() - mean) < 4 * deviation / np.sqrt(len(x))
    assert module.forward(x[:1]).item() == pytest.approx((0.25 + 4 + 1 + 12.25) / 7)


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e150, 0.4e308])
def test_stochastic_beyond_double_precision(scale: float) -> None:
    """Sums and squares may leave the range of numbers, the results do not."""
    x = np.array([[[4.0, 1.0, 0.0], [3.0, -2.0, 2.0]]])
    module = nn.SpatialStochasticPooling(3, 2).double().fixNoise()
    module.noise = np.array([[[0.75]]])
    for train in (True, False):
        module.train = train
        usual, slopes = module.forward(x).copy(), module.backward(x, np.ones((1, 1, 1))).copy()
        np.testing.assert_allclose(module.forward(scale * x), scale * usual, rtol=1e-12 if scale > 1e-300 else 1e-9)
        np.testing.assert_allclose(module.backward(scale * x, np.ones((1, 1, 1))), slopes, rtol=1e-9)
    assert module.indices.item() == 3  # 4 + 1 do not exceed 7.5, 4 + 1 + 3 do


def test_stochastic_noise_is_drawn_or_kept() -> None:
    manualSeed(9)
    module, x = nn.SpatialStochasticPooling(2, 2), np.ones((2, 6, 6), np.float32)
    seen = []
    for step in range(4):
        module.fixNoise(step >= 2)
        module.forward(x)
        seen.append(module.noise.copy())
    assert [(a == b).all() for a, b in pairwise(seen)] == [False, True, True]
    with pytest.raises(ShapeError, match="noise: expected 1 x 3 x 3, got 2 x 3 x 3"):
        module.forward(x[:1])
    module.clearState().forward(x[:1])
    assert module.noise.shape == (1, 3, 3)
    module.evaluate()
    state = module.noise.copy()
    module.fixNoise(False).forward(x)
    np.testing.assert_array_equal(module.noise, state)


# ---------------------------------------------------------------------------------------------- S3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_s3_sweep(dtype: type) -> None:
    """Small planes, pools and grids, with ties, NaN and infinities; the gradient follows the maxima."""
    rng = np.random.default_rng(10)
    for height, width, p, cells in product((3, 4, 7), (3, 6, 8), (1, 2, 3), (1, 2, 4)):
        x = awkward(rng, 2, height, width).astype(dtype)
        module = nn.SpatialS3Pooling(p, p * cells, p * int(rng.integers(1, 4))).type(dtype)
        output = module.forward(x)
        assert output.shape == (2, height // p, width // p)
        g = rng.integers(1, 9, output.shape).astype(dtype)
        expected = np.zeros_like(x)
        for plane, (a, row), (b, column) in product(range(2), enumerate(module.rows), enumerate(module.columns)):
            window = range(row, min(row + p, height)), range(column, min(column + p, width))
            value, index = largest(x[plane], *window)
            np.testing.assert_array_equal(output[plane, a, b], value)
            assert module.indices[plane, a, b] == index
            expected[plane].flat[index] += g[plane, a, b]
        np.testing.assert_array_equal(module.backward(x, g), expected)


def test_s3_identity() -> None:
    """Pool and grid of 1 leave all as it is; a grid of 1 row and 3 columns, pool 1, as well."""
    x, g = np.random.default_rng(0).standard_normal((2, 2, 5, 7)).astype(np.float32)
    for grid, train in product((1, 3), (True, False)):
        module = nn.SpatialS3Pooling(1, grid, 1)
        module.train = train
        np.testing.assert_array_equal(module.forward(x), x)
        np.testing.assert_array_equal(module.backward(x, g), g)


def test_s3_choices() -> None:
    """From each cell as many as it should be, ascending, each choice as often as any other."""
    manualSeed(11)
    module, x = nn.SpatialS3Pooling(2, 4, 6), np.zeros((1, 11, 9), np.float32)  # columns 4 4 1, rows 6 5
    drawn = []
    for _ in range(6000):
        module.forward(x)
        assert module.rows.shape == (5,) and module.columns.shape == (4,)
        drawn.append(np.concatenate([module.rows, module.columns]))
    rows, columns = np.split(np.array(drawn), [5], 1)
    for kept, cells in ((rows, [(0, 6, 3), (6, 11, 2)]), (columns, [(0, 4, 2), (4, 8, 2)])):
        assert (np.diff(kept) > 0).all()
        at = 0
        for start, end, m in cells:
            choices = [tuple(choice) for choice in kept[:, at : at + m]]
            possible = list(combinations(range(start, end), m))
            count = np.array([choices.count(choice) for choice in possible])
            assert count.sum() == len(drawn)
            expected = len(drawn) / len(possible)
            freedom = len(possible) - 1
            assert (np.square(count - expected) / expected).sum() < freedom + 4 * np.sqrt(2 * freedom)
            at += m


def test_s3_evaluation_is_the_mean_of_training() -> None:
    manualSeed(12)
    x = np.random.default_rng(12).standard_normal((1, 10, 9))
    module = nn.SpatialS3Pooling(2, 6, 8).double()
    outputs = np.stack([module.forward(x).copy() for _ in range(4000)])
    module.evaluate()
    error = np.abs(outputs.mean(0) - module.forward(x)) / (outputs.std(0) / np.sqrt(len(outputs)) + 1e-9)
    assert error.max() < 4.5
    # With a grid as large as the pool every row of M is as likely as another.
    ones = nn.SpatialMaxPooling(2, 2, 1, 1).double().forward(x)[:, :8, :8]
    plain = ones.reshape(1, 4, 2, 4, 2).mean((2, 4))
    module = nn.SpatialS3Pooling(2, 2, 2).double()
    module.evaluate()
    np.testing.assert_allclose(module.forward(x)[:, :4], plain, rtol=1e-12)


@pytest.mark.parametrize("grid", [1000, 30000])
def test_s3_weights_of_large_grids(grid: int) -> None:
    """A constant stays what it is, and a ramp gives the means of order statistics, (j + 1) (t + 1) / (m + 1) - 1."""
    module = nn.SpatialS3Pooling(10, grid, 10).double()
    module.evaluate()
    x = np.stack([np.ones(1000), -np.arange(1000.0)])[:, None].repeat(10, 1)  # each is the largest of those from it on
    constant, ramp = module.forward(x)[:, 0]
    np.testing.assert_allclose(constant, 1, rtol=1e-12)
    np.testing.assert_allclose(ramp, 1 - (np.arange(100) + 1) * 1001 / 101, rtol=1e-11)


def test_s3_regions_are_drawn_or_kept() -> None:
    manualSeed(13)
    module, x = nn.SpatialS3Pooling(2, 8, 8), np.zeros((2, 3, 17, 33), np.float32)
    seen = []
    for step in range(4):
        module.fixPoolingRegions(step >= 2)
        module.forward(x)
        seen.append(np.concatenate([module.rows, module.columns]))
    assert [(a == b).all() for a, b in pairwise(seen)] == [False, True, True]
    with pytest.raises(ShapeError, match="columns: expected 8, got 16"):
        module.forward(x[..., :16])
    module.rows = np.arange(1, 9)
    module.columns = np.array([*range(15), 33])  # one too far
    with pytest.raises(IndexRangeError, match="columns: expected 0 to 32, got 33"):
        module.forward(x)
    assert module.columns[-1] == 33
    assert module.clearState().forward(x[..., :16]).shape[-1] == 8


@pytest.mark.parametrize(
    "make", [lambda: nn.SpatialFractionalMaxPooling(2, 2, 3, 3), lambda: nn.VolumetricFractionalMaxPooling(2, 2, 2, 3, 3, 3)]
)
@pytest.mark.parametrize("wrong", [-0.25, 1.0, 7.0, np.nan])
def test_samples_that_are_given_lie_from_0_to_1(make, wrong):
    layer = make().fixPoolingRegions()
    dims = len(layer._axes)
    layer.randomSamples = np.full((1, 1, dims), 0.5, np.float32)
    x = np.zeros((1, *(9,) * dims), np.float32)
    layer.forward(x)
    layer.randomSamples[0, 0, 1] = wrong
    with pytest.raises(ValueRangeError, match=r"randomSamples: expected numbers in \[0, 1\)"):
        layer.forward(x)


def test_windows_are_divided_once():
    """No rounding moves a window if steps are whole numbers or reach them: start(o) = floor(o * free / gaps) for u = 0."""
    for size in range(4, 260):
        for out in range(2, size // 2 + 1):
            if (size - 2) % (out - 1) and size % 7:
                continue
            layer = nn.SpatialFractionalMaxPooling(2, 2, out, 1).double().fixPoolingRegions()
            layer.randomSamples = np.zeros((1, 1, 2))
            layer.forward(np.arange(2.0 * size).reshape(1, 2, size))
            starts = layer.indices[0, 0] % size - 1
            assert starts.tolist() == [o * (size - 2) // (out - 1) for o in range(out)]


@pytest.mark.parametrize("wrong", [1.0, -1e-9, np.nan])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(5, 5), (5, 5, 5)], ids=["Spatial", "Volumetric"])
def test_samples_of_fractional_pooling_outside_of_0_to_1_are_refused_by_C_too(sizes, dtype, wrong):
    dims = len(sizes)
    layer = nn.SpatialFractionalMaxPooling(2, 2, 3, 3) if dims == 2 else nn.VolumetricFractionalMaxPooling(2, 2, 2, 3, 3, 3)
    layer.type(dtype)
    x, samples = np.zeros((1, 2, *sizes), dtype), np.full((1, 2, dims), 0.5, dtype)
    output, indices = np.full((1, 2, *(3,) * dims), 7, dtype), np.full((1, 2, *(3,) * dims), 7)
    samples[0, 1, -1] = wrong
    name = f"{layer._layer}_updateOutput"
    with pytest.raises(ValueRangeError, match=r"FractionalMaxPooling: randomSamples: expected numbers in \[0, 1\), got "):
        call(layer, name, x, output, *(3,) * dims, *(2,) * dims, indices, samples)
    assert (output == 7).all() and (indices == 7).all()
