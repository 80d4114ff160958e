"""Which calls of libTHNN's array functions stand for what NumPy does with recorded arrays.

What depends on no input of the network is left to NumPy: the result is a constant of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.arrays.device import Recorded, address, on_host
from pytorch_legacy.errors import IndexRangeError, ValueRangeError

# The numbers of THNN_base.h: THNNMap, THNNApply, THNNReduce.
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
REDUCES = {np.add: 0, np.multiply: 1, np.maximum: 2, np.minimum: 3, np.logical_or: 4, np.logical_and: 5}
_OF_WHOLE: dict[Any, Callable[[Any], Any]] = {
    **dict.fromkeys((np.floor, np.ceil, np.trunc), lambda x: x.copy()),
    **dict.fromkeys((np.isnan, np.isinf), lambda x: x != x),
    np.isfinite: lambda x: x == x,
}
"""What functions of floats are for integers."""
_BITS = {np.bitwise_and, np.bitwise_or, np.bitwise_xor}
_LOGIC = {np.logical_and, np.logical_or, np.logical_xor, np.logical_not}
_BOOL, _FLOAT, _DOUBLE, _LONG = map(np.dtype, (np.bool_, np.float32, np.float64, np.int64))


def hidden(value: Any) -> Any:
    """`value`, in which recorded arrays, in lists and tuples too, are the arrays of NumPy inside them."""
    if isinstance(value, Recorded):
        return value.hidden  # type: ignore[attr-defined]
    if type(value) in (list, tuple):
        return type(value)(map(hidden, value))
    if type(value) is dict:
        return {key: hidden(entry) for key, entry in value.items()}
    return value


def _recorded(value: Any) -> list[Any]:
    """The recorded arrays in `value`."""
    if isinstance(value, Recorded):
        return [value]
    if type(value) in (list, tuple):
        return [one for entry in value for one in _recorded(entry)]
    return [one for entry in value.values() for one in _recorded(entry)] if type(value) is dict else []


def _isKnown(recorder: Any, *values: Any) -> bool:
    return all(recorder.memory(one.hidden).isKnown for value in values for one in _recorded(value))


def _array(recorder: Any, value: Any, dtype: Any = None) -> Any:
    """An array of NumPy, of that dtype, for an operand: a recorded array, an array of NumPy or a number."""
    if not isinstance(value, Recorded):
        if isinstance(value, np.ndarray) and not on_host(value):
            raise recorder.refuse(f"computes with a {type(value).__name__}, whose arithmetic is another")
        return recorder.constant(np.asarray(value, dtype)).hidden
    array = value.hidden  # type: ignore[attr-defined]
    if dtype is None or array.dtype == dtype:
        return array
    if dtype == _BOOL:
        return _truth(recorder, value)
    made = recorder.empty(array.shape, dtype).hidden
    recorder.array("arrayCopy", array, made)
    return made


def _constants(recorder: Any, result: Any) -> Any:
    """What NumPy has made of constants."""
    if isinstance(result, (np.ndarray, np.generic)):
        return recorder.bound(np.asarray(result), "constant")
    return type(result)(_constants(recorder, one) for one in result) if isinstance(result, (list, tuple)) else result


def _reaches(target: Any, source: Any) -> bool:
    """Do they share memory in another way than as the same view?"""
    isSame = address(target) == address(source) and target.strides == source.strides and target.shape == source.shape
    return not isSame and np.may_share_memory(target, source)


# ---------------------------------------------------------------------------------------------- universal functions


def universal(recorder: Any, ufunc: Any, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What ``__array_ufunc__`` is asked for."""
    out = keywords.pop("out", None)
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if method == "at":
        return _at(recorder, ufunc, *inputs)
    if out is None and _isKnown(recorder, inputs, keywords):
        return _constants(recorder, getattr(ufunc, method)(*map(hidden, inputs), **hidden(keywords)))
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
    """A function of the elements of one or two arrays. Returns `out` if it could be written at once."""
    number = MAPS.get(ufunc) if len(inputs) == 1 else APPLIES.get(ufunc)
    if number is None:
        raise recorder.refuse(f"np.{ufunc.__name__} is not recorded")
    if ufunc in _OF_WHOLE and dtype is None and inputs[0].dtype.kind in "bui":
        return _OF_WHOLE[ufunc](inputs[0])
    if ufunc is np.reciprocal and inputs[0].dtype.kind in "bui":
        raise recorder.refuse("np.reciprocal of integers is not recorded")
    if ufunc is np.float_power:
        dtype = _DOUBLE
    signature = {} if dtype is None else {"signature": (*[np.dtype(dtype)] * len(inputs), None)}
    try:
        *kinds, made = ufunc.resolve_dtypes((*map(_kind, inputs), None), **signature)
    except TypeError as error:
        raise recorder.refuse(f"np.{ufunc.__name__}: {error}") from None
    if ufunc in _LOGIC:
        kinds = [_kind(one) if isinstance(one, Recorded) else _BOOL for one in inputs]
        arrays = [
            _truth(recorder, one) if kind != _BOOL else _array(recorder, one, _BOOL)
            for one, kind in zip(inputs, kinds, strict=True)
        ]
    else:
        if ufunc in _BITS and made != _BOOL:
            raise recorder.refuse(f"np.{ufunc.__name__} of integers is not recorded")
        arrays = [_array(recorder, one, kind) for one, kind in zip(inputs, kinds, strict=True)]
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    arrays = [np.broadcast_to(array, shape) for array in arrays]
    if made == _BOOL and arrays[0].dtype == _BOOL and len(arrays) == 2:  # the sum, or the larger, of truth values is one of them
        number = {0: 23, 2: 22, 4: 23, 5: 22}.get(number, number)
    target = out.hidden if out is not None else None
    if target is None or target.shape != shape or target.dtype != made or any(_reaches(target, array) for array in arrays):
        result = recorder.empty(shape, made)
    else:
        result = out
    recorder.array("arrayMap" if len(arrays) == 1 else "arrayApply", *arrays, result.hidden, number)
    return result


