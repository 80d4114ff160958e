"""Functions of arrays as libTHNN computes them, so that eager passes have the bits of programs.

Layers of array operations call these in place of NumPy's functions whose results differ in the last bits: sums and what is made
of them, products of matrices, powers, and the elementary functions. Other functions (``+``, ``np.maximum``, ``np.sqrt``) have the
same bits in both, and layers call NumPy's.

The arguments are those of NumPy's functions. Arrays of float32 and float64 go to the array functions of libTHNN. Recorded arrays
note the same calls (pytorch_legacy.recording). Arrays of CuPy go to the twins in libTHCUNN, or to CuPy if there is none. NumPy
computes with all other types.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import on_device, on_host
from ..arrays.device import Recorded
from .arrays import MOST_DIMS, TYPES, Repeated, call, call_on_device
from .binding import data_address

_FLOAT, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_REALS = frozenset((_FLOAT, _DOUBLE))
_SCALARS = (np.float32, np.float64)
_LARGER, _SMALLER, _POWER, _HYPOT = 4, 5, 6, 9  # THNNApply
_SUM, _MAXIMUM, _MINIMUM = 0, 2, 3  # THNNReduce
Axis = int | tuple[int, ...] | None


def _isOurs(x: Any) -> bool:
    """Returns whether the array functions of libTHNN take this array."""
    return type(x) is np.ndarray and x.dtype in _REALS and x.ndim <= MOST_DIMS and x.flags.aligned


def _elsewhere(function: Callable[..., Any], twin: Callable[..., Any], *inputs: Any, out: Any = None, **options: Any) -> Any:
    """Returns the result of a function for other arguments than arrays that libTHNN takes."""
    recorded = [one for one in inputs if isinstance(one, Recorded)]
    if recorded:
        if out is None and all(one.isKnown() for one in recorded):  # type: ignore[attr-defined]
            plain = [one.hidden if isinstance(one, Recorded) else one for one in inputs]  # type: ignore[attr-defined]
            return recorded[0].recorder.bound(np.asarray(function(*plain, **options)), "constant")  # type: ignore[attr-defined]
        return twin(*inputs, out=out, **options)
    if any(map(on_device, inputs)):  # CuPy takes scalars of NumPy, but none of its arrays
        return twin(*inputs, **options) if out is None else twin(*inputs, out=out, **options)
    known = [_aligned(np.asarray(one)) if isinstance(one, _SCALARS) or on_host(one) else one for one in inputs]
    if any(one is not other for one, other in zip(known, inputs, strict=True)) and any(map(_isOurs, known)):
        return function(*known, out=out, **options)
    return twin(*inputs, **options) if out is None else twin(*inputs, out=out, **options)


def _aligned(array: Any) -> Any:
    """Returns the array, or a copy if its elements do not lie at multiples of their size."""
    return array if array.flags.aligned else array.copy()


def _target(out: Any, shape: tuple[int, ...], dtype: Any, *inputs: Any) -> Any:
    """Returns `out` if a call may write it at once, else a new array."""
    if type(out) is not np.ndarray or out.shape != shape or out.dtype != dtype or not _isOurs(out):
        return np.empty(shape, dtype)
    for array in inputs:
        if array is not out and np.may_share_memory(out, array):
            isSame = array.shape == shape and array.strides == out.strides and data_address(array) == data_address(out)
            if not (isSame and array.dtype == dtype):
                return np.empty(shape, dtype)
    return out


def _given(target: Any, out: Any) -> Any:
    """Returns the result: a number if it has no dimensions, as NumPy does, or `out`."""
    if out is None:
        return target if target.ndim else target[()]
    if target is not out:
        np.copyto(out, target, casting="same_kind")
    return out


# ---- element by element


def _mapping(ufunc: Any, number: int) -> Callable[..., Any]:
    """Returns the function that arrayMap knows by a number (THNN_array.h: THNNMap)."""

    def function(x: Any, out: Any = None) -> Any:
        if not _isOurs(x):
            return _elsewhere(function, twin, x, out=out)
        target = np.empty_like(x) if out is None else _target(out, x.shape, x.dtype, x)
        call("arrayMap", x, target, number)
        return _given(target, out)

    def twin(x: Any, out: Any = None) -> Any:
        if on_device(x) and x.dtype.kind == "f" and x.dtype in TYPES and (out is None or out is x):
            target = np.empty_like(x, order="C") if out is None else out
            if call_on_device("arrayMap", x, target, number):
                return target
        return ufunc(x, out=out)

    function.__name__ = function.__qualname__ = ufunc.__name__
    function.__doc__ = f"Returns what ``np.{ufunc.__name__}`` does."
    return function


exp = _mapping(np.exp, 4)
log = _mapping(np.log, 5)
log1p = _mapping(np.log1p, 6)
expm1 = _mapping(np.expm1, 7)
tanh = _mapping(np.tanh, 8)
sin = _mapping(np.sin, 9)
cos = _mapping(np.cos, 10)


def _applied(ufunc: Any, number: int, x: Any, y: Any, out: Any) -> Any:
    """Returns a function of the elements of two arrays, or of an array and a number."""
    isOurs, isOther = _isOurs(x), _isOurs(y)
    if isOurs and type(y) in (int, float):
        kind, shape = x.dtype, x.shape
        y = np.array(y, kind)
    elif isOther and type(x) in (int, float):
        kind, shape = y.dtype, y.shape
        x = np.array(x, kind)
    elif (isOurs or isOther) and all(isOne or type(one) in _SCALARS for isOne, one in ((isOurs, x), (isOther, y))):
        kind, shape = np.result_type(x, y), np.broadcast_shapes(np.shape(x), np.shape(y))
        x, y = np.asarray(x, kind), np.asarray(y, kind)
    else:
        return _elsewhere(lambda x, y, out=None: _applied(ufunc, number, x, y, out), ufunc, x, y, out=out)
    target = np.empty(shape, kind) if out is None else _target(out, shape, kind, x, y)
    call("arrayApply", *[one if one.shape == shape else Repeated(one, shape) for one in (x, y)], target, number)
    return _given(target, out)


_POWERS: dict[float, Any] = {0.5: np.sqrt, 2.0: np.square, -1.0: np.reciprocal}


def power(x: Any, y: Any, out: Any = None) -> Any:
    """Returns what ``np.power`` does for an array `x`. As there, other functions compute the exponents 0.5, 2 and -1."""
    simple = _POWERS.get(y) if type(y) in (int, float) and x.dtype.kind == "f" else None
    return _applied(np.power, _POWER, x, y, out) if simple is None else simple(x, out=out)


def hypot(x: Any, y: Any, out: Any = None) -> Any:
    """Returns what ``np.hypot`` does."""
    return _applied(np.hypot, _HYPOT, x, y, out)


def maximum(x: Any, y: Any, out: Any = None) -> Any:
    """Returns what ``np.maximum`` does: of two zeros the first one, whatever their signs."""
    return _applied(np.maximum, _LARGER, x, y, out)


def minimum(x: Any, y: Any, out: Any = None) -> Any:
    """Returns what ``np.minimum`` does: of two zeros the first one, whatever their signs."""
    return _applied(np.minimum, _SMALLER, x, y, out)


def clip(x: Any, low: Any, high: Any, out: Any = None) -> Any:
    """Returns what ``np.clip`` does."""
    return minimum(maximum(x, low, out), high, out)


def softplus(x: Any, out: Any = None) -> Any:
    """Returns the logarithm of 1 + exp(x) of an array of floating-point numbers, which does not overflow."""
    rest = np.empty_like(x)
    np.negative(np.abs(x, out=rest), out=rest)
    return np.add(maximum(x, 0), log1p(exp(rest, out=rest), out=rest), out=out)


def number(x: Any) -> Any:
    """Returns an array without dimensions as a float, but a recorded one as an array of a double."""
    return x.astype(_DOUBLE, copy=False) if isinstance(x, Recorded) else float(x)  # type: ignore[attr-defined]


# ---- along axes


@lru_cache(4096)
def _reduced(shape: tuple[int, ...], axis: Axis) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the shapes of what remains of an array, with and without the axes that are reduced."""
    rank = len(shape)
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for one in axes:
        if not -rank <= one < rank:
            raise np.exceptions.AxisError(one, rank)
    places = {one % rank for one in axes}
    if len(places) < len(axes):
        raise ValueError("duplicate value in 'axis'")
    return tuple(1 if d in places else n for d, n in enumerate(shape)), tuple(n for d, n in enumerate(shape) if d not in places)


