"""Brackets: ``x[i]``, ``x[{{a, b}, {}, i}]``, ``x[mask]``, read and assigned, of tensors and storages."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..language.errors import raise_error
from ..language.table import TABLES, Table
from .signatures import described
from .tensor import Array, Storage, Tensor
from .values import BYTE, LONG, cast, integer, items, scalar


def _fail(message: str) -> NoReturn:
    raise_error(f"bad argument #2 to '?' ({message})")


def _place(value: Any, size: int, message: str = "out of range") -> int:
    """Returns an index, which may count from the end, as NumPy counts it."""
    i = integer(value, "[]")
    if i < 0:
        i += size + 1
    if not 1 <= i <= size:
        _fail(message)
    return i - 1


def _range(bounds: Table, size: int) -> slice:
    given = items(bounds)
    if not given:
        return slice(None)
    start = _place(given[0], size, "start index out of bound")
    end = _place(given[1], size, "end index out of bound") if len(given) > 1 else start
    if end < start:
        _fail("end index must be greater or equal to start index")
    return slice(start, end + 1)


def _shown(array: Array, key: Any) -> Any:
    """Returns the part that numbers and ranges of a table or a LongStorage choose."""
    chosen = key.vector.astype(float).tolist() if isinstance(key, Storage) else items(key)
    if len(chosen) > array.ndim:
        _fail("too many indices provided")
    parts: list[Any] = []
    for one, size in zip(chosen, array.shape, strict=False):
        if one.__class__ is float:
            parts.append(_place(one, size, "index out of bound"))
        elif one.__class__ in TABLES:
            parts.append(_range(one, size))
        else:
            _fail(f"expected numbers and tables within the brackets, got {described(one)}")
    return array[tuple(parts)]


def _mask(x: Tensor, mask: Tensor) -> Array:
    """Returns a mask as one of the elements in their order."""
    if mask.dtype != BYTE or mask.array.size != x.array.size:
        _fail(f"expected a ByteTensor of {x.array.size} elements, got a {described(mask)} of {mask.array.size}")
    if mask.array.size and mask.array.max() > 1:
        raise_error("Mask tensor can take 0 and 1 values only")
    return mask.array.reshape(x.array.shape).astype(bool)


def _refuse(x: Any, kind: str) -> NoReturn:
    """Raises the error of brackets of another value, such as a table that has a tensor's metatable."""
    raise_error(f"bad argument #1 to '?' ({kind} expected, got {described(x)})")


def index(x: Any = None, key: Any = None, *_: Any) -> Any:
    """Returns ``x[key]`` of a tensor."""
    if not isinstance(x, Tensor):
        _refuse(x, "Tensor")
    if key.__class__ is float:
        array = x.array
        i = int(key) - 1 if 1 <= key < 2**53 else _place(key, len(array))
        try:
            return array.item(i) + 0.0 if array.ndim == 1 else x.view(array[i])
        except IndexError:
            _fail("out of range")
    if key.__class__ is str:
        return x._metatable.__dict__.get(key)
    if key.__class__ in TABLES or (isinstance(key, Storage) and key.dtype == LONG):
        found = _shown(x.array, key)
        return x.view(found) if found.__class__ is np.ndarray else float(found)
    if isinstance(key, Tensor):
        if key.dtype == LONG:
            _fail("a LongTensor chooses nothing: use index(dimension, indices)")
        return x.__class__(x.array[_mask(x, key)])
    _fail(f"expected a number, table, LongStorage or ByteTensor within the brackets, got {described(key)}")


def newindex(x: Any = None, key: Any = None, value: Any = None, *_: Any) -> None:
    """Sets ``x[key]`` of a tensor: to a number, or to what another tensor has."""
    if not isinstance(x, Tensor):
        _refuse(x, "Tensor")
    array = x.array
    if key.__class__ is float:
        i = int(key) - 1 if 1 <= key <= len(array) else _place(key, len(array))
        if array.ndim == 1 and value.__class__ is float:
            array[i] = value if x.isFloat else scalar(array.dtype, value)
        else:
            _assign(array[i : i + 1] if array.ndim == 1 else array[i], value)
    elif key.__class__ in TABLES or isinstance(key, Storage):
        shown = _shown(array, key)
        if shown.__class__ is np.ndarray:
            _assign(shown, value)
        else:
            places = [_place(one, n) for one, n in zip(_numbers(key), array.shape, strict=True)]
            _assign(array[tuple(slice(i, i + 1) for i in places)], value)
    elif isinstance(key, Tensor):
        _assign_masked(x, _mask(x, key), value)
    else:
        _fail(f"a tensor has no field '{key}'" if key.__class__ is str else f"wrong index: {described(key)}")


def _numbers(key: Any) -> list[Any]:
    return key.vector.astype(float).tolist() if isinstance(key, Storage) else items(key)


def _assign(shown: Array, value: Any) -> None:
    if value.__class__ is float:
        shown[...] = scalar(shown.dtype, value)
    elif isinstance(value, Tensor):
        if value.array.size != shown.size:
            raise_error(f"sizes do not match: {value.array.size} elements do not fit {shown.size}")
        shown[...] = cast(value.array.reshape(shown.shape), shown.dtype)
    else:
        raise_error(f"bad argument #3 to '?' (expected a number or tensor to assign, got {described(value)})")


def _assign_masked(x: Tensor, mask: Array, value: Any) -> None:
    if value.__class__ is float:
        x.array[mask] = scalar(x.dtype, value)
    elif isinstance(value, Tensor):
        masked_copy(x, mask, value)
    else:
        raise_error(f"bad argument #3 to '?' (expected a number or tensor to assign, got {described(value)})")


def masked_copy(x: Tensor, mask: Array, source: Tensor) -> None:
    """Sets the elements of a mask to the first ones of a source."""
    n = int(mask.sum())
    if source.array.size < n:
        raise_error(f"Number of elements of src < number of ones in mask: {source.array.size} < {n}")
    x.array[mask] = cast(source.array.ravel()[:n], x.dtype)


def index_storage(storage: Any = None, key: Any = None, *_: Any) -> Any:
    """Returns ``s[key]`` of a storage."""
    if not isinstance(storage, Storage):
        _refuse(storage, "Storage")
    if key.__class__ is str:
        return storage._metatable.__dict__.get(key)
    return float(storage.vector[_storage_place(storage, key)])


def newindex_storage(storage: Any = None, key: Any = None, value: Any = None, *_: Any) -> None:
    """Sets ``s[key]`` of a storage."""
    if not isinstance(storage, Storage):
        _refuse(storage, "Storage")
    if value.__class__ is not float:
        raise_error(f"bad argument #3 to '?' (number expected, got {described(value)})")
    storage.vector[_storage_place(storage, key)] = scalar(storage.dtype, value)


def _storage_place(storage: Storage, key: Any) -> int:
    i = integer(key, "[]")
    if not 1 <= i <= storage.vector.size:
        raise_error("index out of bounds")
    return i - 1