def _truth(recorder: Any, value: Any) -> Any:
    array = _array(recorder, value)
    if array.dtype == _BOOL:
        return array
    zero = np.broadcast_to(recorder.constant(np.zeros((), array.dtype)).hidden, array.shape)
    made = recorder.empty(array.shape, _BOOL).hidden
    recorder.array("arrayApply", array, zero, made, APPLIES[np.not_equal])
    return made


def _matmul(recorder: Any, x: Any, y: Any) -> Any:
    kind = np.result_type(*[hidden(one) for one in (x, y)])
    if kind not in (_FLOAT, _DOUBLE):
        raise recorder.refuse(f"a product of matrices of {kind} is not recorded")
    x, y = _array(recorder, x, kind), _array(recorder, y, kind)
    left, right = x[None] if x.ndim == 1 else x, y[:, None] if y.ndim == 1 else y
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left, right = np.broadcast_to(left, (*batch, *left.shape[-2:])), np.broadcast_to(right, (*batch, *right.shape[-2:]))
    made = recorder.empty((*batch, left.shape[-2], right.shape[-1]), kind)
    recorder.array("arrayProduct", left, right, made.hidden)
    made = made[..., 0, :] if x.ndim == 1 else made
    return made[..., 0] if y.ndim == 1 else made


def _clipped(recorder: Any, x: Any, low: Any, high: Any) -> Any:
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _without_nan(recorder: Any, ufunc: Any, x: Any, y: Any) -> Any:
    """The larger or smaller of two numbers, or the other one where one is NaN."""
    made = ufunc(x, y)
    if made.dtype.kind != "f":
        return made
    x, y = (recorder.wrap(_array(recorder, one, made.dtype)) for one in (x, y))
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, made))


def _power(recorder: Any, x: Any, y: Any) -> Any:
    """NumPy has other functions for some exponents, which differ for infinities."""
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
    np.invert: lambda recorder, x: np.logical_not(x) if x.dtype == _BOOL else -x - 1,
    np.positive: lambda recorder, x: x.copy(),
    np.clip: _clipped,
    np.fmax: lambda recorder, x, y: _without_nan(recorder, np.maximum, x, y),
    np.fmin: lambda recorder, x, y: _without_nan(recorder, np.minimum, x, y),
    np.signbit: lambda recorder, x: (x < 0) | ((x == 0) & (np.divide(1, x) < 0)),
}


def _at(recorder: Any, ufunc: Any, array: Any, key: Any, value: Any = None) -> None:
    if ufunc is not np.add or not isinstance(array, Recorded):
        raise recorder.refuse(f"np.{ufunc.__name__}.at is not recorded")
    _scatter(recorder, array, key, value, 1)


# ---------------------------------------------------------------------------------------------- along axes


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(rank))
    return tuple(one % rank if rank else one for one in (axis if isinstance(axis, tuple) else (axis,)))


