"""Arrays that an object holds and computes with: a class says once what they are, and each pass looks at them first.

Functions of libTHNN look at every array that they get. Array operations take what comes: they leave out what a mask hides,
multiply a matrix as matrices are multiplied, and repeat what is too short.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.arrays import is_tensor, is_writable, on_device, overlaps_itself
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from pytorch_legacy.words import mismatch, sizes

_PASSES = {"updateOutput": False, "updateGradInput": False, "accGradParameters": True, "backward": True}
"""The methods that look, and whether they write to gradients of parameters."""

_watched: set[Any] = set()


class Held(NamedTuple):
    """What a class says of a field that holds an array of the object's element type.

    Attributes
    ----------
    name : str
        The field. That of its gradient, if it has one, is called after it: "gradWeight" of "weight".
    shape : int or function, optional
        The number of dimensions, or what gives the shape for an object whose fields of earlier entries are as they should be.
    mayLack : tuple of str
        Which of the two fields may be None.
    """

    name: str
    shape: int | Callable[[Any], tuple[int, ...]] | None = None
    mayLack: tuple[str, ...] = ()


def of(cls: type) -> tuple[tuple[Held, str], ...]:
    """What a class and its bases say as ``_held``, with the names of gradients; what a class says of a field replaces theirs."""
    found = {held.name: held for base in reversed(cls.__mro__) for held in vars(base).get("_held", ())}
    return tuple((held, f"grad{name[0].upper()}{name[1:]}") for name, held in found.items())


def watch(cls: type) -> None:
    """Has the passes of a class look first: its own, and those of bases that hold nothing and so do not look."""
    for name, writes in _PASSES.items():
        method = getattr(cls, name, None)
        if name in vars(cls) or (method and method not in _watched and name != "backward"):  # which calls the other two
            setattr(cls, name, _looking(method, writes))
            _watched.add(getattr(cls, name))


def _looking(method: Any, writes: bool) -> Callable[..., Any]:

    @wraps(method)
    def passing(self: Any, *arguments: Any, **keywords: Any) -> Any:
        look(self, writes)
        return method(self, *arguments, **keywords)

    return passing


def look(thing: Any, writes: bool) -> None:
    """Raises an error if an array is not what the object's class says of it, or if `writes` its gradient."""
    for (name, shape, mayLack), gradient in thing._looked:
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
    """Raises an error if `value` is no array that a gradient of the parameter `like` can be added to."""
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
