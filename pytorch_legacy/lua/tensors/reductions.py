"""Functions over all elements, or over a dimension, which stays with the size 1: sums, largest elements, norms, histograms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..language.errors import raise_error
from .pointwise import dot
from .signatures import Form, forms
from .tensor import Array, Tensor
from .values import BYTE, LONG, axis, cast, integer, like, scalar, shape_of, store

FORMS: dict[str, tuple[Form, ...]] = {}


def _check_elements(x: Tensor, name: str) -> Array:
    if not x.array.size:
        raise_error(f"bad argument #1 to '{name}' (tensor must have one dimension)")
    return x.array


def _wide(array: Array) -> Array:
    """Returns an array in the type that Torch7 adds up in."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _along(array: Array, d: int, compute: Any) -> Array:
    """Returns a reduction over a dimension, computed wide."""
    return np.asarray(compute(_wide(array) if array.dtype != np.float64 else array, axis=d, keepdims=True))


def _reduction(name: str, compute: Any) -> tuple[Form, ...]:
    def whole(x: Tensor) -> float:
        if x.dtype.kind == "f":
            return float(compute(_wide(x.array)))
        return float(compute(x.array, dtype=LONG))

    def over(result: Tensor | None, x: Tensor, dimension: float) -> Tensor:
        d = axis(x, dimension, name)
        if x.dtype.kind == "f":
            return store(result, _along(x.array, d, compute), x.__class__)
        return store(result, compute(x.array, axis=d, keepdims=True, dtype=LONG), x.__class__)

    return forms("T", whole, "*T T n", over)


FORMS["sum"] = _reduction("sum", np.sum)
FORMS["prod"] = _reduction("prod", np.prod)


def _mean(x: Tensor) -> float:
    return float(_wide(_check_elements(x, "mean")).mean())


def _mean_over(result: Tensor | None, x: Tensor, dimension: float) -> Tensor:
    return store(result, _along(x.array, axis(x, dimension, "mean"), np.mean), x.__class__)


def _cumulative(name: str, compute: Any) -> tuple[Form, ...]:
    def over(result: Tensor | None, x: Tensor, dimension: float) -> Tensor:
        d = axis(x, dimension, name)
        return store(result, compute(_wide(x.array), axis=d), x.__class__)

    return forms("*T T n=1", over)


def _spread(name: str, compute: Any) -> tuple[Form, ...]:
    def whole(x: Tensor) -> float:
        array = _wide(_check_elements(x, name))
        return float(compute(array, ddof=1)) if array.size > 1 else math.nan

    def over(result: Tensor | None, x: Tensor, dimension: float, isBiased: bool) -> Tensor:
        d = axis(x, dimension, name)
        found = compute(_wide(x.array), axis=d, keepdims=True, ddof=0 if isBiased or x.array.shape[d] == 1 else 1)
        if x.array.shape[d] == 1 and not isBiased:
            found = np.full_like(found, np.nan)
        return store(result, found, x.__class__)

    return forms("T", whole, "*T T n b=false", over)


FORMS.update(
    mean=forms("T", _mean, "*T T n", _mean_over),
    cumsum=_cumulative("cumsum", np.cumsum),
    cumprod=_cumulative("cumprod", np.cumprod),
    std=_spread("std", np.std),
    var=_spread("var", np.var),
)

# ------------------------------------------------------------------------------------------------------ extrema


def _extremum(name: str, compute: Any, arguments: Any) -> tuple[Form, ...]:
    def whole(x: Tensor) -> float:
        return float(compute(_check_elements(x, name)))

    def over(values: Tensor | None, indices: Tensor | None, x: Tensor, dimension: float) -> tuple[Tensor, Tensor]:
        d = axis(x, dimension, name)
        at = np.expand_dims(arguments(x.array, axis=d), d)
        found = np.take_along_axis(x.array, at, d)
        return store(values, found, x.__class__), store(indices, at + 1, x.types.tensors[LONG])

    return forms("T", whole, "*T *L T n", over)


FORMS["max"] = _extremum("max", np.max, np.argmax)
FORMS["min"] = _extremum("min", np.min, np.argmin)


def _logical(name: str, compute: Callable[..., Any]) -> tuple[Form, ...]:
    def whole(x: Tensor) -> bool:
        if x.dtype != BYTE:
            raise_error(f"only ByteTensors have '{name}'")
        return bool(compute(x.array))

    def over(result: Tensor | None, x: Tensor, dimension: float) -> Tensor:
        d = axis(x, dimension, name)
        return store(result, compute(x.array, axis=d, keepdims=True), x.__class__)

    return forms("T", whole, "*T T n", over)


FORMS["all"] = _logical("all", np.all)
FORMS["any"] = _logical("any", np.any)

# ------------------------------------------------------------------------------------------------------ norms


def _norm_of(array: Array, p: float, d: int | None) -> Any:
    x = np.abs(array.astype(np.float64))
    keep = d is not None
    if p == 0:
        return (x != 0).sum(axis=d, keepdims=keep).astype(float)
    if p == 1:
        return x.sum(axis=d, keepdims=keep)
    if p == 2:
        return np.sqrt((x * x).sum(axis=d, keepdims=keep))
    if p == math.inf:
        return x.max(axis=d, keepdims=keep)
    return np.power(np.power(x, p).sum(axis=d, keepdims=keep), 1 / p)


