"""Records NumPy's universal functions as calls of libTHNN's array functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.recording.indexing import choose, scatter
from pytorch_legacy.recording.operands import (
    BOOL,
    DOUBLE,
    FLOAT,
    constants,
    copy,
    hidden,
    isKnown,
    operand,
    reaches,
    truth,
)
from pytorch_legacy.recording.reductions import OF_TRUTHS, REDUCES, reduce, scan

# The numbers of THNN_array.h: THNNMap, THNNApply.
MAPS = {
    np.negative: 0, np.absolute: 1, np.fabs: 1, np.square: 2, np.sqrt: 3, np.exp: 4, np.log: 5, np.log1p: 6, np.expm1: 7,
    np.tanh: 8, np.sin: 9, np.cos: 10, np.floor: 11, np.ceil: 12, np.trunc: 13, np.rint: 14, np.sign: 15, np.reciprocal: 16,
    np.logical_not: 17, np.isnan: 18, np.isinf: 19, np.isfinite: 20,
}  # fmt: skip
APPLIES = {
    np.add: 0, np.subtract: 1, np.multiply: 2, np.divide: 3, np.maximum: 4, np.minimum: 5, np.power: 6, np.float_power: 6,
    np.floor_divide: 7, np.remainder: 8, np.hypot: 9, np.arctan2: 10, np.equal: 16, np.not_equal: 17, np.less: 18,
    np.less_equal: 19, np.greater: 20, np.greater_equal: 21, np.logical_and: 22, np.logical_or: 23, np.logical_xor: 24,
    np.bitwise_and: 22, np.bitwise_or: 23, np.bitwise_xor: 24,
}  # fmt: skip
_OF_WHOLE: dict[Any, Callable[[Any], Any]] = {
    **dict.fromkeys((np.floor, np.ceil, np.trunc), lambda x: x.copy()),
    **dict.fromkeys((np.isnan, np.isinf), lambda x: x != x),
    np.isfinite: lambda x: x == x,
}
"""The results of functions of floats for integers."""
_OF_TRUTHS: dict[Any, Any] = {**OF_TRUTHS, np.add: np.logical_or, np.multiply: np.logical_and}
_BITS = {np.bitwise_and, np.bitwise_or, np.bitwise_xor}
_LOGIC = {np.logical_and, np.logical_or, np.logical_xor, np.logical_not}


def universal(recorder: Any, ufunc: Any, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Returns the result of a universal function (``__array_ufunc__``)."""
    out = keywords.pop("out", None)
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if method == "at":
        return _at(recorder, ufunc, *inputs)
    if out is None and isKnown(recorder, inputs, keywords):
        return constants(recorder, getattr(ufunc, method)(*map(hidden, inputs), **hidden(keywords)))
    if out is not None and not isinstance(out, Recorded):
        raise recorder.refuse("writes a recorded result into an array of NumPy; make that array with like=input")
    if method == "reduce" and ufunc in REDUCES:
        axis, keepdims, dtype = keywords.pop("axis", 0), keywords.pop("keepdims", False), keywords.pop("dtype", None)
        _refuse_rest(recorder, ufunc, keywords)
        return reduce(recorder, ufunc, inputs[0], axis, dtype, out, keepdims)
    if method == "accumulate" and ufunc is np.add:
        return scan(recorder, inputs[0], keywords.get("axis", 0), keywords.get("dtype"), out)
    if method != "__call__":
        raise recorder.refuse(f"calls np.{ufunc.__name__}.{method}, which is not recorded")
    where = keywords.pop("where", True)
    dtype = keywords.pop("dtype", None)
    for name in ("casting", "order", "subok"):
        keywords.pop(name, None)
    _refuse_rest(recorder, ufunc, keywords)
    compose = _COMPOSED.get(ufunc)
    result = compose(recorder, *inputs) if compose else _element(recorder, ufunc, inputs, dtype, out if where is True else None)
    if where is not True:
        if out is None:
            raise recorder.refuse(f"np.{ufunc.__name__} with where= needs out=")
        choose(recorder, where, result, out, out)
        return out
    if out is None or result is out:
        return result
    copy(recorder, out, result)
    return out


def _refuse_rest(recorder: Any, ufunc: Any, keywords: dict[str, Any]) -> None:
    if keywords:
        raise recorder.refuse(f"np.{ufunc.__name__} with {', '.join(keywords)}= is not recorded")


def _kind(value: Any) -> Any:
    return type(value) if type(value) in (int, float, complex) else np.asarray(hidden(value)).dtype


def _sample(value: Any) -> Any:
    return value if type(value) in (int, float, bool) else np.asarray(hidden(value)).dtype


