"""Max pooling against its definition in rows long enough for every loop, with ties, NaN and infinities."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn

CALM, WILD = [0.25, 0.25, 0.25, 0.25, 0, 0, 0], [0.24, 0.25, 0.25, 0.22, 0.01, 0.01, 0.02]


def cells(rng: np.random.Generator, chances: list[float], *shape: int) -> np.ndarray:
    """Few values, so that there are ties; some of them NaN and infinite, if that may be."""
    return rng.choice([-1.0, 0.0, 1.0, 2.0, np.nan, np.inf, -np.inf], shape, p=chances)


def windows(size: int, out: int, kernel: int, stride: int, pad: int = 0, dilation: int = 1) -> list[range]:
    """The cells of each window: those of its kernel that are on the input."""
    firsts = (o * stride - pad for o in range(out))
    return [
        range(first if first >= 0 else first % dilation, min(first + (kernel - 1) * dilation + 1, size), dilation)
        for first in firsts
    ]


def adaptive(size: int, out: int) -> list[range]:
    return [range(o * size // out, -(-(o + 1) * size // out)) for o in range(out)]


def fractional(size: int, out: int, kernel: int, u: float) -> list[range]:
    alpha = (size - kernel) / (out - 1)
    firsts = [int((o + u) * alpha) - int(u * alpha) for o in range(out - 1)] + [size - kernel]
    return [range(first, first + kernel) for first in firsts]


def check_plane(output: np.ndarray, indices: np.ndarray, x: np.ndarray, *axes: list[range]) -> None:
    """NumPy's argmax takes the first of equals, and the first NaN before every number, as we do."""
    assert output.shape == tuple(map(len, axes))
    places, largest = np.arange(x.size).reshape(x.shape), np.empty(output.shape, np.int64)
    for place in product(*(range(len(windows)) for windows in axes)):
        window = tuple(slice(c.start, c.stop, c.step) for c in (windows[o] for windows, o in zip(axes, place, strict=True)))
        largest[place] = places[window].flat[x[window].argmax()]
    np.testing.assert_array_equal(indices, largest)
    np.testing.assert_array_equal(output, x.flat[largest])


def check(module: Any, x: np.ndarray, *axes: list[range]) -> None:
    output = module.forward(x)
    for plane in range(len(x)):
        check_plane(output[plane], module.indices[plane], x[plane], *axes)