def _norm(x: Tensor, p: float) -> float:
    if not x.array.size:
        return 0.0
    return float(_norm_of(x.array, p, None))


def _norm_over(result: Tensor | None, x: Tensor, p: float, dimension: float) -> Tensor:
    return store(result, _norm_of(x.array, p, axis(x, dimension, "norm")), x.__class__)


def _dist(a: Tensor, b: Tensor, p: float) -> float:
    if not a.array.size:
        return 0.0
    x, y = a.array, like(a.array, b.array)
    return float(_norm_of(x - y if a.isFloat else x.astype(np.float64) - y, p, None))


def _renorm(result: Tensor | None, x: Tensor, p: float, dimension: float, limit: float) -> Tensor:
    if p <= 0:
        raise_error("bad argument #3 to 'renorm' (non-positive-norm not supported)")
    if len(shape_of(x)) < 2:
        raise_error("bad argument #2 to 'renorm' (need at least 2 dimensions)")
    d = axis(x, dimension, "renorm")
    rows = np.moveaxis(x.array, d, 0)
    norms = _norm_of(rows.reshape(len(rows), -1), p, 1).reshape(-1, *(1,) * (rows.ndim - 1))
    factors = np.where(norms > limit, limit / (norms + 1e-7), 1)
    return store(result, np.moveaxis(rows * factors, 0, d), x.__class__)


FORMS.update(
    norm=forms("T n=2", _norm, "*T T n n", _norm_over),
    dist=forms("T T n=2", _dist),
    renorm=forms("*T T= n n n", _renorm),
)

# ------------------------------------------------------------------------------------------------------ histograms, equality


def _histogram(values: Array, bins: int, low: float, high: float) -> Array:
    if low == high:
        low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 1, high + 1
    if not math.isfinite(high - low):
        raise_error(f"range of [{low:g}, {high:g}] is not finite")
    inside = values[(values >= low) & (values <= high)]
    at = np.minimum(((inside - low) / (high - low) * bins).astype(int), bins - 1)
    return np.bincount(at, minlength=bins)[:bins]


def _bins(value: float) -> int:
    bins = integer(value, "histc")
    if not 0 < bins < 2**31:
        raise_error("bad argument #2 to 'histc' (bins must be > 0)")
    return bins


def _histc(result: Tensor | None, x: Tensor, bins: float, low: float, high: float) -> Tensor:
    return store(result, _histogram(_wide(_check_elements(x, "histc")).ravel(), _bins(bins), low, high), x.__class__)


def _bhistc(result: Tensor | None, x: Tensor, bins: float, low: float, high: float) -> Tensor:
    if x.array.ndim > 2:
        raise_error(f"bad argument #2 to 'bhistc' (invalid dimension {x.array.ndim})")
    rows = np.atleast_2d(_wide(_check_elements(x, "bhistc")))
    return store(result, np.stack([_histogram(row, _bins(bins), low, high) for row in rows]), x.__class__)


def _equal(a: Tensor, b: Tensor) -> bool:
    return shape_of(a) == shape_of(b) and bool((a.array == b.array).all())


def _trace(x: Tensor) -> float:
    if x.array.ndim != 2:
        raise_error("bad argument #1 to 'trace' (expected a matrix)")
    return float(_wide(x.array).trace())


def _cross(result: Tensor | None, a: Tensor, b: Tensor, dimension: float) -> Tensor:
    if a.array.shape != b.array.shape:
        raise_error(f"inconsistent tensor sizes: {a.array.shape} and {b.array.shape}")
    found = [d for d, n in enumerate(a.array.shape) if n == 3]
    d = integer(dimension) - 1 if dimension > 0 else found[0] if found else -1
    if d not in found:
        raise_error("bad argument #1 to 'cross' (no dimension of size 3)")
    x, y = np.moveaxis(a.array, d, 0), np.moveaxis(b.array, d, 0)
    product = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    return store(result, np.moveaxis(np.array(product), 0, d), a.__class__)


FORMS.update(
    histc=forms("*T T n=100 n=0 n=0", _histc),
    bhistc=forms("*T T n=100 n=0 n=0", _bhistc),
    equal=forms("T T", _equal),
    trace=forms("T", _trace),
    cross=forms("*T T T n=0", _cross),
    dot=forms("T T", dot),
)

# ------------------------------------------------------------------------------------------------------ contents


def _fill(x: Tensor, value: float) -> Tensor:
    x.array.fill(scalar(x.dtype, value))
    return x


def _zero(x: Tensor) -> Tensor:
    x.array.fill(0)
    return x


def _copy(x: Tensor, other: Tensor) -> Tensor:
    a, b = x.array, other.array
    if a.size != b.size:
        raise_error(f"bad argument #2 to 'copy' (sizes do not match: {a.size} and {b.size} elements)")
    a[...] = cast(b if b.shape == a.shape else b.reshape(a.shape), x.dtype)
    return x


FORMS.update(fill=forms("T n", _fill), zero=forms("T", _zero), copy=forms("T X", _copy))
