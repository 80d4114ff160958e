"""Functions on tables of tensors: ``nn.utils.recursiveCopy``, ``nn.rnn.recursiveAdd`` and others.

They change the tensors and tables that they get first, and make those that are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..language.errors import raise_error, type_name
from ..language.table import TABLES, Table, border, key_of, keys, rawget, rawset
from ..tensors import Tensor, wrap
from ..tensors.memory import zeros


def _names(table: Any) -> list[Any]:
    return [key for key in map(key_of, keys(table)) if rawget(table, key) is not None]


def _both(one: Any, other: Any, leaf: Callable[[Tensor, Tensor], None], isCut: bool = False) -> Any:
    """Calls a function with the tensors at the same places of two tables. Returns the first table, or the tensor."""
    if other.__class__ in TABLES:
        if one.__class__ not in TABLES:
            first, one = one, Table()
            if first is not None:
                rawset(one, 1.0, first)
        for key in _names(other):
            rawset(one, key, _both(rawget(one, key), rawget(other, key), leaf, isCut))
        for i in range(border(other) + 1, border(one) + 1) if isCut else ():
            rawset(one, float(i), None)
        return one
    if not isinstance(other, Tensor):
        raise_error(f"expecting nested tensors or tables. Got {type_name(one)} and {type_name(other)} instead")
    one = one if isinstance(one, Tensor) else wrap(other.types, zeros((0,), other.array.dtype))
    leaf(one, other)
    return one


def _each(value: Any, leaf: Callable[[Tensor], None]) -> Any:
    if value.__class__ in TABLES:
        for key in _names(value):
            _each(rawget(value, key), leaf)
    elif isinstance(value, Tensor):
        leaf(value)
    else:
        raise_error(f"expecting tensor or table thereof. Got {type_name(value)} instead")
    return value


def _resize(one: Tensor, other: Tensor) -> None:
    if one.array.shape != other.array.shape:
        one.set_array(zeros(other.array.shape, one.array.dtype))


def _copy(one: Tensor, other: Tensor) -> None:
    _resize(one, other)
    one.array[...] = other.array


def _set(one: Tensor, other: Tensor) -> None:
    one.set_array(other.array[...])


def _add(scale: float) -> Callable[[Tensor, Tensor], None]:
    def added(one: Tensor, other: Tensor) -> None:
        one.array[...] += (scale * other.array.reshape(one.array.shape)).astype(one.array.dtype)

    return added


def resizeAs(one: Any = None, other: Any = None, *_: Any) -> Any:
    return _both(one, other, _resize, True), other


def copy(one: Any = None, other: Any = None, *_: Any) -> Any:
    return _both(one, other, _copy), other


def fill(value: Any = None, number: Any = 0.0, *_: Any) -> Any:
    return _each(value, lambda tensor: tensor.array.fill(number))


def add_scaled(one: Any = None, scale: Any = 1.0, other: Any = None, *_: Any) -> Any:
    """Returns ``one + scale * other``; the scale may be left out."""
    if other is None:
        scale, other = 1.0, scale
    return _both(one, other, _add(scale)), other


def add(one: Any = None, other: Any = None, *_: Any) -> Any:
    return _both(one, other, _add(1.0)), other


def set_(one: Any = None, other: Any = None, *_: Any) -> Any:
    return _both(one, other, _set), other


def new(value: Any = None, *_: Any) -> Any:
    return _both(None, value, lambda one, other: None)


def equal(one: Any = None, other: Any = None, *_: Any) -> bool:
    if one.__class__ in TABLES:
        places = _names(one)
        isSame = other.__class__ in TABLES and len(places) == len(_names(other))
        return isSame and all(equal(rawget(one, key), rawget(other, key)) for key in places)
    return isinstance(one, Tensor) and isinstance(other, Tensor) and bool(np.abs(one.array - other.array).max() <= 1e-6)


UTILS: dict[str, Any] = {
    "recursiveResizeAs": resizeAs,
    "recursiveCopy": copy,
    "recursiveFill": fill,
    "recursiveAdd": add_scaled,
}
"""Functions of ``nn.utils``."""

RNN: dict[str, Any] = {
    **{"recursiveResizeAs": resizeAs, "recursiveSet": set_, "recursiveCopy": copy, "recursiveAdd": add},
    **{"recursiveFill": fill, "recursiveNew": new, "recursiveTensorEq": equal},
}
"""Functions of ``nn.rnn``."""