@pytest.mark.parametrize("chances", [CALM, WILD], ids=["calm", "wild"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", [1, 2, 3, 4])
def test_sliding(kernel: int, dtype: type, chances: list[float]) -> None:
    rng = np.random.default_rng(kernel)
    for stride, height, width in product((1, 2, 3), (3, 6), (16, 17, 18, 33, 35, 36, 67, 68)):
        for tall, pad in product((1, 2, 3), (0, 1)):
            if pad > min(kernel, tall) // 2:
                continue
            module = nn.SpatialMaxPooling(kernel, tall, stride, stride, pad, pad).ceil().type(dtype)
            x: np.ndarray = cells(rng, chances, 2, height, width).astype(dtype)
            outH, outW = module.forward(x).shape[1:]
            check(module, x, windows(height, outH, tall, stride, pad), windows(width, outW, kernel, stride, pad))


@pytest.mark.parametrize("chances", [CALM, WILD], ids=["calm", "wild"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_adaptive(dtype: type, chances: list[float]) -> None:
    rng = np.random.default_rng(0)
    for height, width, outH, outW in product((5, 12), (16, 37, 64, 259), (1, 2, 5, 12), (1, 3, 8, 14, 40)):
        module = nn.SpatialAdaptiveMaxPooling(outW, outH).type(dtype)
        check(module, cells(rng, chances, 2, height, width).astype(dtype), adaptive(height, outH), adaptive(width, outW))


@pytest.mark.parametrize("chances", [CALM, WILD], ids=["calm", "wild"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_rows(dtype: type, chances: list[float]) -> None:
    """Windows that are stretches of memory, from half a vector to more than four."""
    rng = np.random.default_rng(4)
    for out, cell in product((2, 3, 15, 16, 17, 40), (7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 47, 61, 62, 63, 64, 70)):
        width = out * cell + int(rng.integers(0, 2)) * (out - 1)
        module = nn.SpatialAdaptiveMaxPooling(out, 1).type(dtype)
        check(module, cells(rng, chances, 2, 1, width).astype(dtype), adaptive(1, 1), adaptive(width, out))


@pytest.mark.parametrize("chances", [CALM, WILD], ids=["calm", "wild"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_apart(dtype: type, chances: list[float]) -> None:
    """Windows of few and many cells, dense and dilated, that overlap or lie far apart; some begin on the padding."""
    rng = np.random.default_rng(1)
    for width, kernel, stride, dilation in product((15, 16, 40, 65, 130), (1, 2, 3, 5, 9, 16, 17), (1, 3, 7, 20), (1, 2, 4, 9)):
        pad = int(rng.integers(0, min(kernel // 2, 3) + 1))
        if (kernel - 1) * dilation + 1 > width + 2 * pad:
            continue
        tall, dilationH = rng.integers(1, 4, 2).tolist()
        module = nn.SpatialDilatedMaxPooling(kernel, tall, stride, 2, pad, 0, dilation, dilationH).type(dtype)
        x: np.ndarray = cells(rng, chances, 2, 9, width).astype(dtype)
        outH, outW = module.forward(x).shape[1:]
        columns = windows(width, outW, kernel, stride, pad, dilation)
        if all(columns):
            check(module, x, windows(9, outH, tall, 2, 0, dilationH), columns)


@pytest.mark.parametrize("chances", [CALM, WILD], ids=["calm", "wild"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_random_windows(dtype: type, chances: list[float]) -> None:
    """Random windows of fractional and of S3 pooling keep the definition."""
    rng = np.random.default_rng(2)
    for width, kernel, out in product((12, 16, 33, 70, 200), (2, 3), (4, 7)):
        x: np.ndarray = cells(rng, chances, 3, 11, width).astype(dtype)
        for outW in (out, width * 2 // 3, width - kernel):
            module = nn.SpatialFractionalMaxPooling(kernel, 2, outW, out).type(dtype)
            output = module.forward(x)
            for plane, (u, v) in enumerate(module.randomSamples[0]):
                columns, rows = fractional(width, outW, kernel, float(u)), fractional(11, out, 2, float(v))
                check_plane(output[plane], module.indices[plane], x[plane], rows, columns)
        module = nn.SpatialS3Pooling(kernel, 2 * kernel, kernel).type(dtype)
        output = module.forward(x)
        rows, columns = windows(11, 11, kernel, 1), windows(width, width, kernel, 1)
        for plane in range(len(x)):
            check_plane(
                output[plane],
                module.indices[plane],
                x[plane],
                [rows[r] for r in module.rows],
                [columns[c] for c in module.columns],
            )


@pytest.mark.parametrize("slices", [1, 2, 4])
def test_long_windows(slices: int) -> None:
    """Windows of whole planes, in several parts; the largest cell, or a NaN, is in any of them."""
    rng = np.random.default_rng(slices)
    x: np.ndarray = rng.standard_normal((8, 4, 150, 130))
    for place, plane in zip(rng.integers(0, 4 * 150 * 130, 6), x, strict=False):
        plane.flat[place] = 9
    x[3].flat[rng.integers(0, 4 * 150 * 130, 2)] = np.nan
    x[4].flat[[7, 60000]] = np.inf
    x[5] = -np.inf
    module = nn.VolumetricAdaptiveMaxPooling(slices, 1, 1).double()
    output = module.forward(x)
    for plane, (o, window) in product(range(len(x)), enumerate(adaptive(4, slices))):
        cells = x[plane, window.start : window.stop].ravel()
        np.testing.assert_equal(output[plane, o].item(), cells[cells.argmax()])
        assert module.indices[plane, o].item() == window.start * 150 * 130 + cells.argmax()


@pytest.mark.parametrize("out", [1, 2, 3])
def test_whole_rows_of_several_slices(out: int) -> None:
    """Windows as wide as the volume, but not as high: not one stretch of memory."""
    x: np.ndarray = np.random.default_rng(out).standard_normal((3, 5, 7, 6))
    check(nn.VolumetricAdaptiveMaxPooling(out, 1, 3).double(), x, adaptive(5, out), adaptive(7, 3), adaptive(6, 1))


@pytest.mark.parametrize("chances", [CALM, WILD], ids=["calm", "wild"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_boxes(dtype: type, chances: list[float]) -> None:
    x: np.ndarray = cells(np.random.default_rng(3), chances, 2, 5, 6, 20).astype(dtype)
    sliding = nn.VolumetricDilatedMaxPooling(2, 3, 2, 1, 2, 3, 1, 0, 0, 3, 1, 2).type(dtype)
    check(sliding, x, windows(5, 4, 2, 1, 1, 3), windows(6, 2, 2, 3, 0, 2), windows(20, 9, 3, 2))
    check(nn.VolumetricAdaptiveMaxPooling(3, 7, 2).type(dtype), x, adaptive(5, 3), adaptive(6, 2), adaptive(20, 7))


@pytest.mark.parametrize("side", [8, 80])
def test_gradients_go_where_indices_say(side: int) -> None:
    """In any order and from nowhere (-1), in planes that a cache holds and larger ones."""
    rng = np.random.default_rng(side)
    module = nn.SpatialMaxPooling(2, 2).double()
    x: np.ndarray = rng.standard_normal((3, side, side))
    gradOutput: np.ndarray = rng.standard_normal(module.forward(x).shape)
    module.indices[...] = rng.integers(-1, side * side, gradOutput.shape)
    expected = np.zeros((3, side * side + 1))  # -1 is the last one
    for plane in range(3):
        np.add.at(expected[plane], module.indices[plane].ravel(), gradOutput[plane].ravel())
    np.testing.assert_allclose(module.updateGradInput(x, gradOutput), expected[:, :-1].reshape(x.shape), rtol=1e-12)
