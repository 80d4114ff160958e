"""Records NumPy's other functions as calls of libTHNN's array functions.

What depends on no input of the network is left to NumPy: the result is a constant of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.recording.indexing import choose, normalized_indices, take
from pytorch_legacy.recording.operands import DOUBLE, constants, copy, dense, given, hidden, isKnown, operand, recorded_in
from pytorch_legacy.recording.reductions import extreme, mean, reduce, scan, variance
from pytorch_legacy.recording.universal import clipped


def dot(recorder: Any, x: Any, y: Any, out: Any = None) -> Any:
    if np.ndim(hidden(x)) == 0 or np.ndim(hidden(y)) == 0:
        return given(recorder, np.multiply(x, y), out)
    if np.ndim(hidden(y)) > 2:
        raise recorder.refuse("np.dot of an array of more than two dimensions is not recorded")
    return given(recorder, np.matmul(x, y), out)


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
    return given(recorder, clipped(recorder, array, low, high), out)


def _stacked(recorder: Any, arrays: Any, axis: int = 0, out: Any = None, dtype: Any = None, casting: Any = None) -> Any:
    """Returns ``np.concatenate(arrays, axis)``."""
    arrays = [operand(recorder, one) for one in arrays]
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
        if recorded_in(value):
            return np.stack([np.asarray(one) if not recorded_in(one) else one for one in value])
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
    isOfMatrix = array.ndim == 2 if axis is None else np.ndim(axis) and len(axis) > 1
    if ord is not None and (ord != 2 or isOfMatrix):
        raise recorder.refuse(f"np.linalg.norm of order {ord} is not recorded")
    array = array if array.dtype.kind == "f" else array.astype(DOUBLE)
    return np.sqrt(reduce(recorder, np.add, np.square(array), axis, None, None, keepdims))


def _vdot(recorder: Any, x: Any, y: Any) -> Any:
    product = np.multiply(np.reshape(x, -1), np.reshape(y, -1))
    return np.sum(product, dtype=product.dtype)


def _along(recorder: Any, array: Any, indices: Any, axis: int = -1) -> Any:
    """Returns ``np.take_along_axis(array, indices, axis)``, by the numbers of elements in row-major order."""
    if axis is None:
        array, axis = array.reshape(-1), 0
    axis %= array.ndim
    size = array.shape[axis]
    isOther = isinstance(indices, Recorded)
    indices = recorder.wrap(normalized_indices(recorder, indices, size))
    if isOther:
        indices.within(0, size - 1, "an index")
    step = int(np.prod(array.shape[axis + 1 :]))
    others = np.arange(int(np.prod(array.shape))).reshape(array.shape).take([0], axis)
    return take(recorder, dense(array).reshape(-1), indices * step + others, 0, None)


def _putAlong(recorder: Any, array: Any, indices: Any, values: Any, axis: int) -> None:
    """Notes ``np.put_along_axis(array, indices, values, axis)`` for one index in each line along the axis."""
    axis %= array.ndim
    places = np.arange(array.shape[axis]).reshape((-1,) + (1,) * (array.ndim - 1 - axis))
    if indices.shape[axis] != 1:
        raise recorder.refuse("np.put_along_axis of several elements along the axis is not recorded")
    isOther = isinstance(indices, Recorded)
    indices = recorder.wrap(normalized_indices(recorder, indices, array.shape[axis]))
    if isOther:
        indices.within(0, array.shape[axis] - 1, "an index")
    choose(recorder, np.equal(indices, places), values, array, array)


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
        recorder, array, axis, out, keepdims is True, np.maximum
    ),
    np.argmin: lambda recorder, array, axis=None, out=None, keepdims=False: extreme(
        recorder, array, axis, out, keepdims is True, np.minimum
    ),
    np.cumsum: lambda recorder, array, axis=None, dtype=None, out=None: scan(recorder, array, axis, dtype, out),
    np.take: lambda recorder, array, indices, axis=None, out=None, mode="raise": take(recorder, array, indices, axis, out, mode),
    np.repeat: _repeat,
    np.tile: _tile,
    np.dot: lambda recorder, x, y, out=None: dot(recorder, x, y, out),
    np.clip: clip,
    np.pad: _pad,
    np.outer: lambda recorder, x, y, out=None: given(recorder, np.multiply(x.reshape(-1, 1), y.reshape(1, -1)), out),
    np.vdot: _vdot,
    np.linalg.norm: _norm,
    np.take_along_axis: _along,
    np.put_along_axis: _putAlong,
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
    """Returns the result of a function of NumPy (``__array_function__``)."""
    keywords = {name: value for name, value in keywords.items() if name != "like" and value is not np._NoValue}
    if function in _FACTS:
        return function(*hidden(arguments), **hidden(keywords))
    if function in _VIEWS:
        return _views(recorder, function(*hidden(arguments), **hidden(keywords)), recorded_in(arguments))
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
    if not isMade and isKnown(recorder, arguments, keywords) and function not in (np.asarray, np.ascontiguousarray):
        return constants(recorder, function(*hidden(arguments), **hidden(keywords)))
    if make is None:
        raise recorder.refuse(f"np.{getattr(function, '__name__', function)} is not recorded")
    return make(recorder, *arguments, **keywords)


def _views(recorder: Any, result: Any, sources: list[Any]) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(_views(recorder, one, sources) for one in result)
    if result.size and not any(np.may_share_memory(result, source.hidden) for source in sources):
        if all(recorder.memory(source.hidden).isKnown for source in sources):
            return constants(recorder, result)
        raise recorder.refuse("makes a copy where a view was expected, which is not recorded")
    return recorder.wrap(result) if result.size else recorder.empty(result.shape, result.dtype)
