"""The common part of functions of tensors: results that are stored, numbers as C converts them, sizes, dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..language.errors import raise_error
from ..language.operators import tonumber
from ..language.table import TABLES, Table, border, rawget, sequence
from .memory import check, zeros
from .tensor import DTYPES, Array, Storage, Tensor, Types

_LARGEST, _LAST = 2.0**63, 2**63 - 1
_INT = DTYPES["Int"]
LONG: np.dtype[Any] = DTYPES["Long"]
BYTE: np.dtype[Any] = DTYPES["Byte"]


# ------------------------------------------------------------------------------------------------------ numbers


def integer(value: Any, name: str = "?") -> int:
    """Returns a number of Lua as an integer, as C cuts it."""
    x = value if value.__class__ is float else tonumber(value)
    if x is None:
        raise_error(f"bad argument to '{name}' (number expected)")
    if x != x:
        return 0
    return int(x) if -_LARGEST < x < _LARGEST else _LAST if x > 0 else -_LAST


def scalar(dtype: np.dtype[Any], value: Any) -> Any:
    """Returns a number as an element of a type, converted as C does."""
    x = value if value.__class__ is float else tonumber(value)
    if x is None:
        raise_error("bad argument (number expected)")
    return x if dtype.kind == "f" else cast(np.array(x), dtype)[()]


def cast(array: Array, dtype: np.dtype[Any]) -> Array:
    """Returns an array of another type, converted as C does: types of at most 32 bits go through an int of C."""
    if array.dtype == dtype:
        return array
    if array.dtype.kind == "f" and dtype.kind in "iu" and dtype.itemsize < _INT.itemsize:
        return array.astype(_INT).astype(dtype)
    return array.astype(dtype)


# ------------------------------------------------------------------------------------------------------ sizes


def text(shape: Sequence[int]) -> str:
    """Returns sizes as messages have them: ``[2 x 3]``."""
    return f"[{' x '.join(map(str, shape))}]"


def shape_of(x: Tensor) -> tuple[int, ...]:
    """Returns the sizes; () for a tensor without a dimension."""
    shape = x.array.shape
    return () if shape == (0,) else shape


def sizes(values: Sequence[Any], name: str = "resize") -> tuple[int, ...]:
    """Returns sizes as Lua gives them: numbers, one LongStorage, or one table. All from the first 0 on are cut off."""
    if len(values) >= 1 and isinstance(values[0], Storage):
        found = [int(one) for one in values[0].vector]
    elif len(values) >= 1 and values[0].__class__ in TABLES:
        found = [integer(one, name) for one in items(values[0])]
    else:
        found = [integer(one, name) for one in values]
    for i, one in enumerate(found):
        if one <= 0:
            return tuple(found[:i])
    return tuple(found)


def items(table: Table) -> list[Any]:
    """Returns the values of a table from 1 to n."""
    return [rawget(table, float(i)) for i in range(1, border(table) + 1)]


def count(shape: Sequence[int], itemsize: int = 1) -> int:
    """Returns the number of elements, 0 without a dimension. Raises an error for more than fit into memory."""
    return check(shape, itemsize) if shape else 0


def axis(x: Tensor, dimension: Any, name: str = "?") -> int:
    """Returns a dimension, which counts from one, as NumPy counts it."""
    d = integer(dimension, name)
    if not 1 <= d <= len(shape_of(x)):
        raise_error(f"bad argument to '{name}' (dimension {d} is out of range of a {len(shape_of(x))}D tensor)")
    return d - 1


def size_storage(types: Types, values: Sequence[int]) -> Storage:
    """Returns a LongStorage."""
    return types.storages[LONG](np.array(values, LONG))


def table_of(values: Any) -> Any:
    """Returns nested lists as tables."""
    return sequence(*map(table_of, values)) if values.__class__ is list else float(values)


# ------------------------------------------------------------------------------------------------------ results


def resize(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Gives a tensor a size; its storage grows where needed."""
    if x.array.shape == (shape or (0,)):
        return x
    n = count(shape, x.dtype.itemsize)
    if not x.hasStorage:
        x.set_array(zeros(shape or (0,), x.dtype))
        return x
    storage = x.storage
    offset = offset_of(x)
    if offset + n > storage.vector.size:
        storage.resize(offset + n)
    x.place(storage, offset if n else 0, shape or (0,), contiguous(shape or (0,)))
    return x


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """Returns the strides, in elements, of an array without gaps."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def offset_of(x: Tensor) -> int:
    """Returns how many elements of its storage lie before a tensor."""
    array, vector = x.array, x.storage.vector
    if not array.size:
        return 0
    return int((array.__array_interface__["data"][0] - vector.__array_interface__["data"][0]) // array.itemsize)


def store(result: Tensor | None, array: Array, kind: type[Tensor]) -> Tensor:
    """Stores an array: in a result, which gets its size, or in a new tensor of a class."""
    if not array.ndim:
        array = array.reshape(1)
    if result is None:
        return kind(cast(array, kind.dtype))
    if result.array.shape != array.shape:
        resize(result, array.shape)
    result.array[...] = cast(array, result.dtype)
    return result


def like(x: Array, other: Array) -> Array:
    """Returns another array in the shape of x; both have to have as many elements."""
    if other.shape == x.shape:
        return other
    if other.size != x.size:
        raise_error(
            f"inconsistent tensor size, expected tensor {text(x.shape)} and src {text(other.shape)} to have the same number of "
            f"elements, but got {x.size} and {other.size} elements respectively"
        )
    return other.reshape(x.shape)


def positions(index: Tensor, limit: int, name: str) -> Array:
    """Returns indices, which count from one, as NumPy counts them."""
    found = index.array - 1
    if found.size and (found.min() < 0 or found.max() >= limit):
        raise_error(f"{name}: index out of range: expected 1 to {limit}, got {index.array.min()} to {index.array.max()}")
    return found
