"""The arguments of functions of pictures: ``image.name([result,] picture, ...)``, also by names in a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...language.arguments import MISSING
from ...language.errors import raise_error
from ...language.table import rawget
from ...tensors.signatures import described
from ...tensors.tensor import Array, Tensor
from ...tensors.values import store
from ..functions import KINDS, Kind, named, reader
from ..values import is_table

_TYPES = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.uint8))


def picture(value: Any, _: int, name: str) -> Tensor:
    """Returns a tensor that is a picture."""
    if not isinstance(value, Tensor) or value.dtype not in _TYPES:
        raise_error(f"image.{name}: expected a FloatTensor, DoubleTensor or ByteTensor, got {described(value)}")
    if not value.array.size:
        raise_error(f"image.{name}: expected a tensor with elements, got an empty one")
    return value


def _choice(choices: str) -> Kind:
    def choice(value: Any, _: int, name: str) -> str:
        if value not in choices.split("|"):
            raise_error(f"image.{name}: mode must be one of: {choices.replace('|', ' | ')}")
        return str(value)

    return choice


OF_PICTURES: dict[str, Kind] = {"picture": picture, "tensor": picture}
"""The kinds of pictures: a ``picture`` has two or three dimensions, a ``tensor`` has any number of them."""


def channels(x: Tensor, name: str) -> Array:
    """Returns the array of a picture of (channels, height, width) or (height, width) with three dimensions."""
    if x.array.ndim not in (2, 3):
        raise_error(f"image.{name}: src not 2 or 3 dimensional")
    return x.array if x.array.ndim == 3 else x.array[None]


def filters(declarations: Mapping[str, Any]) -> dict[str, Any]:
    """Returns functions that store what they compute, in a result or in a new tensor.

    A declaration is a text, whose first words are tensors, and ``compute(array, size, ...)``. The array of a ``picture`` has
    three dimensions. The size is the height and width of the result, or None.
    """
    return {name: named(name, _filter(name, text, compute), compute) for name, (text, compute) in declarations.items()}


def _filter(name: str, text: str, compute: Any) -> Any:
    choices = {word.partition("=")[0] for word in text.split() if "|" in word}
    read = reader(name, text, {**KINDS, **OF_PICTURES, **{one: _choice(one) for one in choices}})
    count = sum(word in OF_PICTURES for word in text.split())

    def act(*arguments: Any) -> Tensor:
        values = list(arguments)
        while values and values[-1] is None:
            values.pop()
        result = None
        if values and values[0] is None:
            values.pop(0)
        elif len(values) > count and all(isinstance(one, Tensor) for one in values[: count + 1]):
            result = values.pop(0)
        if len(values) < count:
            raise_error(f"image.{name}: incorrect arguments: expected {count} tensors, got {len(values)}")
        x, *rest = read(values, 1 if result is None else 2)
        size = None if result is None or result.array.ndim not in (2, 3) else result.array.shape[-2:]
        if text.startswith("tensor"):
            return store(result, compute(x.array, size, *rest), x.__class__)
        found = compute(channels(x, name), size, *rest)
        return store(result, found if x.array.ndim == 3 else found[0], x.__class__)

    return act


def by_name(arguments: tuple[Any, ...], **defaults: Any) -> dict[str, Any]:
    """Returns arguments by their names, given in a table or in this order."""
    values: list[Any] = [None if one is MISSING else one for one in arguments]
    if len(values) == 1 and is_table(values[0]) and rawget(values[0], 1.0) is None:
        found = {name: rawget(values[0], name) for name in defaults}
    else:
        found = dict.fromkeys(defaults) | dict(zip(defaults, values, strict=False))
    return {name: defaults[name] if value is None else value for name, value in found.items()}