def reduce(recorder: Any, ufunc: Any, array: Any, axis: Any, dtype: Any, out: Any, keepdims: bool) -> Any:
    """Sums, products, largest and smallest elements along axes."""
    if _isKnown(recorder, array) and out is None:
        return _constants(recorder, ufunc.reduce(hidden(array), axis=axis, dtype=dtype, keepdims=keepdims))
    x = _array(recorder, array)
    number = REDUCES[ufunc]
    axes = _axes(axis, x.ndim)
    shape = tuple(1 if d in axes else size for d, size in enumerate(x.shape))
    if number in (2, 3) and any(x.shape[d] == 0 for d in axes):
        raise recorder.refuse("takes the largest of no elements")
    if number >= 4:
        x, made = _truth(recorder, array), _BOOL
    elif number in (0, 1):
        made = np.dtype(dtype) if dtype is not None else _LONG if x.dtype.kind in "bu" else x.dtype
        x = _array(recorder, array, made)
    else:
        made = x.dtype
    if not x.ndim:
        return _given(recorder, recorder.wrap(x).copy(), out)
    result = recorder.empty(shape, made)
    if made == _BOOL and number in (2, 3):
        number += 2
    recorder.array("arrayReduce", x, result.hidden, number)
    if not keepdims:
        result = result.reshape(tuple(size for d, size in enumerate(x.shape) if d not in axes))
    return _given(recorder, result, out)


def _given(recorder: Any, result: Any, out: Any) -> Any:
    if out is None:
        return result
    copy(recorder, out, result)
    return out


def mean(recorder: Any, array: Any, axis: Any, dtype: Any, out: Any, keepdims: bool) -> Any:
    kind = dtype or (array.dtype if array.dtype.kind == "f" else _DOUBLE)
    total = reduce(recorder, np.add, array, axis, kind, None, keepdims)
    count = array.size // max(1, total.size)
    return _given(recorder, np.true_divide(total, total.dtype.type(count)), out)


def variance(
    recorder: Any, array: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False
) -> Any:
    centred = array - mean(recorder, array, axis, dtype, None, True)
    total = reduce(recorder, np.add, np.square(centred), axis, dtype, None, keepdims)
    count = array.size // max(1, total.size)
    return _given(recorder, np.true_divide(total, total.dtype.type(count - ddof)), out)


def extreme(recorder: Any, array: Any, axis: Any, out: Any, keepdims: bool, number: int) -> Any:
    """Places of the largest (number 2) or smallest (3) elements."""
    if axis is None:
        found = extreme(recorder, array.reshape(-1), 0, None, False, number)
        return _given(recorder, found.reshape((1,) * array.ndim) if keepdims else found, out)
    axis %= array.ndim
    result = recorder.empty(tuple(1 if d == axis else size for d, size in enumerate(array.shape)), _LONG)
    recorder.array("arrayReduceIndex", array.hidden, result.hidden, axis, number)
    return _given(recorder, result if keepdims else result.squeeze(axis), out)


def scan(recorder: Any, array: Any, axis: Any, dtype: Any, out: Any) -> Any:
    if axis is None:
        array, axis = array.reshape(-1), 0
    kind = dtype or (_LONG if array.dtype.kind in "bu" else array.dtype)
    x = _array(recorder, array, kind)
    result = recorder.empty(x.shape, kind)
    recorder.array("arrayScan", x, result.hidden, axis % x.ndim)
    return _given(recorder, result, out)


# ---------------------------------------------------------------------------------------------- copies, views, indices


def copy(recorder: Any, target: Any, source: Any) -> None:
    """``target[...] = source``."""
    if not isinstance(target, Recorded):
        raise recorder.refuse("copies a recorded array into an array of NumPy; make that array with like=input")
    to = target.hidden  # type: ignore[attr-defined]
    if not isinstance(source, Recorded) and type(source) in (int, float, bool):
        source = to.dtype.type(source) if type(source) is float or to.dtype == _BOOL else source
        if abs(source) <= 2**53 or to.dtype.kind == "f":  # a double has it
            if to.size:
                recorder.array("arrayFill", to, float(source))
            return
    array = _array(recorder, source, _BOOL if to.dtype == _BOOL else None)
    while array.ndim > to.ndim and array.shape[0] == 1:
        array = array[0]
    array = np.broadcast_to(array, to.shape)
    if _reaches(to, array):
        made = recorder.empty(array.shape, array.dtype).hidden
        recorder.array("arrayCopy", array, made)
        array = made
    if to.size:
        recorder.array("arrayCopy", array, to)


def reshape(recorder: Any, array: Any, shape: Any) -> Any:
    result = array.hidden.reshape(shape)
    if np.may_share_memory(result, array.hidden) or not result.size:
        return recorder.wrap(result) if result.size else recorder.empty(result.shape, result.dtype)
    return recorder.wrap(array.copy().hidden.reshape(shape))


