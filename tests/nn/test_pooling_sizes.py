"""Pooling layers have as many windows as the definition says, for all small planes, kernels, strides and paddings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.backend import output_size
from pytorch_legacy.errors import ShapeError
from tests.cases.windows import dilated, fixed, pool


def numbers() -> Iterator[tuple[int, int, int, int]]:
    """Yields sizes, kernels, strides and paddings. Some kernels are larger than the plane with its padding."""
    for size, kernel, stride in itertools.product(range(1, 5), range(1, 10), range(1, 6)):
        yield from ((size, kernel, stride, pad) for pad in range(kernel // 2 + 1))


def widths(module: Any, size: int) -> int:
    """Returns the width of the output for planes of two rows and `size` columns, 0 if there is no window."""
    try:
        return int(output_size(module, f"{module._layer}_outputSize", np.zeros((1, 2, size), "f"), *given(module))[-1])
    except ShapeError as error:
        assert "expected planes that hold the kernel" in str(error)
        return 0


def given(module: Any) -> list[int]:
    dilation = ("dilationW", "dilationH") if hasattr(module, "dilationW") else ()
    names = ("kW", "kH", "dW", "dH", "padW", "padH", *dilation, "ceil_mode")
    return [int(getattr(module, name)) for name in names]


@pytest.mark.parametrize("ceil", [False, True])
def test_widths(ceil: bool) -> None:
    beyond = 0
    for size, kernel, stride, pad in numbers():
        module = nn.SpatialMaxPooling(kernel, 1, stride, 1, pad, 0)
        module.ceil_mode = ceil
        count = len(fixed(size, kernel, stride, pad, ceil))
        assert widths(module, size) == count, (size, kernel, stride, pad)
        beyond += kernel > size + 2 * pad and count == 1
    assert (beyond > 100) == ceil


@pytest.mark.parametrize("ceil", [False, True])
def test_widths_of_dilated_windows(ceil: bool) -> None:
    for (size, kernel, stride, pad), dilation in itertools.product(numbers(), (2, 3)):
        module = nn.SpatialDilatedMaxPooling(kernel, 1, stride, 1, pad, 0, dilation, 1)
        module.ceil_mode = ceil
        count = len(dilated(size, kernel, stride, pad, dilation, ceil))
        assert widths(module, size) == count, (size, kernel, stride, pad, dilation)


@pytest.mark.parametrize("name", ["SpatialMaxPooling", "SpatialAveragePooling"])
def test_values_of_the_only_window(name: str) -> None:
    """A kernel may be larger than the plane with its padding, by less than the stride. Its window has all cells of the plane."""
    rng = np.random.default_rng(0)
    for size, kernel, stride, pad in numbers():
        if not size + 2 * pad < kernel < size + 2 * pad + stride:
            continue
        x = rng.standard_normal((1, size, 2))
        module = getattr(nn, name)(2, kernel, 1, stride, 0, pad).ceil().double()
        window = [range(-pad, kernel - pad)]
        cells = (size + 2 * pad) * 2  # an average counts these cells
        if "Max" in name:
            expected = pool(x, window, [range(2)], lambda found, *_: found.max((-2, -1)))
        else:
            expected = pool(x, window, [range(2)], lambda found, *_: found.sum((-2, -1))) / cells
        np.testing.assert_allclose(module.forward(x), expected, rtol=0, atol=1e-15)
        if "Average" in name:
            np.testing.assert_allclose(module.backward(x, np.ones((1, 1, 1))), np.full(x.shape, 1 / cells), rtol=0, atol=1e-15)


def test_a_window_larger_than_the_plane_as_in_torch7() -> None:
    x = np.float32([[[1, 2], [3, 4]]])
    assert nn.SpatialMaxPooling(3, 3, 2, 2).ceil().forward(x).tolist() == [[[4.0]]]
    assert nn.SpatialAveragePooling(3, 3, 2, 2).ceil().forward(x).tolist() == [[[2.5]]]
    with pytest.raises(ShapeError, match="hold the kernel except for fewer than dW 2 cells: input width 2 with padding 0, kW 4"):
        nn.SpatialMaxPooling(4, 3, 2, 2).ceil().forward(x)
    with pytest.raises(ShapeError, match="hold the kernel: input width 2 with padding 0, kW 3"):
        nn.SpatialMaxPooling(3, 3, 2, 2).forward(x)