def _element(recorder: Any, ufunc: Any, inputs: tuple[Any, ...], dtype: Any, out: Any) -> Any:
    """Returns a function of the elements of one or two arrays; it is `out` if the call could write that at once."""
    number = MAPS.get(ufunc) if len(inputs) == 1 else APPLIES.get(ufunc)
    if number is None:
        raise recorder.refuse(f"np.{ufunc.__name__} is not recorded")
    if ufunc in _OF_WHOLE and dtype is None and inputs[0].dtype.kind in "bui":
        return _OF_WHOLE[ufunc](inputs[0])
    if ufunc is np.reciprocal and inputs[0].dtype.kind in "bui":
        raise recorder.refuse("np.reciprocal of integers is not recorded")
    if ufunc is np.float_power:
        dtype = DOUBLE
    signature = {} if dtype is None else {"signature": (*[np.dtype(dtype)] * len(inputs), None)}
    try:
        *kinds, made = ufunc.resolve_dtypes((*map(_kind, inputs), None), **signature)
    except TypeError as error:
        raise recorder.refuse(f"np.{ufunc.__name__}: {error}") from None
    if ufunc in _LOGIC:
        kinds = [_kind(one) if isinstance(one, Recorded) else BOOL for one in inputs]
        arrays = [
            truth(recorder, one) if kind != BOOL else operand(recorder, one, BOOL)
            for one, kind in zip(inputs, kinds, strict=True)
        ]
    else:
        if ufunc in _BITS and made != BOOL:
            raise recorder.refuse(f"np.{ufunc.__name__} of integers is not recorded")
        arrays = [operand(recorder, one, kind) for one, kind in zip(inputs, kinds, strict=True)]
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    arrays = [array if array.shape == shape else np.broadcast_to(array, shape) for array in arrays]
    if made == BOOL and arrays[0].dtype == BOOL and len(arrays) == 2:
        number = APPLIES[_OF_TRUTHS.get(ufunc, ufunc)]
    target = out.hidden if out is not None else None
    if target is None or target.shape != shape or target.dtype != made or any(reaches(target, array) for array in arrays):
        result = recorder.empty(shape, made)
    else:
        result = out
    recorder.array("arrayMap" if len(arrays) == 1 else "arrayApply", *arrays, result.hidden, number)
    return result


def _matmul(recorder: Any, x: Any, y: Any) -> Any:
    kind = np.result_type(*[hidden(one) for one in (x, y)])
    if kind not in (FLOAT, DOUBLE):
        raise recorder.refuse(f"a product of matrices of {kind} is not recorded")
    x, y = operand(recorder, x, kind), operand(recorder, y, kind)
    left, right = x[None] if x.ndim == 1 else x, y[:, None] if y.ndim == 1 else y
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left, right = np.broadcast_to(left, (*batch, *left.shape[-2:])), np.broadcast_to(right, (*batch, *right.shape[-2:]))
    made = recorder.empty((*batch, left.shape[-2], right.shape[-1]), kind)
    recorder.array("arrayProduct", left, right, made.hidden)
    made = made[..., 0, :] if x.ndim == 1 else made
    return made[..., 0] if y.ndim == 1 else made


def clipped(recorder: Any, x: Any, low: Any, high: Any) -> Any:
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _without_nan(recorder: Any, ufunc: Any, x: Any, y: Any) -> Any:
    """Returns the larger or smaller of two numbers, or the other one where one is NaN."""
    made = ufunc(x, y)
    if made.dtype.kind != "f":
        return made
    x, y = (recorder.wrap(operand(recorder, one, made.dtype)) for one in (x, y))
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, made))


def _power(recorder: Any, x: Any, y: Any) -> Any:
    """Returns powers. As in NumPy, other functions compute some exponents; these differ for infinities."""
    exponent = None if isinstance(y, Recorded) or np.ndim(y) else float(y)
    known: dict[Any, Any] = {0.5: np.sqrt, 2.0: np.square, -1.0: np.reciprocal}
    simple = known.get(exponent)
    if simple is not None and isinstance(x, Recorded) and x.dtype.kind == "f":  # type: ignore[attr-defined]
        return simple(x)
    if isinstance(y, Recorded) and np.result_type(_sample(x), _sample(y)).kind in "iu" and y.dtype.kind == "i":  # type: ignore[attr-defined]
        y.within(0, float("inf"), "the power of an integer", ValueRangeError)  # type: ignore[attr-defined]
    return _element(recorder, np.power, (x, y), None, None)


_COMPOSED: dict[Any, Callable[..., Any]] = {
    np.matmul: _matmul,
    np.power: _power,
    np.invert: lambda recorder, x: np.logical_not(x) if x.dtype == BOOL else -x - 1,
    np.positive: lambda recorder, x: x.copy(),
    np.clip: clipped,
    np.fmax: lambda recorder, x, y: _without_nan(recorder, np.maximum, x, y),
    np.fmin: lambda recorder, x, y: _without_nan(recorder, np.minimum, x, y),
    np.signbit: lambda recorder, x: (x < 0) | ((x == 0) & (np.divide(1, x) < 0)),
}


def _at(recorder: Any, ufunc: Any, array: Any, key: Any, value: Any = None) -> None:
    if ufunc is not np.add or not isinstance(array, Recorded):
        raise recorder.refuse(f"np.{ufunc.__name__}.at is not recorded")
    scatter(recorder, array, key, value, 1)
