"""Checks of arguments, with the one message a user needs: module, argument, what was expected, what came.

Layers written in Python call these first; layers that call the C library need few of them, for it checks itself.
"""

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from pytorch_legacy import backend
from pytorch_legacy.arguments import as_kind
from pytorch_legacy.arrays import Tensor, is_tensor, is_writable, on_device, overlaps_itself, to_device
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from pytorch_legacy.messages import areNumbers, described, mismatch, sizes
from pytorch_legacy.objects import Object


def tensor(module: Object, name: str, value: Any, *ranks: int) -> Tensor:
    """`value`, an array of the module's dtype with one of the given ranks (any rank if none is given).

    An array without dimensions comes as a vector of its one element where a vector is asked for.
    """
    dtype, kind = module._typed()  # at once, since a container asks its modules
    if type(value) is kind and value.dtype == dtype and (not ranks or value.ndim in ranks):
        return value  # type: ignore[no-any-return]
    onDevice = kind is not np.ndarray
    if not is_tensor(value) or on_device(value) != onDevice or value.dtype != dtype:
        raise DtypeError(mismatch(f"{module._typename}: {name}", value, dtype, onDevice))
    if not ranks or value.ndim in ranks:
        return value  # an instance of a subclass of NumPy's array
    if value.ndim == 0 and 1 in ranks:
        return value.reshape(1)
    wanted = " or ".join(f"{rank}-D" for rank in ranks)
    raise ShapeError(f"{module._typename}: {name}: expected a {wanted} array, got {value.ndim}-D ({sizes(value.shape)})")


def array(module: Object, name: str, value: Any) -> Tensor:
    """`value`, an array of numbers of any dtype: what layers take that only move elements."""
    isNumbers = is_tensor(value) and value.dtype.kind in "biuf" and (value.dtype.isnative or value.dtype.kind != "f")
    if not isNumbers or on_device(value) != module._onDevice:
        raise DtypeError(mismatch(f"{module._typename}: {name}", value, module._dtype, module._onDevice))
    return value


def arrays(module: Object, name: str, value: Any) -> Any:
    """`value`, in which every array, in tables within tables too, is one that `array` takes."""
    if is_tensor(value):
        array(module, name, value)
    for place, entry in _entries(value):
        arrays(module, f"{name}[{place!r}]", entry)
    return value


def slopes(module: Object, name: str, value: Any, example: Tensor) -> Tensor:
    """`value`, a gradient of `example`: an array of its dtype. The gradient of integers has integers or the module's dtype."""
    isInteger = example.dtype.kind in "biu"
    if isInteger and is_tensor(value) and value.dtype.kind in "biu":
        return array(module, name, value)
    dtype = module._dtype if isInteger else example.dtype
    if not is_tensor(value) or value.dtype != dtype or on_device(value) != module._onDevice:
        raise DtypeError(mismatch(f"{module._typename}: {name}", value, dtype, module._onDevice))
    return value


def gradientDtype(module: Object, example: Tensor) -> Any:
    """The dtype of the gradient of `example`: its own. If that has integers, the module's."""
    return example.dtype if example.dtype.kind == "f" else module._dtype


def like(module: Object, name: str, value: Any, example: Any) -> Any:
    """`value`, a gradient of `example`: an array of the same shape, or a table of such arrays with the same places."""
    if is_tensor(example):
        return shape(module, name, slopes(module, name, value, example), example.shape)
    if isinstance(example, dict) and not (isinstance(value, dict) and value.keys() == example.keys()):
        raise DtypeError(f"{module._typename}: {name}: expected a table with {[*example]}, got {described(value)}")
    if isinstance(example, list):
        table(module, name, value, len(example))
    for place, entry in _entries(example):
        like(module, f"{name}[{place!r}]", value[place], entry)
    return value


def gradient(module: Object, gradOutput: Any, input: Tensor, shape: tuple[int, ...] | None = None) -> Tensor:
    """`gradOutput` of a layer that has an output for each element of `input`, in the shape of the output: that of the input by
    default.

    It may come in another shape with as many elements (see `matching`).
    """
    found = slopes(module, "gradOutput", gradOutput, input)
    return matching(module, "gradOutput", found, input.shape if shape is None else shape)


