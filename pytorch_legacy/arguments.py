"""Checks the arguments of constructors against their annotations, once for all classes.

What Lua programs write is taken: a number that is whole where an integer is wanted (``10 / 2``), a size or padding whose fraction
Torch7's C cut off (with a warning), and None, Lua's nil, in the
place of an argument that has a default. An argument of another kind, one too many and one that is missing are errors that name
class and argument. Numbers of NumPy become Python's.
"""

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from operator import index
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np

from pytorch_legacy.arrays import Array, is_tensor, to_device
from pytorch_legacy.errors import ArgumentError, ValueRangeError
from pytorch_legacy.torch_names import argument_hint

# Sizes, strides and paddings, by the names of arguments and fields: Torch7 gave them to C, or to tensors, which took the whole
# part of a number: (kW - 1) / 2 is a padding of 1 for a kernel of 4.
_GEOMETRY = """
    kT kW kH dT dW dH padT padW padH adjT adjW adjH dilationT dilationW dilationH T W H poolSizeT poolSizeW poolSizeH
    pad pad_l pad_r pad_t pad_b pleft pright ptop pbottom pfront pback oT oW oH outT outW outH iT iW iH odepth owidth oheight
    stride offset length sizes"""
_TRUNCATED = frozenset(_GEOMETRY.split())

P = ParamSpec("P")
R = TypeVar("R")

_NAMES = {
    int: "an integer", float: "a number", bool: "True or False", str: "a string", NoneType: "None", list: "a list",
    dict: "a table with names",
}  # fmt: skip
_GENERIC = {Sequence: list, list: list, tuple: list, Mapping: dict, dict: dict}


# Arguments that are 1 or more: sizes of windows and outputs, steps and distances.
_POSITIVE = {f"{kind}{axis}" for kind in ("k", "d", "dilation", "") for axis in "TWH"} | {"width", "stride"}
# Arguments that are 0 or more: padding, but in layers that only pad, where negative padding cuts away.
_NOT_NEGATIVE = {f"{kind}{axis}" for kind in ("pad", "adj") for axis in "TWH"}


def checked(method: Callable[P, R]) -> Callable[P, R]:
    """A method that looks at its arguments first. All constructors are such; it also serves as a decorator."""
    _, *parameters = _signature(method).parameters.values()
    kinds = {p.name: several for p in parameters if (several := _kinds(p.annotation))}
    # The defaults stand for nil, unless None has a meaning of its own.
    given = [p for p in parameters if p.default not in (p.empty, None) and NoneType not in kinds.get(p.name, ())]
    defaults = {p.name: p.default for p in given}
    names = [p.name for p in parameters if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    required = {p.name for p in parameters if p.kind is Parameter.POSITIONAL_OR_KEYWORD and p.default is p.empty}
    needed = len(required)
    others = next((p.name for p in parameters if p.kind is Parameter.VAR_POSITIONAL), None)
    takesAll = any(p.kind is Parameter.VAR_KEYWORD for p in parameters)
    known = {p.name for p in parameters if p.name != others}
    sized = method.__name__ == "__init__" and {name for name in kinds if int in kinds[name]}  # type: ignore[attr-defined]
    least = {name: 1 for name in sized or () if name in _POSITIVE} | {name: 0 for name in sized or () if name in _NOT_NEGATIVE}

    def look(thing: Any, name: str | None, value: Any) -> Any:
        if value is None and name in defaults:
            return defaults[name]
        if name in kinds and type(value) not in kinds[name]:
            value = as_kind(thing, name, value, *kinds[name])
        if name in least and value is not None and value < least[name]:
            raise ValueRangeError(f"{thing._typename}: {name}: expected {least[name]} or more, got {value}")
        return value

    @wraps(method)
    def looking(thing: Any, /, *args: Any, **keywords: Any) -> R:
        count = len(args)
        for name in keywords:
            if name in names[:count]:
                raise ArgumentError(f"{_place(thing, method)}: {name}: given twice")
            if name not in known and not takesAll:
                listed = (", ".join(names) or "none") + argument_hint(name, names)
                raise ArgumentError(f"{_place(thing, method)}: {name}: there is no such argument, but {listed}")
        if (count > len(names) and others is None) or (count < needed and not required - {*names[:count]} <= keywords.keys()):
            raise ArgumentError(f"{_place(thing, method)}: expected {_several(names, needed)}, got {count + len(keywords)}")
        if keywords:
            keywords = {name: look(thing, name, value) for name, value in keywords.items()}
        given = [look(thing, names[i] if i < len(names) else others, value) for i, value in enumerate(args)]
        return method(thing, *given, **keywords)  # type: ignore[call-arg,arg-type]

    return looking  # type: ignore[return-value]


def _signature(method: Any) -> Signature:
    """With the annotations that a file writes as texts (``from __future__ import annotations``), as far as they are known yet."""
    try:
        return signature(method, eval_str=True)
    except Exception:
        return signature(method)


def _place(thing: Any, method: Any) -> str:
    return thing._typename if method.__name__ == "__init__" else f"{thing._typename}: {method.__name__}"


def _several(names: list[str], needed: int) -> str:
    """Returns the possible numbers of arguments, and their names: "2 to 3 arguments (inputSize, outputSize, bias)"."""
    if not names:
        return "no arguments"
    least = "" if needed == len(names) else f"{needed} to "
    return f"{least}{len(names)} argument{'s' * (len(names) > 1)} ({', '.join(names)})"


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The kinds that an annotation names, if these are numbers, flags, text, None, lists, tables, objects of Torch7 or values."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    letters = [str for kind in kinds if get_args(kind) == (str,)]  # a text is a sequence of letters
    kinds = (*(_GENERIC.get(get_origin(kind) or kind, kind) for kind in kinds), *letters)
    return kinds if all(_is_kind(kind) for kind in kinds) else ()


def _is_kind(kind: Any) -> bool:
    return get_origin(kind) is Literal or (isinstance(kind, type) and (kind in _NAMES or hasattr(kind, "_typename")))


def as_kind(thing: Any, name: str, value: Any, *kinds: Any) -> Any:
    """`value`, an argument of `thing`, as one of the first kind that it can be: int, float, bool, str, None's, or a class."""
    for kind in kinds:
        try:
            return _as(kind, value)
        except (AttributeError, TypeError, StopIteration):
            continue
    if int in kinds and (number := truncated(thing, name, value)) is not None:
        warnings.warn(f"{thing._typename}: {name}: {value} is not whole: {number} is taken, as Torch7 did", stacklevel=outside())
        return number
    wanted = " or ".join(map(_name, kinds))
    if isinstance(value, type) and hasattr(value, "_typename"):
        raise ArgumentError(f"{thing._typename}: {name}: expected {wanted}, got the class {value._typename}; make one of it: ()")
    raise ArgumentError(f"{thing._typename}: {name}: expected {wanted}, got {_shown(value)}")


def _name(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, get_args(kind)))
    return _NAMES.get(kind, f"a {kind.__name__.lower()}")


