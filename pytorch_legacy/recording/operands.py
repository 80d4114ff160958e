"""Operands of NumPy's functions while a pass is recorded: recorded arrays, arrays of NumPy and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy.arrays.device import Recorded, address, on_host

BOOL, FLOAT, DOUBLE, LONG = map(np.dtype, (np.bool_, np.float32, np.float64, np.int64))
NOT_EQUAL = 17  # THNN_array.h: THNNApply


def hidden(value: Any) -> Any:
    """Returns `value` with the arrays of NumPy inside recorded arrays in place of these, in lists, tuples and dicts too."""
    if isinstance(value, Recorded):
        return value.hidden  # type: ignore[attr-defined]
    if type(value) in (list, tuple):
        return type(value)(map(hidden, value))
    if type(value) is dict:
        return {key: hidden(entry) for key, entry in value.items()}
    return value


def recorded_in(value: Any) -> list[Any]:
    """Returns the recorded arrays in `value`."""
    if isinstance(value, Recorded):
        return [value]
    if type(value) in (list, tuple):
        return [one for entry in value for one in recorded_in(entry)]
    return [one for entry in value.values() for one in recorded_in(entry)] if type(value) is dict else []


def isKnown(recorder: Any, *values: Any) -> bool:
    """Returns whether the arrays in these values depend on no input. If so, their numbers may become parts of constants."""
    return all(recorder.memory(one.hidden).mayRead() for value in values for one in recorded_in(value))


def operand(recorder: Any, value: Any, dtype: Any = None) -> Any:
    """Returns an array of NumPy, of that dtype, for an operand: a recorded array, an array of NumPy or a number."""
    if not isinstance(value, Recorded):
        if isinstance(value, np.ndarray) and not on_host(value):
            raise recorder.refuse(f"computes with a {type(value).__name__}, whose arithmetic is another")
        return recorder.constant(np.asarray(value, dtype)).hidden
    array = value.hidden  # type: ignore[attr-defined]
    if dtype is None or array.dtype == dtype:
        return array
    if dtype == BOOL:
        return truth(recorder, value)
    made = recorder.empty(array.shape, dtype).hidden
    recorder.array("arrayCopy", array, made)
    return made


def truth(recorder: Any, value: Any) -> Any:
    array = operand(recorder, value)
    if array.dtype == BOOL:
        return array
    zero = np.broadcast_to(recorder.constant(np.zeros((), array.dtype)).hidden, array.shape)
    made = recorder.empty(array.shape, BOOL).hidden
    recorder.array("arrayApply", array, zero, made, NOT_EQUAL)
    return made


def constants(recorder: Any, result: Any) -> Any:
    """Returns the recorded arrays of what NumPy has made of constants."""
    if isinstance(result, (np.ndarray, np.generic)):
        return recorder.bound(np.asarray(result), "constant")
    return type(result)(constants(recorder, one) for one in result) if isinstance(result, (list, tuple)) else result


def reaches(target: Any, source: Any) -> bool:
    """Returns whether two arrays share memory in another way than as the same view."""
    isSame = address(target) == address(source) and target.strides == source.strides and target.shape == source.shape
    return not isSame and np.may_share_memory(target, source)


def copy(recorder: Any, target: Any, source: Any) -> None:
    """Notes ``target[...] = source``."""
    if not isinstance(target, Recorded):
        raise recorder.refuse("copies a recorded array into an array of NumPy; make that array with like=input")
    to = target.hidden  # type: ignore[attr-defined]
    if not isinstance(source, Recorded) and type(source) in (int, float, bool):
        source = to.dtype.type(source) if type(source) is float or to.dtype == BOOL else source
        if abs(source) <= 2**53 or to.dtype.kind == "f":  # a double has it
            if to.size:
                recorder.array("arrayFill", to, float(source))
            return
    array = operand(recorder, source, BOOL if to.dtype == BOOL else None)
    while array.ndim > to.ndim and array.shape[0] == 1:
        array = array[0]
    array = np.broadcast_to(array, to.shape)
    if reaches(to, array):
        made = recorder.empty(array.shape, array.dtype).hidden
        recorder.array("arrayCopy", array, made)
        array = made
    if to.size:
        recorder.array("arrayCopy", array, to)


def given(recorder: Any, result: Any, out: Any) -> Any:
    if out is None:
        return result
    copy(recorder, out, result)
    return out


def dense(array: Any) -> Any:
    """Returns a recorded array itself if it is dense in row-major order, else a copy that is."""
    return array if array.flags.c_contiguous else array.copy()