def sum(x: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Returns what ``np.sum`` does. Terms are added up in double precision."""
    if not _isOurs(x) or not x.ndim:
        return _elsewhere(sum, _sumTwin, x, axis=axis, dtype=dtype, out=out, keepdims=keepdims)
    kind = x.dtype if dtype is None else np.dtype(dtype)
    if kind is not x.dtype and kind != _DOUBLE:
        x = x.astype(kind)
        if kind not in _REALS:
            return np.sum(x, axis, out=out, keepdims=keepdims)
    return _reduction(x, axis, kind, out, keepdims, _SUM)


def _reduction(x: Any, axis: Axis, kind: Any, out: Any, keepdims: bool, operation: int) -> Any:
    kept, shape = _reduced(x.shape, axis)
    target = np.empty(kept, kind)
    result = target if keepdims else target.reshape(shape)
    if out is not None and out.shape != result.shape:
        raise ValueError(f"out: expected the shape {result.shape}, got {out.shape}")
    call("arrayReduce", x, target, operation)
    return _given(result, out)


def max(x: Any, axis: Axis = None, out: Any = None, keepdims: bool = False) -> Any:
    """Returns what ``np.max`` does."""
    if not _isOurs(x) or not x.ndim or not x.size:
        return _elsewhere(max, np.max, x, axis=axis, out=out, keepdims=keepdims)
    return _reduction(x, axis, x.dtype, out, keepdims, _MAXIMUM)


def min(x: Any, axis: Axis = None, out: Any = None, keepdims: bool = False) -> Any:
    """Returns what ``np.min`` does."""
    if not _isOurs(x) or not x.ndim or not x.size:
        return _elsewhere(min, np.min, x, axis=axis, out=out, keepdims=keepdims)
    return _reduction(x, axis, x.dtype, out, keepdims, _MINIMUM)


def _sumTwin(x: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    isCalled = on_device(x) and x.ndim and x.dtype.kind == "f" and x.dtype in TYPES
    if isCalled and out is None and (dtype is None or x.dtype == dtype or dtype == _DOUBLE):
        kept, shape = _reduced(x.shape, axis)
        target = np.empty_like(x, dtype=dtype, order="C", shape=kept)
        if call_on_device("arrayReduce", x, target, _SUM):
            return target if keepdims else target.reshape(shape)
    return np.sum(x, axis, dtype=dtype, out=out, keepdims=keepdims)


def mean(x: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Returns what ``np.mean`` does."""
    if not isinstance(x, Recorded) and x.dtype not in _REALS:
        return np.mean(x, axis, dtype=dtype, out=out, keepdims=keepdims)
    total = sum(x, axis, dtype or (x.dtype if x.dtype.kind == "f" else _DOUBLE), None, keepdims)
    return np.true_divide(total, total.dtype.type(x.size // (total.size or 1)), out=out)


def cumsum(x: Any, axis: int, dtype: Any = None, out: Any = None) -> Any:
    """Returns what ``np.cumsum`` does: sums of the elements up to each one."""
    if not _isOurs(x) or not x.ndim:
        return _elsewhere(cumsum, np.cumsum, x, axis=axis, dtype=dtype, out=out)
    _reduced(x.shape, axis)  # raises an error for an axis that the array lacks
    x = x if dtype is None else x.astype(dtype, copy=False)
    target = np.empty(x.shape, x.dtype)
    call("arrayScan", x, target, axis % x.ndim)
    return _given(target, out)


def vector_norms(array: Any, axis: Axis, added: Any = 0, dtype: Any = None) -> Any:
    """Returns the Euclidean norms of vectors along axes, which stay as axes of size 1.

    `added` goes to the sums of squares, taken in `dtype`. A norm is right where its square is too large or too small for that.
    """
    kind = np.dtype(dtype or array.dtype)
    if kind == _FLOAT:  # the squares of floats are doubles
        squares = np.square(array.astype(_DOUBLE))
        return np.sqrt(sum(squares, axis, keepdims=True) + _DOUBLE.type(added)).astype(kind)
    array = array.astype(kind, copy=False)
    with np.errstate(over="ignore"):
        norms = np.sqrt(sum(np.square(array), axis, keepdims=True) + kind.type(added))
    limits = np.finfo(kind)
    isOut = np.isinf(norms) | (norms < np.sqrt(limits.tiny / limits.eps))
    if type(isOut) is np.ndarray and not isOut.any():
        return norms
    return np.where(isOut, _measuredNorms(array, axis, added), norms)


def _measuredNorms(array: Any, axis: Axis, added: Any) -> Any:
    """Returns the same, each vector measured in a unit of about its largest element."""
    kind = array.dtype
    one = kind.type(1)
    largest = max(np.abs(array), axis, keepdims=True) if array.size else sum(array, axis, keepdims=True)
    unit = np.where(np.isfinite(largest) & (largest > 0), largest, one)
    unit = maximum(unit, one) if added else unit
    with np.errstate(over="ignore", invalid="ignore"):
        return np.sqrt(sum(np.square(array / unit), axis, keepdims=True) + kind.type(added) / unit / unit) * unit


# ---- products of matrices


def matmul(x: Any, y: Any, out: Any = None) -> Any:
    """Returns what ``np.matmul`` does."""
    isOurs = _isOurs(x) and _isOurs(y) and x.ndim and y.ndim
    if not isOurs or x.shape[-1] != y.shape[-2 if y.ndim > 1 else 0]:
        return _elsewhere(matmul, np.matmul, x, y, out=out)
    if x.dtype != y.dtype:
        x, y = x.astype(_DOUBLE, copy=False), y.astype(_DOUBLE, copy=False)
    left, right = x[None] if x.ndim == 1 else x, y[:, None] if y.ndim == 1 else y
    batch = left.shape[:-2]
    if batch != right.shape[:-2]:
        batch = np.broadcast_shapes(batch, right.shape[:-2])
        left, right = (np.broadcast_to(one, (*batch, *one.shape[-2:])) for one in (left, right))
    shape = batch + left.shape[-2:-1] * (x.ndim > 1) + right.shape[-1:] * (y.ndim > 1)
    if out is None or np.may_share_memory(x, out) or np.may_share_memory(y, out):
        target = np.empty(shape, x.dtype)
    else:
        target = _target(out, shape, x.dtype)
    written = target[..., None, :] if x.ndim == 1 and y.ndim > 1 else target
    written = written[..., None] if y.ndim == 1 else written
    call("arrayProduct", left, right, written[None] if x.ndim == 1 == y.ndim else written)
    return _given(target, out)