def _fancy(key: Any) -> bool:
    return isinstance(key, (Recorded, np.ndarray, list)) and (np.ndim(hidden(key)) > 0 or isinstance(key, Recorded))


def item(recorder: Any, array: Any, key: Any) -> Any:
    """``array[key]``."""
    place = _place(recorder, array, key)
    if place is None:
        result = array.hidden[key]
        if not isinstance(result, np.ndarray):  # an element: a view without dimensions
            result = array.hidden[(*key, ...) if isinstance(key, tuple) else (key, ...)]
        return recorder.wrap(result)
    before, axis, indices = place
    return take(recorder, recorder.wrap(before), indices, axis, None)


def put(recorder: Any, array: Any, key: Any, value: Any) -> None:
    """``array[key] = value``."""
    if isinstance(key, Recorded) and key.dtype == _BOOL and np.ndim(hidden(value)) == 0 and not _isKnown(recorder, key):  # type: ignore[attr-defined]
        mask = key.reshape(*key.shape, *[1] * (array.ndim - key.ndim))  # type: ignore[attr-defined]
        choose(recorder, mask, np.asarray(value, array.dtype) if not isinstance(value, Recorded) else value, array, array)
    elif _place(recorder, array, key) is None:
        copy(recorder, item(recorder, array, key), value)
    else:
        _scatter(recorder, array, key, value, 0)


def _place(recorder: Any, array: Any, key: Any) -> tuple[Any, int, Any] | None:
    """Of a key with an array of indices: a view by all other parts of the key, the axis and the indices."""
    keys = [part for one in (key if isinstance(key, tuple) else (key,)) for part in _unmasked(recorder, one)]
    places = [place for place, one in enumerate(keys) if _fancy(one)]
    if not places:
        if any(isinstance(one, (bool, np.bool_)) for one in keys):
            raise recorder.refuse("uses a truth value as an index, which is not recorded")
        return None
    if len(places) > 1:
        return _joined(recorder, array, keys, places)
    indices = keys[places[0]]
    kind = np.asarray(hidden(indices)).dtype
    if kind == _BOOL:
        if not _isKnown(recorder, indices):
            raise recorder.refuse("uses a mask as an index: how many elements there are depends on the data")
        indices = np.flatnonzero(hidden(indices))
    if any(isinstance(one, (int, np.integer)) for one in keys):
        raise recorder.refuse("uses an array and a number as an index, which is not recorded")
    keys[places[0]] = slice(None)
    used = sum(1 for one in keys if one is not None and one is not Ellipsis)
    rank = array.ndim
    axis = 0
    for one in keys[: places[0]]:
        axis += rank - used if one is Ellipsis else 1
    return array.hidden[tuple(keys)], axis, indices


def _unmasked(recorder: Any, key: Any) -> tuple[Any, ...]:
    """A part of a key; a mask of several dimensions as the indices of its places."""
    if not _fancy(key) or np.ndim(hidden(key)) < 2 or np.asarray(hidden(key)).dtype != _BOOL:
        return (key,)
    if not _isKnown(recorder, key):
        raise recorder.refuse("uses a mask as an index: how many elements there are depends on the data")
    return np.nonzero(np.asarray(hidden(key)))


def _joined(recorder: Any, array: Any, keys: list[Any], places: list[int]) -> tuple[Any, int, Any]:
    """The same for several arrays of indices beside each other: their axes become one, in a dense copy."""
    others = [one for place, one in enumerate(keys) if place not in places]
    isPlain = places == list(range(places[0], places[-1] + 1))
    isPlain = isPlain and all(isinstance(one, slice) or one is Ellipsis for one in others)
    if not isPlain or any(np.asarray(hidden(keys[place])).dtype == _BOOL for place in places):
        raise recorder.refuse("uses arrays apart from each other, or masks, as an index, which is not recorded")
    chosen = [keys[place] for place in places]
    used = sum(1 for one in keys if one is not Ellipsis)
    axis = sum(array.ndim - used if one is Ellipsis else 1 for one in keys[: places[0]])
    before = array[tuple(slice(None) if place in places else one for place, one in enumerate(keys))]
    sizes = before.shape[axis : axis + len(chosen)]
    total: Any = 0
    for size, one in zip(sizes, chosen, strict=True):
        numbers = recorder.wrap(_indices(recorder, one, size))
        if isinstance(one, Recorded):
            numbers.within(0, size - 1, "an index")
        total = total * size + numbers
    dense = _dense(recorder, before)
    return dense.reshape((*before.shape[:axis], -1, *before.shape[axis + len(chosen) :])).hidden, axis, total


