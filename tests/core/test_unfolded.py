"""unfolded_copy and unfolded_acc, which no class calls: a convolution's input as a matrix, and back."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests import capi

PLANES, HEIGHT, WIDTH = 3, 6, 7


def places(size: int, kernel: int, stride: int, pad: int) -> int:
    return (size + 2 * pad - kernel) // stride + 1


def call(name: str, real: str, kW: int, kH: int, dW: int, dH: int, padW: int, padH: int, **arrays: Any) -> capi.Call:
    function = next(f for f in capi.GENERIC if f.name == name)
    numbers = {
        "kW": kW, "kH": kH, "dW": dW, "dH": dH, "padW": padW, "padH": padH, "nInputPlane": PLANES, "inputWidth": WIDTH,
        "inputHeight": HEIGHT, "outputWidth": places(WIDTH, kW, dW, padW), "outputHeight": places(HEIGHT, kH, dH, padH),
    }  # fmt: skip
    made = capi.Call(function, real, values={"state": None} | numbers)
    made.arrays |= arrays
    made.values |= {key: capi.describe(array) for key, array in arrays.items()}
    return made


def unfolded(input: Any, kW: int, kH: int, dW: int, dH: int, padW: int, padH: int) -> Any:
    """By definition: a row for each cell of the window in each plane, a column for each place of the window."""
    padded = np.pad(input, ((0, 0), (padH, padH), (padW, padW)))
    oH, oW = places(HEIGHT, kH, dH, padH), places(WIDTH, kW, dW, padW)
    rows = [
        padded[c, i : i + (oH - 1) * dH + 1 : dH, j : j + (oW - 1) * dW + 1 : dW].ravel()
        for c, i, j in itertools.product(range(PLANES), range(kH), range(kW))
    ]
    return np.stack(rows)


WINDOWS = [(1, 1, 1, 1, 0, 0), (3, 2, 1, 1, 0, 0), (3, 3, 1, 1, 1, 1), (2, 3, 3, 2, 1, 2), (7, 6, 1, 1, 0, 0), (5, 4, 2, 3, 4, 5)]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("real", capi.REALS)
def test_copy(real: str, window: tuple[int, ...]) -> None:
    input = np.random.default_rng(1).standard_normal((PLANES, HEIGHT, WIDTH)).astype(capi.REALS[real])
    expected = unfolded(input, *window)
    copy = call("unfolded_copy", real, *window, finput=np.full(expected.shape, np.nan, input.dtype), input=input)
    assert copy() == capi.OK, capi.last_error()
    np.testing.assert_array_equal(copy.arrays["finput"], expected)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("real", capi.REALS)
def test_acc_is_the_transpose_of_copy(real: str, window: tuple[int, ...]) -> None:
    """<copy(x), m> = <x, acc(m)>, in whole numbers so that every sum is exact; what was there before stays in the sum."""
    rng = np.random.default_rng(2)
    input = rng.integers(-9, 9, (PLANES, HEIGHT, WIDTH)).astype(capi.REALS[real])
    matrix = rng.integers(-9, 9, unfolded(input, *window).shape).astype(input.dtype)
    before = rng.integers(-9, 9, input.shape).astype(input.dtype)
    acc = call("unfolded_acc", real, *window, finput=matrix, input=before.copy())
    assert acc() == capi.OK, capi.last_error()
    assert np.sum(unfolded(input, *window) * matrix) == np.sum(input * (acc.arrays["input"] - before))


@pytest.mark.parametrize(
    "wrong, argument",
    [({"kW": 0}, "kW"), ({"dH": 0}, "dH"), ({"padW": -1}, "padW"), ({"outputWidth": 6}, "outputWidth"),
     ({"nInputPlane": 4}, "input"), ({"kW": 2**40}, "kW")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["unfolded_copy", "unfolded_acc"])
def test_errors(name: str, wrong: dict[str, int], argument: str) -> None:
    window = (3, 2, 1, 1, 0, 0)
    input = np.ones((PLANES, HEIGHT, WIDTH))
    matrix = unfolded(input, *window)
    bad = call(name, "Double", *window, finput=matrix, input=input)
    bad.values |= wrong
    kept = matrix.copy(), input.copy()
    assert bad() in (capi.VALUE, capi.SHAPE)
    assert argument in capi.last_error()
    np.testing.assert_array_equal(matrix, kept[0])
    np.testing.assert_array_equal(input, kept[1])
