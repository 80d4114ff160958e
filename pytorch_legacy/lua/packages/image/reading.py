"""The arguments of functions of pictures: a result or none, pictures, and the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...language.arguments import MISSING, number
from ...language.errors import raise_error
from ...language.table import rawget
from ...tensors.signatures import described
from ...tensors.tensor import Array, Tensor
from ..values import is_table

_TYPES = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.uint8))


def picture_of(value: Any, name: str) -> Tensor:
    """Returns a tensor that is a picture."""
    if not isinstance(value, Tensor) or value.dtype not in _TYPES:
        raise_error(f"image.{name}: expected a FloatTensor, DoubleTensor or ByteTensor, got {described(value)}")
    return value


def split(name: str, arguments: tuple[Any, ...], count: int = 1) -> tuple[Any, ...]:
    """Returns the result or None, the tensors, and the rest of the arguments of ``image.name([result,] tensors, ...)``."""
    values = list(arguments)
    while values and (values[-1] is None or values[-1] is MISSING):
        values.pop()
    result = None
    if values and values[0] is None:
        values.pop(0)
    elif len(values) > count and all(isinstance(one, Tensor) for one in values[: count + 1]):
        result = values.pop(0)
    tensors = [picture_of(one, name) for one in values[:count]]
    if len(tensors) < count:
        raise_error(f"image.{name}: incorrect arguments: expected {count} tensors, got {len(tensors)}")
    return (result, *tensors, values[count:])


def given_at(rest: list[Any], i: int, default: Any) -> Any:
    return rest[i] if i < len(rest) and rest[i] is not None else default


def whole(rest: list[Any], i: int, name: str) -> int:
    """Returns a whole number among the arguments after the tensors."""
    if i >= len(rest):
        raise_error(f"image.{name}: incorrect arguments: expected more numbers")
    return int(number(rest[i], i + 1, name))


def choice(value: Any, choices: tuple[str, ...], name: str) -> str:
    if value not in choices:
        raise_error(f"image.{name}: mode must be one of: {' | '.join(choices)}")
    return value  # type: ignore[no-any-return]


def channels(x: Tensor, name: str) -> Array:
    """Returns the array of a picture of (channels, height, width) or (height, width) with three dimensions."""
    if x.array.ndim not in (2, 3):
        raise_error(f"image.{name}: src not 2 or 3 dimensional")
    return x.array if x.array.ndim == 3 else x.array[None]


def like(found: Array, x: Tensor) -> Array:
    return found if x.array.ndim == 3 else found[0]


def named(arguments: tuple[Any, ...], **defaults: Any) -> dict[str, Any]:
    """Returns arguments by their names, given in a table or in this order."""
    values: list[Any] = [None if one is MISSING else one for one in arguments]
    if len(values) == 1 and is_table(values[0]) and rawget(values[0], 1.0) is None:
        found = {name: rawget(values[0], name) for name in defaults}
    else:
        found = dict.fromkeys(defaults) | dict(zip(defaults, values, strict=False))
    return {name: defaults[name] if value is None else value for name, value in found.items()}
