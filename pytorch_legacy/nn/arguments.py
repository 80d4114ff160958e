"""What constructors take: their annotations say it, and are held to it here, once for all classes.

An argument of another kind is an error that names class and argument. Numbers of NumPy become Python's.
"""

from collections.abc import Callable
from functools import wraps
from inspect import CO_VARARGS, get_annotations
from operator import index
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from pytorch_legacy.arrays import Array, is_tensor, placed
from pytorch_legacy.errors import DtypeError

P = ParamSpec("P")
R = TypeVar("R")

_NAMES = {int: "an integer", float: "a number", bool: "True or False", str: "a string", NoneType: "None"}


def checked(method: Callable[P, R]) -> Callable[P, R]:
    """A method that looks at its arguments first. All constructors are such; it also serves as a decorator."""
    hints = get_annotations(method)
    kinds = {name: several for name in hints if name != "return" and (several := _kinds(hints[name]))}
    if not kinds:
        return method
    code = method.__code__  # type: ignore[attr-defined]
    names = code.co_varnames[1 : code.co_argcount]
    others = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & CO_VARARGS else ""

    @wraps(method)
    def looking(thing: Any, /, *args: Any, **keywords: Any) -> R:
        given = list(args)
        for i, value in enumerate(args):
            name = names[i] if i < len(names) else others
            if name in kinds and type(value) not in kinds[name]:
                given[i] = taken(thing, name, value, *kinds[name])
        for name, value in keywords.items():
            if name in kinds and type(value) not in kinds[name]:
                keywords[name] = taken(thing, name, value, *kinds[name])
        return method(thing, *given, **keywords)  # type: ignore[call-arg,arg-type]

    return looking  # type: ignore[return-value]


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The kinds that an annotation names, if these are numbers, flags, text, None and objects of Torch7's classes alone."""
    kinds = hint.__args__ if isinstance(hint, UnionType) else (hint,)
    return kinds if all(kind in _NAMES or hasattr(kind, "_typename") for kind in kinds) else ()


def taken(thing: Any, name: str, value: Any, *kinds: Any) -> Any:
    """`value`, an argument of `thing`, as one of the first kind that it can be: int, float, bool, str, None's, or a class."""
    for kind in kinds:
        try:
            return _as(kind, value)
        except (AttributeError, TypeError):
            continue
    wanted = " or ".join(_NAMES.get(kind, f"a {kind.__name__.lower()}") for kind in kinds)
    raise DtypeError(f"{thing._typename}: {name}: expected {wanted}, got {_shown(value)}")


def numbers(thing: Any, name: str, value: Any) -> Array:
    """`value`, an argument of `thing` that is a number, a list of numbers or an array, as an array of doubles."""
    try:
        array = placed(value, False) if is_tensor(value) else np.array(value, subok=True)  # an array with a mask stays one
    except ValueError:  # lists of unlike lengths
        array = np.array(None)
    if not is_tensor(array) or array.dtype.kind not in "biuf":
        raise DtypeError(f"{thing._typename}: {name}: expected numbers, got {_shown(value)}")
    return array.astype(np.float64)


def _shown(value: Any) -> str:
    return f"{' '.join(repr(value).split()):.60}"


def _as(kind: Any, value: Any) -> Any:
    """`value` as one of that kind. What cannot be one raises TypeError or AttributeError."""
    if kind is int:
        return index(value)
    if isinstance(value, kind) or (kind is float and isinstance(value, int)):
        return value
    if kind is float:
        return type(value).__float__(value)  # which text has not
    if kind is bool:
        return bool(value if isinstance(value, np.bool_) else index(value))
    raise TypeError