def _indices(recorder: Any, indices: Any, size: int, mode: str = "raise") -> Any:
    """The numbers of slices among `size`, from 0, as an array of NumPy: a negative one counts from the end."""
    if not isinstance(indices, Recorded):
        numbers = np.asarray(indices)
        if numbers.dtype.kind not in "bui" and numbers.size:
            raise recorder.refuse(f"uses an array of {numbers.dtype} as an index")
        numbers = numbers.astype(np.int64)
        if mode == "raise":
            wrong = numbers[(numbers < -size) | (numbers >= size)]
            if wrong.size:
                raise IndexRangeError(f"index {wrong[0]} is out of bounds for axis with size {size}")
        numbers = np.clip(numbers, 0, size - 1) if mode == "clip" else numbers % max(size, 1)
        return recorder.constant(numbers).hidden
    if indices.dtype.kind not in "bui":  # type: ignore[attr-defined]
        raise recorder.refuse(f"uses an array of {indices.dtype} as an index")  # type: ignore[attr-defined]
    numbers = recorder.wrap(_array(recorder, indices, _LONG))
    if mode == "clip":
        numbers = np.clip(numbers, 0, size - 1)
    elif mode == "wrap":
        numbers = numbers % size
    elif not _isChecked(recorder, indices):
        numbers = np.where(numbers < 0, numbers + size, numbers)
    return numbers.hidden


def _isChecked(recorder: Any, indices: Any) -> bool:
    """Was this array, or the one that it is a copy of, just checked to be from 0, or made of whole numbers from 0?"""
    if indices.dtype.kind in "bu":
        return True
    memory = recorder.memory(indices.hidden)
    writers = [call for call in recorder.calls if any(ref.memory == memory.number for ref in call.refs(call.writes))]
    last = recorder.calls[-1] if recorder.calls else None
    if last is not None and last.name == "arrayWithin" and last.arguments[1] >= 0 and last.arguments[0].memory == memory.number:
        return True
    return len(writers) == 1 and writers[0].name == "arrayReduceIndex"


def take(recorder: Any, array: Any, indices: Any, axis: Any, out: Any, mode: str = "raise") -> Any:
    """Slices of an array by their numbers."""
    if not isinstance(array, Recorded):
        array = recorder.constant(np.asarray(array))
    if axis is None:
        array, axis = array.reshape(-1), 0
    axis %= array.ndim
    numbers = _indices(recorder, indices, array.shape[axis], mode)
    flat = recorder.wrap(numbers).reshape(-1).hidden
    shape = (*array.shape[:axis], flat.size, *array.shape[axis + 1 :])
    result = recorder.empty(shape, array.dtype)
    recorder.array("arrayTake", array.hidden, flat, result.hidden, axis)
    result = result.reshape((*array.shape[:axis], *numbers.shape, *array.shape[axis + 1 :]))
    return _given(recorder, result, out)


def _scatter(recorder: Any, array: Any, key: Any, value: Any, adds: int) -> None:
    place = _place(recorder, array, key)
    if place is not None and not np.may_share_memory(place[0], array.hidden):
        raise recorder.refuse("writes at places that several arrays give, which is not recorded")
    if place is None:
        target = item(recorder, array, key)
        np.add(target, value, out=target)
        return
    if adds and array.dtype.kind != "f" and np.asarray(hidden(value)).dtype.kind == "f":
        raise recorder.refuse(f"adds floats to places of an array of {array.dtype}, which is not recorded")
    before, axis, indices = place
    numbers = _indices(recorder, indices, before.shape[axis])
    shape = (*before.shape[:axis], *numbers.shape, *before.shape[axis + 1 :])
    values = np.broadcast_to(_array(recorder, value, array.dtype), shape)
    flat = recorder.wrap(numbers).reshape(-1).hidden
    dense = recorder.wrap(values).reshape((*before.shape[:axis], flat.size, *before.shape[axis + 1 :])).hidden
    recorder.array("arrayPut", dense, flat, before, axis, adds)


def choose(recorder: Any, condition: Any, x: Any, y: Any, out: Any = None) -> Any:
    """``np.where(condition, x, y)``."""
    kind = np.result_type(*[one if type(one) in (int, float) else np.asarray(hidden(one)) for one in (x, y)])
    arrays = _truth(recorder, condition), _array(recorder, x, kind), _array(recorder, y, kind)
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    mask, x, y = (np.broadcast_to(array, shape) for array in arrays)
    target = out.hidden if isinstance(out, Recorded) else None  # type: ignore[attr-defined]
    fits = target is not None and target.shape == shape and target.dtype == kind
    result = out if fits and not any(_reaches(target, one) for one in (mask, x, y)) else recorder.empty(shape, kind)
    recorder.array("arrayChoose", mask, x, y, result.hidden)
    return result if out is None or result is out else _given(recorder, result, out)