def table(module: Object, name: str, value: Any, length: int | None = None) -> list[Any]:
    """`value`, a list with `length` entries (at least one if `length` is not given)."""
    wanted = "a table" if length is None else f"a table of {length}"
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, dict):
        raise DtypeError(f"{module._typename}: {name}: expected {wanted}, got a dict; a table with places is a list here")
    if not isinstance(value, list):
        raise DtypeError(f"{module._typename}: {name}: expected {wanted}, got {described(value)}")
    if len(value) != length and (length is not None or not value):
        least = " with at least one entry" if length is None else ""
        raise ShapeError(f"{module._typename}: {name}: expected {wanted}{least}, got {described(value)}")
    return value


def leading(module: Object, name: str, value: Any, count: int) -> list[Any]:
    """The first `count` entries of `value`, a list with as many or more: as in Lua, where nobody looked at the others."""
    return table(module, name, value[:count] if isinstance(value, (list, tuple)) and len(value) > count else value, count)


def branches(module: Object, gradOutput: Any, count: int) -> list[Any]:
    """`gradOutput`, a list with an entry for each of `count` branches. As in Lua, the last ones may be missing: they are None."""
    missing = count - len(gradOutput) if isinstance(gradOutput, (list, tuple)) else 0
    return table(module, "gradOutput", [*gradOutput, *[None] * missing] if missing > 0 else gradOutput, count)


def tensors(module: Object, name: str, value: Any, length: int | None = None) -> list[Tensor]:
    """`value`, a list of arrays of the module's dtype."""
    entries = table(module, name, value, length)
    dtype, kind = module._typed()
    if all(type(entry) is kind and entry.dtype == dtype for entry in entries):
        return [*entries]
    return [tensor(module, f"{name}[{i}]", entry) for i, entry in enumerate(entries)]


def alike(module: Object, name: str, value: Any, length: int | None = None) -> list[Tensor]:
    """`value`, a list of arrays of the module's dtype and of one shape."""
    found = tensors(module, name, value, length)
    for i, entry in enumerate(found):
        shape(module, f"{name}[{i}]", entry, found[0].shape)
    return found


def terms(module: Object, name: str, value: Any, length: int | None = None) -> list[Tensor]:
    """`value`, a list of arrays of the module's dtype with as many elements, seen in one shape: as in Torch7, where only the
    number of elements and their order counted.

    It is the shape of the first array; but if this one is contiguous, that of one that is not, which would have to be copied.
    """
    found = tensors(module, name, value, length)
    shapes = {entry.shape for entry in found}
    if len(shapes) == 1:
        return found
    for i, entry in enumerate(found):
        if entry.size != found[0].size:
            shape(module, f"{name}[{i}]", entry, found[0].shape)
    common = next((entry.shape for entry in found if not entry.flags.c_contiguous), found[0].shape)
    return [entry.reshape(common) for entry in found]


def pair(module: Object, name: str, value: Any, *ranks: int) -> list[Tensor]:
    """The first two of `value`, a list of arrays; they have one shape, with one of the given ranks."""
    first, second = tensors(module, name, leading(module, name, value, 2))
    if ranks:
        first, second = tensor(module, f"{name}[0]", first, *ranks), second if second.ndim else second.reshape(1)
    return [first, shape(module, f"{name}[1]", second, first.shape)]


def numbers(module: Object, name: str, value: Any, wanted: str) -> Tensor:
    """`value`, a number, a list or an array of numbers, as an array where the module is; `wanted` says what they are."""
    try:
        array = value if is_tensor(value) else np.asarray(value if areNumbers(value) else None)
    except ValueError:
        raise ShapeError(f"{module._typename}: {name}: expected {wanted}, got rows of unlike lengths") from None
    if array.dtype.kind not in "iuf":
        raise DtypeError(f"{module._typename}: {name}: expected {wanted}, got {described(value)}")
    if on_device(array) != module._onDevice and is_tensor(value):
        raise DtypeError(mismatch(f"{module._typename}: {name}", value, value.dtype, module._onDevice))
    return to_device(array, module._onDevice)


def looks(module: Object) -> bool:
    """Returns True if checks may read the elements of arrays. On a device that means to wait, so it is done only on request."""
    return not module._onDevice or backend.cuda_index_check()


