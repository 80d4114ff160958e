"""Checks of array fields: a class declares them once, and each pass validates them first.

Functions of libTHNN check every array that they get. Array operations accept anything: they skip masked elements, use the
product of matrices for an np.matrix, and broadcast an array that is too short.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.arrays import is_tensor, is_writable, on_device, overlaps_itself
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from pytorch_legacy.messages import mismatch, sizes

_PASSES = {"updateOutput": False, "updateGradInput": False, "accGradParameters": True, "backward": True}
"""The methods that check, and whether they write to gradients of parameters."""

_withChecks: set[Any] = set()


class ArrayField(NamedTuple):
    """The declaration of a field that holds an array of the object's element type.

    Attributes
    ----------
    name : str
        The field. The field of its gradient has the prefix "grad": "gradWeight" for "weight".
    shape : int or function, optional
        The number of dimensions, or a function that returns the shape for an object whose earlier entries are valid.
    mayLack : tuple of str
        Those of the two fields that may be None.
    """

    name: str
    shape: int | Callable[[Any], tuple[int, ...]] | None = None
    mayLack: tuple[str, ...] = ()


def declared_fields(cls: type) -> tuple[tuple[ArrayField, str], ...]:
    """Returns the ``_arrayFields`` of a class with the names of gradients. Its own entries replace those of its bases."""
    found = {field.name: field for base in reversed(cls.__mro__) for field in vars(base).get("_arrayFields", ())}
    return tuple((field, f"grad{name[0].upper()}{name[1:]}") for name, field in found.items())


def add_checks(cls: type) -> None:
    """Adds the check to the passes of a class: its own, and those of bases that declare no arrays."""
    for name, writes in _PASSES.items():
        method = getattr(cls, name, None)
        if name in vars(cls) or (method and method not in _withChecks and name != "backward"):  # backward calls the other two
            setattr(cls, name, _checking(method, writes))
            _withChecks.add(getattr(cls, name))


def _checking(method: Any, writes: bool) -> Callable[..., Any]:

    @wraps(method)
    def passing(self: Any, *arguments: Any, **keywords: Any) -> Any:
        check_arrays(self, writes)
        return method(self, *arguments, **keywords)

    return passing


def check_arrays(thing: Any, writes: bool) -> None:
    """Raises an error if an array is not as its class declares, or, with `writes`, if a gradient is not."""
    for (name, shape, mayLack), gradient in thing._checkedFields:
        array = getattr(thing, name)
        if array is None and name in mayLack:
            continue
        _element(thing, name, array)
        if type(shape) is int:
            if array.ndim != shape:
                got = f"{array.ndim}-D ({sizes(array.shape)})"
                raise ShapeError(f"{thing._typename}: {name}: expected a {shape}-D array, got {got}")
        elif shape is not None and array.shape != (expected := shape(thing)):  # type: ignore[operator]
            raise ShapeError(f"{thing._typename}: {name}: expected {sizes(expected)}, got {sizes(array.shape)}")
        if writes and hasattr(thing, gradient):
            target(thing, gradient, getattr(thing, gradient), array, gradient in mayLack)


def target(thing: Any, name: str, value: Any, like: Any, mayLack: bool = False) -> None:
    """Raises an error if the gradient of the parameter `like` cannot be added to `value`."""
    if value is None and mayLack:
        return
    _element(thing, name, value)
    if value.shape != like.shape:
        raise ShapeError(f"{thing._typename}: {name}: expected {sizes(like.shape)}, as its parameter, got {sizes(value.shape)}")
    if not (type(value) is np.ndarray and value.flags.carray) and (not is_writable(value) or overlaps_itself(value)):
        wrong = "one with several elements at one address" if is_writable(value) else "a read-only one"
        raise ValueRangeError(f"{thing._typename}: {name}: expected an array that can be written to, got {wrong}; pass x.copy()")


def _element(thing: Any, name: str, value: Any) -> None:
    if type(value) is thing._array and value.dtype == thing._dtype:
        return
    if not is_tensor(value) or on_device(value) != thing._onDevice or value.dtype != thing._dtype:
        raise DtypeError(mismatch(f"{thing._typename}: {name}", value, thing._dtype, thing._onDevice))