def truncated(thing: Any, name: str, value: Any) -> int | None:
    """The whole part of a size, stride or padding that has a fraction, where Torch7 took it; else None."""
    isNumber = isinstance(value, (float, np.floating)) and abs(float(value)) < 1 << 31
    return int(value) if isNumber and name in _TRUNCATED and not thing._addsSizes else None


def outside() -> int:
    """Returns the level in the stack of the first frame outside of the package, for warnings."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith("pytorch_legacy."):
        level, frame = level + 1, frame.f_back
    return level


def as_doubles(thing: Any, name: str, value: Any) -> Array:
    """`value`, an argument of `thing` that is a number, a list of numbers or an array, as an array of doubles."""
    try:
        array = to_device(value, False) if is_tensor(value) else np.array(value, subok=True)  # an array with a mask stays one
    except ValueError:  # lists of unlike lengths
        array = np.array(None)
    if not is_tensor(array) or array.dtype.kind not in "biuf":
        raise ArgumentError(f"{thing._typename}: {name}: expected numbers, got {_shown(value)}")
    return array.astype(np.float64)


def _shown(value: Any) -> str:
    return f"{' '.join(repr(value).split()):.60}"


def whole(value: Any) -> int:
    """`value` as an integer, which a number without a fraction is: Lua has no other ones. TypeError if it is none."""
    isNumber = isinstance(value, (float, np.floating))
    isNumber |= isinstance(value, np.ndarray) and value.dtype.kind == "f" and not value.ndim
    return int(value) if isNumber and float(value).is_integer() else index(value)


def _as(kind: Any, value: Any) -> Any:
    """`value` as one of that kind. What cannot be one raises TypeError or AttributeError."""
    if get_origin(kind) is Literal:
        return next(one for one in get_args(kind) if type(one) is type(value) and one == value)
    if kind in (int, float) and isinstance(value, (bool, np.bool_)):
        raise TypeError  # a flag is no number
    if kind is int:
        return whole(value)
    if kind is list and ((isinstance(value, Sequence) and not isinstance(value, str)) or (is_tensor(value) and value.ndim)):
        return value
    if kind is dict and isinstance(value, Mapping):
        return value
    if isinstance(value, kind) or (kind is float and isinstance(value, int)):
        return value
    if kind is float:
        return type(value).__float__(value)  # text has no __float__
    if kind is bool:
        return bool(value if isinstance(value, np.bool_) else index(value))
    raise TypeError
