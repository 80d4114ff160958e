"""pointwise_apply, pointwise_add and pointwise_sum: what NumPy gives, repeated dimensions included."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend
from pytorch_legacy.nn import blocks
from tests import capi
from tests.rows import rows

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv, np.maximum, np.minimum]  # in the order of THNNOperation
SHAPES = [
    ((5,), (5,)), ((5,), (1,)), ((2, 3, 4, 5), (1, 3, 1, 1)), ((2, 3, 4, 5), (2, 1, 4, 1)), ((2, 3, 4, 5), (1, 1, 4, 5)),
    ((2, 3, 4, 5), (1, 1, 1, 1)), ((2, 3, 4, 5), (2, 3, 1, 5)), ((7, 1, 5), (1, 1, 5)), ((2, 1, 3), (2, 1, 1)), ((0, 3), (1, 3)),
    ((40, 7, 300), (40, 1, 300)), ((30000,), (1,)), ((3, 2, 2, 2, 2, 2, 2, 3), (1, 2, 1, 2, 1, 2, 1, 3)),
]  # fmt: skip


def call(name: str, real: str, arrays: dict[str, Any], **numbers: Any) -> int:
    function = next(f for f in capi.GENERIC if f.name == name)
    made = capi.Call(function, real, arrays=arrays, values={"state": None} | numbers)
    made.values |= {key: array if array is None else capi.describe(array) for key, array in arrays.items()}
    return made()


def apply(real: str, operation: int, x: Any, z: Any, y: Any) -> int:
    return call("pointwise_apply", real, {"input": x, "other": z, "output": y}, operation=operation)


def add_up(real: str, x: Any, factor: Any, total: Any, scale: float) -> int:
    return call("pointwise_sum", real, {"input": x, "factor": factor, "sum": total}, scale=scale)


def shapes(names: str, pairs: list[tuple[Any, Any]]) -> pytest.MarkDecorator:
    return rows(names, [("shapes", str(pair), pair) for pair in pairs])


@shapes("shape, repeated", SHAPES)
@pytest.mark.parametrize("operation", range(6))
@pytest.mark.parametrize("real", capi.REALS)
def test_as_numpy(real: str, operation: int, shape: tuple[int, ...], repeated: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    x, z = (rng.uniform(0.5, 2, size).astype(capi.REALS[real]) for size in (shape, repeated))
    x.flat[::5], z.flat[::7] = np.nan, np.nan
    expected = OPERATIONS[operation](x, z)
    y = np.full_like(x, np.nan)
    assert apply(real, operation, x, z, y) == capi.OK, capi.last_error()
    np.testing.assert_array_equal(y, expected)
    assert apply(real, operation, x, z, x) == capi.OK, capi.last_error()  # in place
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("real", capi.REALS)
def test_in_the_place_of_the_other(real: str) -> None:
    x, z = np.arange(6.0).astype(capi.REALS[real]), np.arange(6.0, 12).astype(capi.REALS[real])
    assert apply(real, 1, x, z, z) == capi.OK
    np.testing.assert_array_equal(z, np.full(6, -6))
    assert apply(real, 1, x, x[:1], x) == capi.VALUE  # it would change what is still to be read
    np.testing.assert_array_equal(x, np.arange(6))


@pytest.mark.parametrize(
    "shape, repeated, operation, status",
    [((2, 3), (2, 2), 0, "SHAPE"), ((2, 3), (3,), 0, "SHAPE"), ((2, 3), (2, 3), 6, "VALUE"), ((2, 3), (2, 3), -1, "VALUE")],
)
def test_errors(shape: tuple[int, ...], repeated: tuple[int, ...], operation: int, status: str) -> None:
    y = np.full(shape, 7.0)
    assert apply("Double", operation, np.ones(shape), np.ones(repeated), y) == getattr(capi, status)
    assert (y == 7).all()


SUMS = [
    ((1,), (1,)), ((70000,), (1,)), ((70000,), (70000,)), ((300, 170), (300, 1)), ((9000, 9), (1, 9)), ((3, 40000), (1, 40000)),
    ((8, 5, 900), (1, 5, 1)), ((3, 300, 40), (3, 1, 40)), ((50, 3, 20, 30), (1, 3, 1, 30)), ((2, 40, 3, 50, 4), (2, 1, 3, 1, 4)),
    ((3, 40, 3, 50, 4), (1, 40, 1, 50, 1)),
]  # fmt: skip


@shapes("shape, kept", SHAPES + SUMS)
@pytest.mark.parametrize("factor", [False, True])
@pytest.mark.parametrize("real", capi.REALS)
def test_sum_as_numpy(real: str, factor: bool, shape: tuple[int, ...], kept: tuple[int, ...]) -> None:
    rng = np.random.default_rng(6)
    x, f = rng.uniform(-1, 2, (2, *shape)).astype(capi.REALS[real])
    total = rng.uniform(-1, 2, kept).astype(capi.REALS[real])
    axes = tuple(d for d in range(len(shape)) if shape[d] != kept[d])
    terms = x.astype(np.float64) * f if factor else x.astype(np.float64)
    expected = total + 0.5 * terms.sum(axes, keepdims=True)
    assert add_up(real, x, f if factor else None, total, 0.5) == capi.OK, capi.last_error()
    np.testing.assert_allclose(total, expected, *((1e-6, 1e-6) if real == "Float" else (1e-13, 1e-12)))


@pytest.mark.parametrize("shape", [(3,), (40000,), (7, 30, 200), (0, 3)], ids=str)
@pytest.mark.parametrize("real", capi.REALS)
def test_add_as_numpy(real: str, shape: tuple[int, ...]) -> None:
    """Bit for bit: the product is rounded, then the sum."""
    x, y = np.random.default_rng(9).normal(size=(2, *shape)).astype(capi.REALS[real])
    x.flat[::1000], y.flat[::1500] = np.inf, np.nan
    expected = y + x * np.full_like(x, -0.1)
    assert call("pointwise_add", real, {"input": x, "output": y}, scale=-0.1) == capi.OK, capi.last_error()
    np.testing.assert_array_equal(y, expected)
    assert call("pointwise_add", real, {"input": x, "output": y.reshape(-1)[:0]}, scale=1.0) == capi.SHAPE


def test_add_in_blocks() -> None:
    """blocks.add takes libTHNN's or NumPy's, whatever the arrays; the results are the same."""
    x = np.random.default_rng(10).normal(size=(6, 5, 4)).astype(np.float32)
    for view in (x, x[::2, ::-1], x.T, x[:, 0], x.astype(np.float64), x.astype(np.int64), x[0, 0, 0], x[(None,) * 6]):
        for scale in (-0.3, np.float32(-0.3), 2):
            for input in (view, view + 1, view[::-1] if view.ndim else view + 2, np.asarray(view, np.float32)):
                target = input if input is view else view.copy()
                if target.dtype.kind == "i" and (scale != 2 or input.dtype.kind == "f"):
                    continue
                expected = (target + scale * input).astype(target.dtype)
                np.testing.assert_array_equal(blocks.add(np.asarray(target), input, scale), expected)


@pytest.mark.parametrize("shape, kept", SUMS, ids=str)
def test_sum_of_threads(shape: tuple[int, ...], kept: tuple[int, ...]) -> None:
    x = np.random.default_rng(7).normal(size=shape)
    sums = []
    for threads in (1, 2, 3):
        backend.set_num_threads(threads)
        sums.append(blocks.addUp(np.zeros(kept), x))
    np.testing.assert_array_equal(sums[0], sums[1])
    np.testing.assert_array_equal(sums[0], sums[2])


@pytest.mark.parametrize(
    "shape, factor, kept, status",
    [((2, 3), (2, 1), (2, 1), "SHAPE"), ((2, 3), None, (2, 2), "SHAPE"), ((2, 3), None, (2,), "SHAPE")],
)
def test_sum_errors(shape: tuple[int, ...], factor: tuple[int, ...] | None, kept: tuple[int, ...], status: str) -> None:
    total = np.full(kept, 7.0)
    assert add_up("Double", np.ones(shape), factor and np.ones(factor), total, 1.0) == getattr(capi, status)
    assert (total == 7).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("factor", [False, True])
def test_sums_of_any_array(dtype: Any, factor: bool) -> None:
    """blocks.addUp takes libTHNN's or NumPy's; strided arrays and deep ones too."""
    x = np.random.default_rng(8).integers(1, 9, (6, 5, 4)).astype(dtype)
    for array in (x, x[::2, ::-1], x.T, x.reshape(1, 6, 1, 5, 1, 1, 2, 1, 2)):
        factors = (array + 1,) if factor else ()
        target = np.full((*array.shape[:-2], 1, array.shape[-1]), 3, dtype)
        expected = 3 + (array * (array + 1) if factor else array).sum(-2, keepdims=True)
        np.testing.assert_array_equal(blocks.addUp(target, array, *factors), expected)


@pytest.mark.parametrize("function, expected", [(blocks.larger, np.maximum), (blocks.smaller, np.minimum)])
def test_larger_in_blocks(function: Any, expected: Any) -> None:
    x, z = np.random.default_rng(5).normal(size=(2, 700, 400)).astype(np.float32)
    x[0, :9], z[0, 5:] = np.nan, np.nan
    for n in (1, 700):  # small arrays are NumPy's
        np.testing.assert_array_equal(blocks.apply(function, x[:n], z[:n], out=np.empty_like(x[:n])), expected(x[:n], z[:n]))


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.divide, np.maximum])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_blocks(ufunc: Any, dtype: Any) -> None:
    """blocks.apply takes libTHNN's or NumPy's, whatever the arrays; the results are the same."""
    rng = np.random.default_rng(4)
    x = rng.integers(1, 9, (64, 50, 90)).astype(dtype)
    out = np.empty_like(x, np.result_type(ufunc(x[:1], x[:1])))
    others = [3, dtype(3), x[::-1], x[:1], x[:, :1], x[0], x[0, 0], x.copy(), rng.integers(1, 9, x.shape).astype(np.int16)]
    for other in others:
        expected = ufunc(x, other).astype(out.dtype)
        np.testing.assert_array_equal(blocks.apply(ufunc, x, other, out=out), expected)
        np.testing.assert_array_equal(blocks.apply(ufunc, x.swapaxes(0, 1).copy().swapaxes(0, 1), other, out=out), expected)
    same = x.astype(out.dtype)
    expected = ufunc(same, same[:, :1])
    np.testing.assert_array_equal(blocks.apply(ufunc, same, same[:, :1], out=same), expected)
