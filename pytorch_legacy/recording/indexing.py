"""Views, items, and choices of elements of recorded arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.errors import IndexRangeError
from pytorch_legacy.recording.operands import BOOL, LONG, copy, dense, given, hidden, isKnown, operand, reaches, truth


def reshape(recorder: Any, array: Any, shape: Any) -> Any:
    result = array.hidden.reshape(shape)
    if np.may_share_memory(result, array.hidden) or not result.size:
        return recorder.wrap(result) if result.size else recorder.empty(result.shape, result.dtype)
    return recorder.wrap(array.copy().hidden.reshape(shape))


def _fancy(key: Any) -> bool:
    return isinstance(key, (Recorded, np.ndarray, list)) and (np.ndim(hidden(key)) > 0 or isinstance(key, Recorded))


def item(recorder: Any, array: Any, key: Any) -> Any:
    """Returns ``array[key]``."""
    place = _place(recorder, array, key)
    if place is None:
        result = array.hidden[key]
        if not isinstance(result, np.ndarray):  # an element: a view without dimensions
            result = array.hidden[(*key, ...) if isinstance(key, tuple) else (key, ...)]
        return recorder.wrap(result)
    before, axis, indices = place
    return take(recorder, recorder.wrap(before), indices, axis, None)


def put(recorder: Any, array: Any, key: Any, value: Any) -> None:
    """Notes ``array[key] = value``."""
    if isinstance(key, Recorded) and key.dtype == BOOL and np.ndim(hidden(value)) == 0 and not isKnown(recorder, key):  # type: ignore[attr-defined]
        mask = key.reshape(*key.shape, *[1] * (array.ndim - key.ndim))  # type: ignore[attr-defined]
        choose(recorder, mask, np.asarray(value, array.dtype) if not isinstance(value, Recorded) else value, array, array)
    elif _place(recorder, array, key) is None:
        copy(recorder, item(recorder, array, key), value)
    else:
        scatter(recorder, array, key, value, 0)


def _place(recorder: Any, array: Any, key: Any) -> tuple[Any, int, Any] | None:
    """Returns, for a key with an array of indices, a view by all other parts of the key, the axis, and the indices; else None."""
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
    if kind == BOOL:
        if not isKnown(recorder, indices):
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
    """Returns a part of a key. A mask of several dimensions becomes the indices of its places."""
    if not _fancy(key) or np.ndim(hidden(key)) < 2 or np.asarray(hidden(key)).dtype != BOOL:
        return (key,)
    if not isKnown(recorder, key):
        raise recorder.refuse("uses a mask as an index: how many elements there are depends on the data")
    return np.nonzero(np.asarray(hidden(key)))


def _joined(recorder: Any, array: Any, keys: list[Any], places: list[int]) -> tuple[Any, int, Any]:
    """Returns the same for several arrays of indices beside each other: their axes become one, in a dense copy."""
    others = [one for place, one in enumerate(keys) if place not in places]
    isPlain = places == list(range(places[0], places[-1] + 1))
    isPlain = isPlain and all(isinstance(one, slice) or one is Ellipsis for one in others)
    if not isPlain or any(np.asarray(hidden(keys[place])).dtype == BOOL for place in places):
        raise recorder.refuse("uses arrays apart from each other, or masks, as an index, which is not recorded")
    chosen = [keys[place] for place in places]
    used = sum(1 for one in keys if one is not Ellipsis)
    axis = sum(array.ndim - used if one is Ellipsis else 1 for one in keys[: places[0]])
    before = array[tuple(slice(None) if place in places else one for place, one in enumerate(keys))]
    sizes = before.shape[axis : axis + len(chosen)]
    total: Any = 0
    for size, one in zip(sizes, chosen, strict=True):
        numbers = recorder.wrap(normalized_indices(recorder, one, size))
        if isinstance(one, Recorded):
            numbers.within(0, size - 1, "an index")
        total = total * size + numbers
    return dense(before).reshape((*before.shape[:axis], -1, *before.shape[axis + len(chosen) :])).hidden, axis, total


def normalized_indices(recorder: Any, indices: Any, size: int, mode: str = "raise") -> Any:
    """Returns indices among `size` slices as an array of NumPy. A negative index counts from the end."""
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
    numbers = recorder.wrap(operand(recorder, indices, LONG))
    if mode == "clip":
        numbers = np.clip(numbers, 0, size - 1)
    elif mode == "wrap":
        numbers = numbers % size
    elif not _isChecked(recorder, indices):
        numbers = np.where(numbers < 0, numbers + size, numbers)
    return numbers.hidden


def _isChecked(recorder: Any, indices: Any) -> bool:
    """Returns whether no index can be negative: they are unsigned, were just checked, or are the places of extremes."""
    if indices.dtype.kind in "bu":
        return True
    memory = recorder.memory(indices.hidden)
    writers = [call for call in recorder.calls if any(ref.memory == memory.number for ref in call.refs(call.writes))]
    last = recorder.calls[-1] if recorder.calls else None
    if last is not None and last.name == "arrayWithin" and last.arguments[1] >= 0 and last.arguments[0].memory == memory.number:
        return True
    return len(writers) == 1 and writers[0].name == "arrayReduceIndex"


def take(recorder: Any, array: Any, indices: Any, axis: Any, out: Any, mode: str = "raise") -> Any:
    """Returns slices of an array by their indices."""
    if not isinstance(array, Recorded):
        array = recorder.constant(np.asarray(array))
    if axis is None:
        array, axis = array.reshape(-1), 0
    axis %= array.ndim
    numbers = normalized_indices(recorder, indices, array.shape[axis], mode)
    flat = recorder.wrap(numbers).reshape(-1).hidden
    shape = (*array.shape[:axis], flat.size, *array.shape[axis + 1 :])
    result = recorder.empty(shape, array.dtype)
    recorder.array("arrayTake", array.hidden, flat, result.hidden, axis)
    result = result.reshape((*array.shape[:axis], *numbers.shape, *array.shape[axis + 1 :]))
    return given(recorder, result, out)


def scatter(recorder: Any, array: Any, key: Any, value: Any, adds: int) -> None:
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
    numbers = normalized_indices(recorder, indices, before.shape[axis])
    shape = (*before.shape[:axis], *numbers.shape, *before.shape[axis + 1 :])
    values = np.broadcast_to(operand(recorder, value, array.dtype), shape)
    flat = recorder.wrap(numbers).reshape(-1).hidden
    dense = recorder.wrap(values).reshape((*before.shape[:axis], flat.size, *before.shape[axis + 1 :])).hidden
    recorder.array("arrayPut", dense, flat, before, axis, adds)


def choose(recorder: Any, condition: Any, x: Any, y: Any, out: Any = None) -> Any:
    """Returns ``np.where(condition, x, y)``."""
    kind = np.result_type(*[one if type(one) in (int, float) else np.asarray(hidden(one)) for one in (x, y)])
    arrays = truth(recorder, condition), operand(recorder, x, kind), operand(recorder, y, kind)
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    mask, x, y = (np.broadcast_to(array, shape) for array in arrays)
    target = out.hidden if isinstance(out, Recorded) else None  # type: ignore[attr-defined]
    fits = target is not None and target.shape == shape and target.dtype == kind
    result = out if fits and not any(reaches(target, one) for one in (mask, x, y)) else recorder.empty(shape, kind)
    recorder.array("arrayChoose", mask, x, y, result.hidden)
    return result if out is None or result is out else given(recorder, result, out)
