"""Functions of arrays as layers call them: NumPy's results within rounding, and the bits of a pass that is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pytorch_legacy.backend import compute
from pytorch_legacy.recording.recorder import Recorder

DTYPES = (np.float32, np.float64)
RNG = np.random.default_rng(0)
ELEMENTARY = ("exp", "log", "log1p", "expm1", "tanh", "sin", "cos")


def softplus(x: Any, out: Any = None) -> Any:
    return np.logaddexp(0, x, out=out)


def norms(x: Any, axis: int) -> Any:
    return np.sqrt(np.square(x.astype(np.longdouble)).sum(axis, keepdims=True)).astype(x.dtype)


# Functions of an array, with NumPy's.
UNARY: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    **{name: (getattr(compute, name), getattr(np, name)) for name in ELEMENTARY},
    "softplus": (compute.softplus, softplus),
    **{
        f"power {y}": (lambda x, out=None, y=y: compute.power(x, y, out), lambda x, out=None, y=y: np.power(x, y, out=out))
        for y in (0, 0.5, 2, -1, 3, -0.75, 2.5)
    },
    "maximum": (lambda x, out=None: compute.maximum(x, 0.5, out), lambda x, out=None: np.maximum(x, 0.5, out=out)),
    "minimum of a number": (lambda x, out=None: compute.minimum(1, x, out), lambda x, out=None: np.minimum(1, x, out=out)),
    "clip": (lambda x, out=None: compute.clip(x, 0.3, 0.6, out), lambda x, out=None: np.clip(x, 0.3, 0.6, out=out)),
    "hypot": (lambda x, out=None: compute.hypot(x, 0.25, out), lambda x, out=None: np.hypot(x, 0.25, out=out)),
}
REDUCTIONS = {
    f"{name} {axis} {keepdims} {dtype.__name__ if dtype else ''}": (name, axis, keepdims, dtype)
    for name in ("sum", "mean", "max", "min")
    for axis in (None, 0, -1, (0, 2), (1, 2))
    for keepdims in (False, True)
    for dtype in ((None, np.float64) if name in ("sum", "mean") else (None,))
}


def near(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    assert one.shape == other.shape
    assert one.dtype == other.dtype
    np.testing.assert_allclose(one, other, 20 * np.finfo(one.dtype).eps)


def same(one: Any, other: Any) -> None:
    one, other = np.asarray(one), np.asarray(other)
    assert one.shape == other.shape
    assert one.dtype == other.dtype
    assert one.tobytes() == other.tobytes()


def recorded(function: Callable[..., Any], *arrays: Any, kind: str = "input") -> tuple[Any, list[str]]:
    """Returns what a function makes of recorded arrays, and the names of the calls that this takes."""
    recorder = Recorder()
    with recorder.active():
        made = function(*[recorder.bound(array, kind) for array in arrays])
    return made.hidden, [call.name for call in recorder.calls]


def unaligned(x: Any) -> Any:
    made = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


def inputs(dtype: Any) -> dict[str, Any]:
    x = RNG.uniform(0.1, 2, (4, 3, 6)).astype(dtype)
    fixed = x.copy()
    fixed.flags.writeable = False
    return {
        "dense": x,
        "turned": x.T,
        "parts": x[::2, :, ::-2],
        "repeated": np.broadcast_to(x[:, :1], (4, 5, 6)),
        "read-only": fixed,
        "unaligned": unaligned(x),
        "empty": x[:0],
        "a number": x[0, 0, :1].reshape(()),
        "large": RNG.uniform(0.1, 2, (3, 70000)).astype(dtype),
    }


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_elements(name: str, dtype: Any) -> None:
    ours, numpys = UNARY[name]
    for x in inputs(dtype).values():
        found = ours(x)
        near(found, numpys(x))
        if x.size and x.flags.aligned:
            made, calls = recorded(ours, x)
            same(found, made)
            assert calls and all(call.startswith("array") for call in calls)
            same(found, recorded(ours, x, kind="constant")[0])
        same(found, ours(np.array(x)))
        out = np.empty_like(x, order="F")
        assert type(found) is (np.ndarray if x.ndim else dtype)
        assert ours(x, out=out) is out
        same(out, found)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_results_that_are_given_an_array(name: str, dtype: Any) -> None:
    """An output may be the input, overlap it, be larger, or have another type."""
    ours, _ = UNARY[name]
    x = inputs(dtype)["dense"]
    expected = ours(x)
    place = x.copy()
    assert ours(place, out=place) is place
    same(place, expected)
    row = np.concatenate([x.ravel(), x.ravel()[:1]])
    ours(row[:-1], out=row[1:])
    same(row[1:], expected.ravel())
    larger = np.empty((2, *x.shape), dtype)
    ours(x, out=larger)
    same(larger, np.stack([expected, expected]))
    if dtype is np.float32:
        wide = np.empty(x.shape, np.float64)
        ours(x, out=wide)
        assert np.abs(wide - expected).max() < 1e-5


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_along_axes(name: str, dtype: Any) -> None:
    function, axis, keepdims, kind = REDUCTIONS[name]
    given = {"axis": axis, "keepdims": keepdims} | ({"dtype": kind} if kind else {})
    for what, x in inputs(dtype).items():
        if x.ndim < 3 or (what == "empty" and function != "sum"):
            continue
        found = getattr(compute, function)(x, **given)
        near(found, getattr(np, function)(x, **given))
        same(found, getattr(compute, function)(np.array(x), **given))
        if x.size and x.flags.aligned:
            same(found, recorded(lambda x: getattr(compute, function)(x, **given), x)[0])
        out = np.zeros((*np.shape(found), 2), found.dtype)[..., 0]
        assert getattr(compute, function)(x, out=out, **given) is out
        same(out, found)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_are_taken_in_double_precision(dtype: Any) -> None:
    x = np.array([1e8, 1, -1e8] * 1000, dtype)
    assert compute.sum(x) == 1000
    assert compute.sum(np.full(3, np.finfo(dtype).max), dtype=np.float64) == 3 * float(np.finfo(dtype).max) or dtype is np.float64
    same(compute.cumsum(x.reshape(3, -1), 1), recorded(lambda x: compute.cumsum(x, 1), x.reshape(3, -1))[0])
    near(compute.cumsum(np.abs(x), 0, np.float64), np.cumsum(np.abs(x), 0, np.float64))
    same(compute.cumsum(unaligned(x), 0), compute.cumsum(x, 0))
    out = np.empty_like(x)
    assert compute.cumsum(x, -1, out=out) is out
    same(out, compute.cumsum(x, 0))


PRODUCTS = [
    ((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 1, 2, 3), (6, 3, 4)),
    ((2, 3), (5, 3, 4)), ((3,), (5, 3, 4)), ((5, 2, 3), (3,)), ((2, 0), (0, 4)), ((0, 3), (3, 4)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", PRODUCTS)
def test_products(shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: Any) -> None:
    x, y = (RNG.uniform(0.1, 2, shape).astype(dtype) for shape in shapes)
    found = compute.matmul(x, y)
    near(found, np.matmul(x, y))
    if x.size and y.size:
        same(found, recorded(compute.matmul, x, y)[0])
    same(found, compute.matmul(unaligned(x), y))
    if np.ndim(found):
        out = np.empty((*found.shape, 2), dtype)[..., 0]
        assert compute.matmul(x, y, out=out) is out
        same(out, found)


def test_a_product_in_its_own_factor() -> None:
    x, y = RNG.random((3, 3)), RNG.random((3, 3))
    expected = compute.matmul(x, y)
    assert compute.matmul(x, y, out=x) is x
    same(x, expected)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        compute.matmul(x, y[:2])


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-30, 1.0, 1e30, 1e200])
@pytest.mark.parametrize("dtype", DTYPES)
def test_norms(dtype: Any, scale: float) -> None:
    with np.errstate(over="ignore"):
        x = (RNG.standard_normal((3, 4, 5)) * scale).astype(dtype)
    x[0, :, 0] = 0
    for axis in (1, -1):
        found = compute.vector_norms(x, axis)
        np.testing.assert_allclose(found, norms(x, axis), 1e-5 if dtype is np.float32 else 1e-14, atol=5e-324)
        same(found, recorded(lambda x: compute.vector_norms(x, axis), x)[0])  # noqa: B023


def test_other_arguments() -> None:
    """NumPy computes with types that libTHNN does not have. A number is an array without dimensions."""
    for x in (np.arange(1, 5), np.ones(3, np.float16), np.array([1 + 2j]), [1.0, 2.0], 1.5, np.ma.masked_array([1.0, 2], [0, 1])):
        for ours, numpys in ((compute.exp, np.exp), (compute.sum, np.sum), (compute.max, np.max)):
            if ours is compute.max and isinstance(x, np.ndarray) and x.dtype.kind == "c":
                continue
            found, expected = ours(x), numpys(x)
            assert type(found) is type(expected)
            np.testing.assert_array_equal(found, expected)
    one = np.float32(0.7)
    assert type(compute.exp(one)) is np.float32
    same(compute.exp(one), compute.exp(np.full(1, one))[0])
    assert type(compute.mean(np.ones((2, 2), "f"))) is np.float32
    odd = np.zeros(9, np.uint8)[1:].view(np.float32)
    near(compute.exp(odd), np.exp(odd))
    deep = np.ones((1,) * 10)
    near(compute.exp(deep), np.exp(deep))
    with pytest.raises(np.exceptions.AxisError):
        compute.sum(np.ones((2, 3)), 2)
    with pytest.raises(ValueError, match="duplicate"):
        compute.sum(np.ones((2, 3)), (0, -2))
    with pytest.raises(ValueError, match="zero-size"):
        compute.max(np.ones((0, 3)), 0)
    with pytest.raises(ValueError, match="read-only"):
        fixed = np.ones(3)
        fixed.flags.writeable = False
        compute.exp(np.ones(3), out=fixed)
    assert compute.number(np.float32(2.5)) == 2.5
    same(recorded(compute.number, np.array(2.5, "f"))[0], np.float64(2.5))


def test_two_arrays() -> None:
    x, y = RNG.uniform(0.5, 2, (4, 1)).astype("f"), RNG.uniform(0.5, 2, (3,))
    for name in ("power", "hypot", "maximum", "minimum"):
        ours, numpys = getattr(compute, name), getattr(np, name)
        for one, other in ((x, y), (y, x), (x, y.astype("f")), (x, np.float64(1.5)), (np.float32(1.5), y), (x, np.arange(1, 4))):
            near(ours(one, other), numpys(one, other))
        same(ours(x, y.astype("f")), recorded(ours, x, y.astype("f"))[0])
    zeros = np.array([0.0, -0.0] * 20, "f")
    for ours in (compute.maximum, compute.minimum):
        same(ours(zeros, -zeros), zeros)
        same(ours(zeros, -zeros), recorded(ours, zeros, -zeros)[0])