def dot(recorder: Any, x: Any, y: Any, out: Any = None) -> Any:
    if np.ndim(hidden(x)) == 0 or np.ndim(hidden(y)) == 0:
        return _given(recorder, np.multiply(x, y), out)
    if np.ndim(hidden(y)) > 2:
        raise recorder.refuse("np.dot of an array of more than two dimensions is not recorded")
    return _given(recorder, np.matmul(x, y), out)


def clip(
    recorder: Any,
    array: Any,
    low: Any = None,
    high: Any = None,
    out: Any = None,
    a_min: Any = None,
    a_max: Any = None,
    **names: Any,
) -> Any:
    both = (low, a_min, names.pop("min", None)), (high, a_max, names.pop("max", None))
    low, high = (next((one for one in given if one is not None), None) for given in both)
    if names:
        raise recorder.refuse(f"np.clip with {', '.join(names)}= is not recorded")
    return _given(recorder, _clipped(recorder, array, low, high), out)


def _stacked(recorder: Any, arrays: Any, axis: int = 0, out: Any = None, dtype: Any = None, casting: Any = None) -> Any:
    """``np.concatenate``."""
    arrays = [_array(recorder, one) for one in arrays]
    if axis is None:
        arrays, axis = [recorder.wrap(one).reshape(-1).hidden for one in arrays], 0
    axis %= arrays[0].ndim
    kind = dtype or np.result_type(*arrays)
    total = sum(one.shape[axis] for one in arrays)
    result = out if out is not None else recorder.empty((*arrays[0].shape[:axis], total, *arrays[0].shape[axis + 1 :]), kind)
    at = 0
    for one in arrays:
        part = (slice(None),) * axis + (slice(at, at + one.shape[axis]),)
        copy(recorder, result[part], recorder.wrap(one))
        at += one.shape[axis]
    return result


def _stack(recorder: Any, arrays: Any, axis: int = 0, out: Any = None) -> Any:
    return _stacked(recorder, [np.expand_dims(one, axis) for one in arrays], axis, out)


def _repeat(recorder: Any, array: Any, repeats: Any, axis: Any = None) -> Any:
    size = hidden(array).size if axis is None else hidden(array).shape[axis]
    return take(recorder, array, np.repeat(np.arange(size), hidden(repeats)), axis, None)


def _tile(recorder: Any, array: Any, reps: Any) -> Any:
    reps = tuple(reps) if np.ndim(reps) else (reps,)
    rank = max(len(reps), array.ndim)
    reps, shape = (1,) * (rank - len(reps)) + reps, (1,) * (rank - array.ndim) + array.shape
    pairs = [one for pair in zip(reps, shape, strict=True) for one in pair]
    apart = array.reshape([one for size in shape for one in (1, size)])
    return np.broadcast_to(apart, pairs).reshape([n * size for n, size in zip(reps, shape, strict=True)])


def _made(fill: Any) -> Callable[..., Any]:
    def make(recorder: Any, shape: Any, *arguments: Any, dtype: Any = None, order: str = "C", **keywords: Any) -> Any:
        value = fill
        if fill is np.full:
            value, *arguments = arguments  # type: ignore[assignment]
        dtype = arguments[0] if arguments else dtype
        made = recorder.empty(shape, dtype or (np.asarray(hidden(value)).dtype if fill is np.full else float))
        if value is not None:
            copy(recorder, made, value)
        return made

    return make


def _alike(fill: Any) -> Callable[..., Any]:
    def make(
        recorder: Any, like: Any, *arguments: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
    ) -> Any:
        value = fill
        if fill is np.full:
            value, *arguments = arguments  # type: ignore[assignment]
        dtype = arguments[0] if arguments else dtype
        made = recorder.empty(like.shape if shape is None else shape, dtype or like.dtype)
        if value is not None:
            copy(recorder, made, value)
        return made

    return make


def _iota(recorder: Any, *arguments: Any, dtype: Any = None, **keywords: Any) -> Any:
    return recorder.bound(np.arange(*map(hidden, arguments), dtype=dtype), "constant")


def _asarray(recorder: Any, value: Any, dtype: Any = None, order: Any = None, copy: Any = None, **keywords: Any) -> Any:
    if not isinstance(value, Recorded):
        if _recorded(value):
            return np.stack([np.asarray(one) if not _recorded(one) else one for one in value])
        return recorder.bound(np.array(value, dtype), "constant")
    return value.astype(dtype or value.dtype, copy=bool(copy))  # type: ignore[attr-defined]


