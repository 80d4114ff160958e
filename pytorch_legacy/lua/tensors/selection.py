"""Functions of indices and masks: ``index``, ``gather``, ``scatter``, ``maskedFill``; and functions of Lua for each element."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..language.errors import raise_error
from ..language.table import first
from .indexing import masked_copy
from .signatures import Form, forms
from .tensor import Array, Tensor
from .values import LONG, axis, like, positions, scalar, store

# ------------------------------------------------------------------------------------------------------ rows


def _vector_of(index: Tensor, limit: int, name: str) -> Array:
    if index.array.ndim != 1 or not index.array.size:
        raise_error(f"bad argument #3 to '{name}' (Index is supposed to be a vector)")
    return positions(index, limit, name)


def _index(result: Tensor | None, x: Tensor, dimension: float, index: Tensor) -> Tensor:
    d = axis(x, dimension, "index")
    return store(result, np.take(x.array, _vector_of(index, x.array.shape[d], "index"), d), x.__class__)


def _rows(x: Tensor, dimension: float, index: Tensor, name: str) -> tuple[Array, Array]:
    d = axis(x, dimension, name)
    return np.moveaxis(x.array, d, 0), _vector_of(index, x.array.shape[d], name)


def _source(x: Tensor, dimension: float, index: Tensor, source: Tensor, name: str) -> Array:
    d = axis(x, dimension, name)
    own, other = list(x.array.shape), list(source.array.shape)
    own[d] = index.array.size
    if own != other and not (x.array.ndim == 1 and source.array.size == index.array.size):
        raise_error(f"bad argument #4 to '{name}' (source of the size {other} does not fit, {own} is expected)")
    return np.moveaxis(source.array.reshape(own), d, 0)


def _index_copy(x: Tensor, dimension: float, index: Tensor, source: Tensor) -> Tensor:
    rows, places = _rows(x, dimension, index, "indexCopy")
    rows[places] = _source(x, dimension, index, source, "indexCopy")
    return x


def _index_add(x: Tensor, dimension: float, index: Tensor, source: Tensor) -> Tensor:
    rows, places = _rows(x, dimension, index, "indexAdd")
    np.add.at(rows, places, _source(x, dimension, index, source, "indexAdd"))
    return x


def _index_fill(x: Tensor, dimension: float, index: Tensor, value: float) -> Tensor:
    rows, places = _rows(x, dimension, index, "indexFill")
    rows[places] = scalar(x.dtype, value)
    return x


# ------------------------------------------------------------------------------------------------------ elements


def _fitting(x: Tensor, index: Tensor, d: int, name: str) -> Array:
    """Returns places along a dimension, for arrays that have the same size otherwise."""
    own, other = list(x.array.shape), list(index.array.shape)
    if len(own) != len(other) or own[:d] + own[d + 1 :] != other[:d] + other[d + 1 :]:
        raise_error(f"bad argument #3 to '{name}' (index of the size {other} does not fit the tensor of the size {own})")
    return positions(index, own[d], name)


def _gather(result: Tensor | None, x: Tensor, dimension: float, index: Tensor) -> Tensor:
    d = axis(x, dimension, "gather")
    return store(result, np.take_along_axis(x.array, _fitting(x, index, d, "gather"), d), x.__class__)


def _scatter(x: Tensor, dimension: float, index: Tensor, source: Tensor) -> Tensor:
    d = axis(x, dimension, "scatter")
    places = _fitting(x, index, d, "scatter")
    if source.array.shape != index.array.shape:
        raise_error("bad argument #4 to 'scatter' (input tensor must have the same size as the index)")
    np.put_along_axis(x.array, places, source.array, d)
    return x


def _scatter_fill(x: Tensor, dimension: float, index: Tensor, value: float) -> Tensor:
    d = axis(x, dimension, "scatter")
    np.put_along_axis(x.array, _fitting(x, index, d, "scatter"), scalar(x.dtype, value), d)
    return x


def _scatter_add(x: Tensor, dimension: float, index: Tensor, source: Tensor) -> Tensor:
    d = axis(x, dimension, "scatterAdd")
    places = _fitting(x, index, d, "scatterAdd")
    if source.array.shape != index.array.shape:
        raise_error("bad argument #4 to 'scatterAdd' (input tensor must have the same size as the index)")
    at: list[Any] = list(np.indices(places.shape))
    at[d] = places
    np.add.at(x.array, tuple(at), source.array)
    return x


# ------------------------------------------------------------------------------------------------------ masks


def _mask(x: Tensor, mask: Tensor, name: str) -> Array:
    if mask.array.size != x.array.size:
        raise_error(f"bad argument #2 to '{name}' (sizes do not match)")
    if mask.array.size and mask.array.max() > 1:
        raise_error("Mask tensor can take 0 and 1 values only")
    return mask.array.reshape(x.array.shape).astype(bool)


def _masked_fill(x: Tensor, mask: Tensor, value: float) -> Tensor:
    x.array[_mask(x, mask, "maskedFill")] = scalar(x.dtype, value)
    return x


def _masked_copy(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    masked_copy(x, _mask(x, mask, "maskedCopy"), source)
    return x


def _masked_select(result: Tensor | None, x: Tensor, mask: Tensor) -> Tensor:
    return store(result, x.array[_mask(x, mask, "maskedSelect")], x.__class__)


def _nonzero(result: Tensor | None, x: Tensor) -> Tensor:
    found = np.argwhere(x.array) + 1
    return store(result, found if found.size else np.empty(0, LONG), x.types.tensors[LONG])


# ------------------------------------------------------------------------------------------------------ functions of Lua


def _mapped(x: Tensor, function: Any, *others: Tensor) -> Tensor:
    """Calls a function for each element in turn. What it returns is the element from then on, unless it is nil."""
    values = [x.array.ravel().tolist(), *(like(x.array, other.array).ravel().tolist() for other in others)]
    shape = x.array.shape
    out = x.array if x.array.flags.c_contiguous else x.array.copy()
    flat = out.reshape(-1)
    isFloat, dtype = x.dtype.kind == "f", x.dtype
    for i, numbers in enumerate(zip(*values, strict=True)):
        found = first(function(*map(float, numbers)))
        if found.__class__ is float:
            flat[i] = found if isFloat else scalar(dtype, found)
        elif found is not None:
            raise_error("given function should return a number or nil")
    if out is not x.array:
        x.array[...] = flat.reshape(shape)
    return x


FORMS: dict[str, tuple[Form, ...]] = {
    "index": forms("*T T n L", _index),
    "indexCopy": forms("T n L T", _index_copy),
    "indexAdd": forms("T n L T", _index_add),
    "indexFill": forms("T n L n", _index_fill),
    "gather": forms("*T T n L", _gather),
    "scatter": forms("T n L T", _scatter, "T n L n", _scatter_fill),
    "scatterAdd": forms("T n L T", _scatter_add),
    "maskedFill": forms("T B n", _masked_fill),
    "maskedCopy": forms("T B T", _masked_copy),
    "maskedSelect": forms("*T T B", _masked_select),
    "nonzero": forms("*L T", _nonzero),
    "apply": forms("T f", _mapped),
    "map": forms("T T f", lambda x, y, f: _mapped(x, f, y)),
    "map2": forms("T T T f", lambda x, y, z, f: _mapped(x, f, y, z)),
}