def areWhole(array: Tensor) -> bool:
    """Returns True if all elements, in floating point or not, are whole numbers that fit in 64 bits."""
    if isinstance(array, Recorded):
        array.within(-(2**62), 2**62, "indices", DtypeError)  # type: ignore[attr-defined]
        return True
    if array.dtype.kind == "f":
        return bool(np.all((array == np.trunc(array)) & (np.abs(array) < 2**62)))
    return array.dtype.kind in "iu"


def labels(module: Object, name: str, value: Any) -> Tensor:
    """Class labels as the array of 64-bit integers that the C functions read; a single one is an array of one."""
    array = numbers(module, name, value, "a label or an array of labels")
    if isinstance(array, Recorded):
        array.within(-(2**62), 2**62, name, DtypeError)  # type: ignore[attr-defined]
    elif looks(module) and not areWhole(array):
        raise DtypeError(f"{module._typename}: {name}: expected a label or an array of labels, got numbers between labels")
    array = array.astype(np.int64, copy=False)
    return array if array.ndim else array.reshape(1)


def signs(module: Object, name: str, value: Any, hasZero: bool = False) -> Tensor:
    """`value`, a number or an array of numbers that are all 1 or -1, or also 0, as an array."""
    wanted = "1, 0 or -1" if hasZero else "1 or -1"
    array = numbers(module, name, value, f"{wanted}, or an array of them")
    if isinstance(array, Recorded) and not array.isKnown():  # type: ignore[attr-defined]
        if hasZero:
            array.within(-1, 1, name, ValueRangeError)  # type: ignore[attr-defined]
        else:
            np.abs(array).within(1, 1, f"{name} (its absolute value)", ValueRangeError)  # type: ignore[attr-defined]
        return array
    others = array[(array != 1) & (array != -1) & ~(hasZero & (array == 0))] if looks(module) else array.reshape(-1)[:0]
    if others.size:
        raise ValueRangeError(f"{module._typename}: {name}: expected {wanted}, got {others[0]}")
    return array


def below(module: Object, name: str, indices: Tensor, size: int, wanted: str = "") -> Tensor:
    """`indices`, which are all from 0 to `size` - 1."""
    if isinstance(indices, Recorded):
        indices.within(0, size - 1, name)  # type: ignore[attr-defined]
    elif looks(module):
        for index in indices[(indices < 0) | (indices >= size)][:1]:
            text = f"{module._typename}: {name}: expected {wanted}{{}} to {{}}, got {{}}"
            raise IndexRangeError.of(text, 0, size - 1, int(index), isFromEnd=False)
    return indices


def spread(module: Object, name: str, array: Tensor, expected: tuple[int, ...]) -> Tensor:
    """`array`, of the module's dtype, repeated along leading dimensions until it has the expected shape."""
    rank, array = len(expected), tensor(module, name, array)
    if array.ndim > rank or array.shape != expected[rank - array.ndim :]:
        raise ShapeError(f"{module._typename}: {name}: expected the last sizes of {sizes(expected)}, got {sizes(array.shape)}")
    return np.broadcast_to(array, expected)


def goal(module: Object, value: Any, expected: tuple[int, ...]) -> Tensor:
    """`value`, a criterion's target of the module's dtype, in the shape that its input has (see `matching`)."""
    return matching(module, "target", tensor(module, "target", value), expected)


def marks(module: Object, value: Any, kinds: str = "iu") -> Tensor:
    """`value`, a criterion's target of two classes, in the module's dtype; it may come as integers, or what `kinds` says."""
    if is_tensor(value) and value.dtype.kind in kinds and on_device(value) == module._onDevice:
        return value.astype(module._dtype)
    return tensor(module, "target", value)


def matching(module: Object, name: str, array: Tensor, expected: tuple[int, ...]) -> Tensor:
    """`array` in the expected shape; it may come in another one with as many elements, as in Torch7, where only their number
    and their order counted."""
    if array.shape == expected:
        return array
    if array.size != prod(expected):
        elements = "1 element" if prod(expected) == 1 else f"{prod(expected)} elements"
        wanted = f"{sizes(expected)}, or {elements} in another shape"
        raise ShapeError(f"{module._typename}: {name}: expected {wanted}, got {sizes(array.shape)}")
    return array.reshape(expected)