def _newArray(recorder: Any, value: Any, dtype: Any = None, copy: Any = True, **keywords: Any) -> Any:
    return _asarray(recorder, value, dtype, copy=copy is not False and copy is not None)


def _dense(recorder: Any, value: Any, dtype: Any = None, **keywords: Any) -> Any:
    array = _asarray(recorder, value, dtype)
    return array if array.flags.c_contiguous else array.copy()


def _copyto(recorder: Any, target: Any, source: Any, casting: str = "same_kind", where: Any = True) -> None:
    if where is True:
        copy(recorder, target, source)
    elif not isinstance(target, Recorded):
        raise recorder.refuse("copies a recorded array into an array of NumPy; make that array with like=input")
    else:
        choose(recorder, where, source if isinstance(source, Recorded) else np.asarray(source, target.dtype), target, target)  # type: ignore[attr-defined]


def _pad(recorder: Any, array: Any, width: Any, mode: str = "constant", constant_values: Any = 0, **keywords: Any) -> Any:
    if mode != "constant" or keywords:
        raise recorder.refuse(f"np.pad in mode {mode!r} is not recorded")
    pairs = np.broadcast_to(np.asarray(width), (array.ndim, 2)).tolist()
    made = recorder.empty(tuple(size + a + b for size, (a, b) in zip(array.shape, pairs, strict=True)), array.dtype)
    copy(recorder, made, constant_values)
    made[tuple(slice(a, a + size) for size, (a, _) in zip(array.shape, pairs, strict=True))] = array
    return made


def _sum(ufunc: Any) -> Callable[..., Any]:
    def make(
        recorder: Any, array: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **rest: Any
    ) -> Any:
        if ufunc in (np.maximum, np.minimum, np.logical_or, np.logical_and):  # these have no dtype
            dtype, out = None, out if dtype is None else dtype
        if rest:
            raise recorder.refuse(f"np.{ufunc.__name__}.reduce with {', '.join(rest)}= is not recorded")
        return reduce(recorder, ufunc, array, axis, dtype, out, keepdims is True)

    return make


def _norm(recorder: Any, array: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or (ord == 2 and np.ndim(axis) and len(axis) > 1):
        raise recorder.refuse(f"np.linalg.norm of order {ord} is not recorded")
    return np.sqrt(reduce(recorder, np.add, np.square(array), axis, None, None, keepdims))


def _along(recorder: Any, array: Any, indices: Any, axis: int = -1) -> Any:
    """``np.take_along_axis``: by the numbers of elements in row-major order."""
    if axis is None:
        array, axis = array.reshape(-1), 0
    axis %= array.ndim
    size = array.shape[axis]
    isOther = isinstance(indices, Recorded)
    indices = recorder.wrap(_indices(recorder, indices, size))
    if isOther:
        indices.within(0, size - 1, "an index")
    step = int(np.prod(array.shape[axis + 1 :]))
    others = np.arange(int(np.prod(array.shape))).reshape(array.shape).take([0], axis)
    return take(recorder, _dense(recorder, array).reshape(-1), indices * step + others, 0, None)


def _shares(recorder: Any, *arguments: Any, **keywords: Any) -> bool:
    return np.may_share_memory(*map(hidden, arguments[:2]))


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.copyto: _copyto,
    np.concatenate: _stacked,
    np.stack: _stack,
    np.where: lambda recorder, condition, *sides: _where(recorder, condition, *sides),
    np.empty: _made(None),
    np.zeros: _made(0),
    np.ones: _made(1),
    np.full: _made(np.full),
    np.empty_like: _alike(None),
    np.zeros_like: _alike(0),
    np.ones_like: _alike(1),
    np.full_like: _alike(np.full),
    np.arange: _iota,
    np.asarray: _asarray,
    np.asanyarray: _asarray,
    np.array: _newArray,
    np.ascontiguousarray: _dense,
    np.copy: lambda recorder, array, order="K", subok=False: array.copy(),
    np.sum: _sum(np.add),
    np.prod: _sum(np.multiply),
    np.max: _sum(np.maximum),
    np.amax: _sum(np.maximum),
    np.min: _sum(np.minimum),
    np.amin: _sum(np.minimum),
    np.any: _sum(np.logical_or),
    np.all: _sum(np.logical_and),
    np.mean: lambda recorder, array, axis=None, dtype=None, out=None, keepdims=False: mean(
        recorder, array, axis, dtype, out, keepdims is True
    ),
    np.var: lambda recorder, array, axis=None, dtype=None, out=None, ddof=0, keepdims=False: variance(
        recorder, array, axis, dtype, out, ddof, keepdims is True
    ),
    np.std: lambda recorder, array, axis=None, dtype=None, out=None, ddof=0, keepdims=False: np.sqrt(
        variance(recorder, array, axis, dtype, out, ddof, keepdims is True)
    ),
    np.argmax: lambda recorder, array, axis=None, out=None, keepdims=False: extreme(
        recorder, array, axis, out, keepdims is True, 2
    ),
    np.argmin: lambda recorder, array, axis=None, out=None, keepdims=False: extreme(
        recorder, array, axis, out, keepdims is True, 3
    ),
    np.cumsum: lambda recorder, array, axis=None, dtype=None, out=None: scan(recorder, array, axis, dtype, out),
    np.take: lambda recorder, array, indices, axis=None, out=None, mode="raise": take(recorder, array, indices, axis, out, mode),
    np.repeat: _repeat,
    np.tile: _tile,
    np.dot: lambda recorder, x, y, out=None: dot(recorder, x, y, out),
    np.clip: clip,
    np.pad: _pad,
    np.outer: lambda recorder, x, y, out=None: _given(recorder, np.multiply(x.reshape(-1, 1), y.reshape(1, -1)), out),
    np.vdot: lambda recorder, x, y: np.sum(x.reshape(-1) * y.reshape(-1)),
    np.linalg.norm: _norm,
    np.take_along_axis: _along,
    np.roll: lambda recorder, array, shift, axis=None: _roll(recorder, array, shift, axis),
    np.may_share_memory: _shares,
    np.shares_memory: _shares,
    np.reshape: lambda recorder, array, shape, order="C", copy=None: array.reshape(shape, order=order),
    np.ravel: lambda recorder, array, order="C": array.ravel(order),
    np.isscalar: lambda recorder, value: False,
}

