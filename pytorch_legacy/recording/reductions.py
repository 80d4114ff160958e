"""Sums, products, extremes and running sums along axes of recorded arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy.recording.operands import BOOL, DOUBLE, FLOAT, LONG, constants, given, hidden, isKnown, operand, truth

REDUCES = {np.add: 0, np.multiply: 1, np.maximum: 2, np.minimum: 3, np.logical_or: 4, np.logical_and: 5}
"""The numbers of THNNReduce in THNN_array.h."""
OF_TRUTHS = {np.maximum: np.logical_or, np.minimum: np.logical_and}
"""The same functions of truth values, which are bytes in C."""


def normalized_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Returns NumPy's argument `axis` as a tuple of axes that count from 0."""
    if axis is None:
        return tuple(range(rank))
    return tuple(one % rank if rank else one for one in (axis if isinstance(axis, tuple) else (axis,)))


def sum_dtype(recorder: Any, array: Any) -> Any:
    """Returns the dtype of the sums of an array's elements."""
    if array.dtype.kind == "u":
        raise recorder.refuse("adds bytes up to numbers of uint64, which are not recorded; pass dtype=np.int64")
    return LONG if array.dtype.kind == "b" else array.dtype


def reduce(recorder: Any, ufunc: Any, array: Any, axis: Any, dtype: Any, out: Any, keepdims: bool) -> Any:
    """Returns sums, products, largest or smallest elements along axes."""
    if isKnown(recorder, array) and out is None:
        return constants(recorder, ufunc.reduce(hidden(array), axis=axis, dtype=dtype, keepdims=keepdims))
    x = operand(recorder, array)
    axes = normalized_axes(axis, x.ndim)
    shape = tuple(1 if d in axes else size for d, size in enumerate(x.shape))
    if ufunc in OF_TRUTHS and any(x.shape[d] == 0 for d in axes):
        raise recorder.refuse("takes the largest of no elements")
    if ufunc in (np.logical_or, np.logical_and):
        x, made = truth(recorder, array), BOOL
    elif ufunc in (np.add, np.multiply):
        made = np.dtype(dtype) if dtype is not None else sum_dtype(recorder, x)
        isWidened = x.dtype == FLOAT and made == DOUBLE  # C widens by itself
        x = x if isWidened else operand(recorder, array, made)
    else:
        made = x.dtype
    if not x.ndim:
        return given(recorder, recorder.wrap(x).astype(made), out)
    result = recorder.empty(shape, made)
    if made == BOOL:
        ufunc = OF_TRUTHS.get(ufunc, ufunc)
    recorder.array("arrayReduce", x, result.hidden, REDUCES[ufunc])
    if not keepdims:
        result = result.reshape(tuple(size for d, size in enumerate(x.shape) if d not in axes))
    return given(recorder, result, out)


def mean(recorder: Any, array: Any, axis: Any, dtype: Any, out: Any, keepdims: bool) -> Any:
    kind = dtype or (array.dtype if array.dtype.kind == "f" else DOUBLE)
    if np.dtype(kind).kind != "f":
        raise recorder.refuse(f"computes a mean of {np.dtype(kind)}, which is not recorded")
    total = reduce(recorder, np.add, array, axis, kind, None, keepdims)
    count = array.size // max(1, total.size)
    return given(recorder, np.true_divide(total, total.dtype.type(count)), out)


def variance(
    recorder: Any, array: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False
) -> Any:
    centred = array - mean(recorder, array, axis, dtype, None, True)
    total = reduce(recorder, np.add, np.square(centred), axis, dtype, None, keepdims)
    count = array.size // max(1, total.size)
    return given(recorder, np.true_divide(total, total.dtype.type(count - ddof)), out)


def extreme(recorder: Any, array: Any, axis: Any, out: Any, keepdims: bool, ufunc: Any) -> Any:
    """Returns the places of the largest (np.maximum) or smallest (np.minimum) elements along an axis."""
    if axis is None:
        found = extreme(recorder, array.reshape(-1), 0, None, False, ufunc)
        return given(recorder, found.reshape((1,) * array.ndim) if keepdims else found, out)
    axis %= array.ndim
    result = recorder.empty(tuple(1 if d == axis else size for d, size in enumerate(array.shape)), LONG)
    recorder.array("arrayReduceIndex", array.hidden, result.hidden, axis, REDUCES[ufunc])
    return given(recorder, result if keepdims else result.squeeze(axis), out)


def scan(recorder: Any, array: Any, axis: Any, dtype: Any, out: Any) -> Any:
    if axis is None:
        array, axis = array.reshape(-1), 0
    kind = np.dtype(dtype) if dtype is not None else sum_dtype(recorder, array)
    x = operand(recorder, array, kind)
    result = recorder.empty(x.shape, kind)
    recorder.array("arrayScan", x, result.hidden, axis % x.ndim)
    return given(recorder, result, out)
