"""Functions that change sizes and positions: ``image.scale``, ``crop``, ``warp`` and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...language.arguments import MISSING, number
from ...language.errors import raise_error
from ...language.operators import format_number
from ...tensors.tensor import Array, Tensor
from ...tensors.values import items, store
from ..values import truth
from .reading import channels, choice, given_at, like, split, whole
from .scaling import MODES, scaled, size_of_text
from .warping import WARPS, affine_field, polar, rotated, warped


def scale(*arguments: Any) -> Tensor:
    result, x, rest = split("scale", arguments)
    array = channels(x, "scale")
    if result is not None:
        size: Any = channels(result, "scale").shape[1:]
        mode = given_at(rest, 0, "bilinear")
    elif len(rest) > 1 and not (rest[1].__class__ is str and rest[1] in MODES):
        size = number(rest[1], 3, "scale"), number(rest[0], 2, "scale")
        mode = given_at(rest, 2, "bilinear")
    else:
        text = format_number(rest[0]) if rest and rest[0].__class__ is float else given_at(rest, 0, "")
        size = size_of_text(text, *array.shape[1:]) if text.__class__ is str else None
        mode = given_at(rest, 1, "bilinear")
    if size is None:
        raise_error("image.scale: could not find valid dest size")
    mode = choice(mode, tuple(MODES), "scale")
    return store(result, like(scaled(array, max(int(size[0]), 1), max(int(size[1]), 1), mode), x), x.__class__)


def _corner(form: str, free: tuple[int, int]) -> tuple[int, int]:
    """Returns where a crop begins, (x, y), that leaves so many columns and rows out."""
    places = {"c": (free[0] // 2, free[1] // 2), "tl": (0, 0), "tr": (free[0], 0), "bl": (0, free[1]), "br": free}
    if form not in places:
        raise_error('crop format must be "c"|"tl"|"tr"|"bl"|"br"')
    return places[form]


def crop(*arguments: Any) -> Tensor:
    result, x, rest = split("crop", arguments)
    array = channels(x, "crop")
    height, width = array.shape[1:]
    if rest and rest[0].__class__ is str and rest[0].isalpha():
        size = whole(rest, 1, "crop"), whole(rest, 2, "crop")
        left, top = _corner(rest[0], (width - size[0], height - size[1]))
        right, bottom = left + size[0], top + size[1]
    else:
        left, top = whole(rest, 0, "crop"), whole(rest, 1, "crop")
        if len(rest) > 2:
            right, bottom = whole(rest, 2, "crop"), whole(rest, 3, "crop")
        elif result is not None:
            right, bottom = left + result.array.shape[-1], top + result.array.shape[-2]
        else:
            raise_error("image.crop: incorrect arguments: expected the end, or a result that has a size")
    if left < 0 or top < 0 or right > width or bottom > height or right <= left or bottom <= top:
        raise_error("image.crop: crop goes outside bounds of src")
    found = array[:, top:bottom, left:right].astype(np.float32).astype(x.dtype)
    if result is not None:
        height, width = result.array.shape[-2:]
        found = scaled(found, height, width, "bilinear")
    return store(result, like(found, x), x.__class__)


def translate(*arguments: Any) -> Tensor:
    result, x, rest = split("translate", arguments)
    array, right, down = channels(x, "translate"), whole(rest, 0, "translate"), whole(rest, 1, "translate")
    found = np.zeros_like(array)
    height, width = array.shape[1:]
    part = array[:, max(0, -down) : max(0, height - down), max(0, -right) : max(0, width - right)]
    found[:, max(0, down) : max(0, height + down), max(0, right) : max(0, width + right)] = part
    return store(result, like(found, x), x.__class__)


def rotate(*arguments: Any) -> Tensor:
    result, x, rest = split("rotate", arguments)
    theta = number(given_at(rest, 0, MISSING), 2, "rotate")
    mode = choice(given_at(rest, 1, "simple"), ("simple", "bilinear"), "rotate")
    return store(result, like(rotated(channels(x, "rotate"), theta, mode), x), x.__class__)


def _polar(name: str, isLogarithmic: bool) -> Any:
    def converted(*arguments: Any) -> Tensor:
        result, x, rest = split(name, arguments)
        interpolation = choice(given_at(rest, 0, "simple"), ("simple", "bilinear"), name)
        isFull = choice(given_at(rest, 1, "valid"), ("valid", "full"), name) == "full"
        array = channels(x, name)
        height, width = (max(array.shape[1:]),) * 2 if result is None else result.array.shape[-2:]
        return store(result, like(polar(array, height, width, interpolation, isFull, isLogarithmic), x), x.__class__)

    return converted


def _warp(name: str, result: Any, x: Tensor, field: Array, mode: Any, isOffset: bool, clamp: Any, pad: Any) -> Tensor:
    mode = choice(mode, WARPS, name)
    if choice(clamp, ("clamp", "pad"), name) == "clamp" and pad is not None:
        raise_error('pad_value can only be specified if clamp_mode = "pad"')
    value = None if clamp == "clamp" else 0.0 if pad is None else number(pad, 7, name)
    return store(result, like(warped(channels(x, name), field, mode, isOffset, value), x), x.__class__)


def warp(*arguments: Any) -> Tensor:
    result, x, field, rest = split("warp", arguments, 2)
    if field.array.ndim != 3 or len(field.array) != 2:
        raise_error("image.warp: expected a flow field of 2 x height x width")
    isOffset = given_at(rest, 1, True) if len(rest) > 1 else True
    mode, clamp = given_at(rest, 0, "bilinear"), given_at(rest, 2, "clamp")
    return _warp("warp", result, x, field.array, mode, truth(isOffset), clamp, given_at(rest, 3, None))


def affinetransform(*arguments: Any) -> Tensor:
    result, x, matrix, rest = split("affinetransform", arguments, 2)
    if matrix.array.shape != (2, 2):
        raise_error("image.affinetransform: expected a matrix of 2 x 2")
    shift = given_at(rest, 1, None)
    moved = np.zeros(2) if shift is None else shift.array if isinstance(shift, Tensor) else np.array(items(shift))
    height, width = x.array.shape[-2:]
    field = affine_field(height, width, matrix.array, moved)
    mode, clamp = given_at(rest, 0, "bilinear"), given_at(rest, 2, "clamp")
    return _warp("affinetransform", result, x, field, mode, True, clamp, given_at(rest, 3, None))


def _flipped(name: str, axis: int) -> Any:
    def flipped(*arguments: Any) -> Tensor:
        result, x, _ = split(name, arguments)
        return store(result, np.flip(x.array, axis).copy(), x.__class__)

    return flipped


def flip(*arguments: Any) -> Tensor:
    result, x, rest = split("flip", arguments)
    axis = whole(rest, 0, "flip")
    if not 1 <= axis <= x.array.ndim:
        raise_error("Bad flip dimension")
    return store(result, np.flip(x.array, axis - 1).copy(), x.__class__)


GEOMETRY: dict[str, Any] = {
    **{"scale": scale, "crop": crop, "translate": translate, "rotate": rotate, "warp": warp, "flip": flip},
    **{"affinetransform": affinetransform, "polar": _polar("polar", False), "logpolar": _polar("logpolar", True)},
    **{"hflip": _flipped("hflip", -1), "vflip": _flipped("vflip", -2)},
}