_VIEWS = {
    np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.broadcast_to, np.broadcast_arrays,
    np.split, np.array_split, np.hsplit, np.vsplit, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.flip, np.fliplr,
    np.flipud, np.diagonal, np.lib.stride_tricks.sliding_window_view, np.diag,
}  # fmt: skip
_FACTS = {np.shape, np.ndim, np.size, np.result_type, np.can_cast, np.common_type, np.iscomplexobj, np.isrealobj}


def _where(recorder: Any, condition: Any, *sides: Any) -> Any:
    if len(sides) != 2:
        raise recorder.refuse("np.where of a condition alone: how many places there are depends on the data")
    return choose(recorder, condition, *sides)


def _roll(recorder: Any, array: Any, shift: Any, axis: Any) -> Any:
    if not isinstance(shift, (int, np.integer)) or not isinstance(axis, (int, np.integer)):
        raise recorder.refuse("np.roll along several axes is not recorded")
    size = array.shape[axis]
    return take(recorder, array, np.roll(np.arange(size), shift), axis, None)


def other(recorder: Any, function: Any, arguments: Any, keywords: dict[str, Any]) -> Any:
    """What ``__array_function__`` is asked for."""
    keywords = {name: value for name, value in keywords.items() if name != "like" and value is not np._NoValue}
    if function in _FACTS:
        return function(*hidden(arguments), **hidden(keywords))
    if function in _VIEWS:
        return _views(recorder, function(*hidden(arguments), **hidden(keywords)), _recorded(arguments))
    make = FUNCTIONS.get(function)
    isMade = "out" in keywords or function in (
        np.copyto,
        np.may_share_memory,
        np.shares_memory,
        np.empty,
        np.zeros,
        np.ones,
        np.full,
    )
    isMade = isMade or function in (np.empty_like, np.zeros_like, np.ones_like, np.full_like, np.array, np.copy)
    if not isMade and _isKnown(recorder, arguments, keywords) and function not in (np.asarray, np.ascontiguousarray):
        return _constants(recorder, function(*hidden(arguments), **hidden(keywords)))
    if make is None:
        raise recorder.refuse(f"np.{getattr(function, '__name__', function)} is not recorded")
    return make(recorder, *arguments, **keywords)


def _views(recorder: Any, result: Any, sources: list[Any]) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(_views(recorder, one, sources) for one in result)
    if result.size and not any(np.may_share_memory(result, source.hidden) for source in sources):
        if all(recorder.memory(source.hidden).isKnown for source in sources):
            return _constants(recorder, result)
        raise recorder.refuse("makes a copy where a view was expected, which is not recorded")
    return recorder.wrap(result) if result.size else recorder.empty(result.shape, result.dtype)


__all__ = ["FUNCTIONS", "item", "other", "put", "universal"]