def weighing(module: Object, name: str, weights: Tensor, input: Tensor, target: Any) -> Tensor:
    """A criterion's weights in the shape of its input: as many as this has elements, or as the last sizes of the target (which
    Torch7 looked at) or of the input."""
    if weights.size == input.size:
        return weights.reshape(input.shape)
    goal = np.shape(target)
    shape = goal if prod(goal) == input.size and goal[len(goal) - weights.ndim :] == weights.shape else input.shape
    return spread(module, name, weights, shape).reshape(input.shape)


def shape(module: Object, name: str, array: Tensor, expected: tuple[int, ...]) -> Tensor:
    """`array`, which has the expected shape; one without dimensions is a vector of its one element."""
    if array.ndim == 0 and expected == (1,):
        return array.reshape(1)
    if array.shape != expected:
        raise ShapeError(f"{module._typename}: {name}: expected {sizes(expected)}, got {sizes(array.shape or (1,))}")
    return array


def count(module: Object, name: str, value: Any, least: int = 1) -> int:
    """`value`, an integer that is at least `least`."""
    number: int = as_kind(module, name, value, int)
    if number < least:
        raise ValueRangeError(f"{module._typename}: {name}: expected {least} or more, got {number}")
    return number


def integers(module: Object, name: str, value: Any) -> tuple[int, ...]:
    """`value`, one integer or several in a tuple, a list or a vector."""
    several = isinstance(value, (list, tuple)) or np.ndim(value)
    return tuple(as_kind(module, name, one, int) for one in (value if several else [value]))


def axis(module: Object, dimension: int, rank: int, name: str = "dimension", batch: int = 0) -> int:
    """A dimension of an array of that rank, counted from the front.

    A dimension that counts from the front does not count the first `batch` ones.
    """
    if not (-rank <= dimension < 0 or (0 <= dimension + batch < rank and dimension >= 0)):
        raise IndexRangeError.of(f"{module._typename}: {name}: {{}} is out of range for a {rank}-D array", dimension)
    return dimension % rank if dimension < 0 else dimension + batch


def batched(rank: int, sampleRank: int | None) -> int:
    """Returns the number of batch dimensions of an array: 1 if it has one dimension more than its samples, else 0."""
    return int(sampleRank is not None and rank == sampleRank + 1)


def place(module: Object, name: str, index: int, size: int) -> int:
    """An index into a dimension of that size, counted from the front."""
    if not -size <= index < size:
        raise IndexRangeError.of(f"{module._typename}: {name}: {{}} is out of range for a dimension of size {size}", index)
    return index % size


def joint_shape(module: Object, name: str, arrays: list[Tensor], dimension: int) -> tuple[int, ...]:
    """The shape of `arrays` put one after the other along `dimension`; all other sizes agree."""
    first = arrays[0].shape
    for i, array in enumerate(arrays):
        others = array.shape[:dimension] + array.shape[dimension + 1 :]
        if array.ndim != len(first) or others != first[:dimension] + first[dimension + 1 :]:
            wanted = f"the sizes of {name}[0], {sizes(first)}, but for dimension {{}}"
            text = f"{module._typename}: {name}[{i}]: expected {wanted}, got {sizes(array.shape)}"
            raise ShapeError.of(text, dimension)
    return (*first[:dimension], sum(array.shape[dimension] for array in arrays), *first[dimension + 1 :])


def writable(module: Object, name: str, array: Tensor) -> Tensor:
    """`array`, which a layer is to work on in place; a copy of one that is read-only, such as the output of nn.Replicate."""
    if not is_writable(array):
        return np.array(array, order="C", like=array)
    if overlaps_itself(array):  # to write one element would change others that are still to be read
        wrong = "one with several elements at one address (an expanded view)"
        raise ValueRangeError(f"{module._typename}: {name}: expected an array to write to, got {wrong}; pass x.copy()")
    return array


def any_arrays(module: Object, name: str, value: Any) -> Any:
    """`value`, an array of any dtype or a table of such."""
    if not is_tensor(value) and not isinstance(value, (list, dict)):
        raise DtypeError(f"{module._typename}: {name}: expected arrays or tables of arrays, got {described(value)}")
    for place, entry in _entries(value):
        any_arrays(module, f"{name}[{place!r}]", entry)
    return value


def _entries(value: Any) -> Iterable[tuple[Any, Any]]:
    """Places and entries of a table; nothing else has any."""
    return value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
