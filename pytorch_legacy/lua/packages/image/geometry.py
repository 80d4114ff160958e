"""Functions that change sizes and positions: ``image.scale``, ``crop``, ``warp`` and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...language.errors import raise_error
from ...language.operators import format_number
from ...tensors.memory import check
from ...tensors.tensor import Array, Tensor
from ...tensors.values import items
from ..functions import reader
from ..values import is_table
from .scaling import MODES, scaled, size_of_text
from .warping import WARPS, affine_field, polar, rotated, warped

Size = tuple[int, int] | None
_MODE = "|".join(MODES)
_WARPING = f"{'|'.join(WARPS)}=bilinear"
_of_size = reader("scale", "whole whole")
_of_corner = reader("crop", "string whole whole")
_of_box = reader("crop", "whole whole whole? whole?")


def _scale(x: Array, size: Size, *rest: Any) -> Array:
    wanted: Any = size
    words = list(rest)
    if size is None and len(words) > 1 and words[1] not in MODES:
        wanted = _of_size(words[:2], 2)[::-1]
        words = words[2:]
    elif size is None and words:
        text = format_number(words[0]) if words[0].__class__ is float else words[0]
        wanted = size_of_text(text, *x.shape[1:]) if text.__class__ is str else None
        words = words[1:]
    if wanted is None:
        raise_error("image.scale: could not find valid dest size")
    mode = words[0] if words and words[0] is not None else "bilinear"
    if mode not in MODES:
        raise_error(f"image.scale: mode must be one of: {_MODE.replace('|', ' | ')}")
    height, width = (max(int(one), 1) for one in wanted)
    check((len(x), height, width), 8)
    return scaled(x, height, width, mode)


def _corner(form: str, right: int, down: int) -> tuple[int, int]:
    """Returns where a crop begins, (x, y), that leaves so many columns and rows out."""
    places = {"c": (right // 2, down // 2), "tl": (0, 0), "tr": (right, 0), "bl": (0, down), "br": (right, down)}
    if form not in places:
        raise_error('crop format must be "c"|"tl"|"tr"|"bl"|"br"')
    return places[form]


def _crop(x: Array, size: Size, *rest: Any) -> Array:
    height, width = x.shape[1:]
    if rest and rest[0].__class__ is str and rest[0].isalpha():
        form, right, bottom = _of_corner(rest, 2)
        left, top = _corner(form, width - right, height - bottom)
        right, bottom = left + right, top + bottom
    else:
        left, top, right, bottom = _of_box(rest, 2)
    if right is None and size is not None:
        right, bottom = left + size[1], top + size[0]
    if right is None or bottom is None:
        raise_error("image.crop: incorrect arguments: expected the end, or a result that has a size")
    if left < 0 or top < 0 or right > width or bottom > height or right <= left or bottom <= top:
        raise_error("image.crop: crop goes outside bounds of src")
    found = x[:, top:bottom, left:right].astype(np.float32).astype(x.dtype)
    return found if size is None else scaled(found, *size, "bilinear")


def _translate(x: Array, _: Size, right: int, down: int) -> Array:
    found, (height, width) = np.zeros_like(x), x.shape[1:]
    part = x[:, max(0, -down) : max(0, height - down), max(0, -right) : max(0, width - right)]
    found[:, max(0, down) : max(0, height + down), max(0, right) : max(0, width + right)] = part
    return found


def _polar(isLogarithmic: bool) -> Any:
    def converted(x: Array, size: Size, mode: str, form: str) -> Array:
        height, width = size or (max(x.shape[1:]),) * 2
        return polar(x, height, width, mode, form == "full", isLogarithmic)

    return "picture simple|bilinear=simple valid|full=valid", converted


def _warp(x: Array, field: Array, mode: str, isOffset: bool, clamp: str, pad: float | None) -> Array:
    if clamp == "clamp" and pad is not None:
        raise_error('pad_value can only be specified if clamp_mode = "pad"')
    return warped(x, field, mode, isOffset, None if clamp == "clamp" else pad or 0.0)


def _warp_by(x: Array, _: Size, field: Tensor, mode: str, isOffset: bool | None, clamp: str, pad: float | None) -> Array:
    if field.array.ndim != 3 or len(field.array) != 2:
        raise_error("image.warp: expected a flow field of 2 x height x width")
    return _warp(x, field.array, mode, isOffset is not False, clamp, pad)


def _affine(x: Array, _: Size, matrix: Tensor, mode: str, shift: Any, clamp: str, pad: float | None) -> Array:
    if matrix.array.shape != (2, 2):
        raise_error("image.affinetransform: expected a matrix of 2 x 2")
    moved = shift.array if isinstance(shift, Tensor) else items(shift) if is_table(shift) else [0.0, 0.0]
    if len(moved) != 2 or (is_table(shift) and any(one.__class__ is not float for one in moved)):
        raise_error("image.affinetransform: expected a translation of 2 numbers")
    return _warp(x, affine_field(x.shape[1], x.shape[2], matrix.array, np.array(moved)), mode, True, clamp, pad)


def _flip(x: Array, _: Size, axis: int) -> Array:
    if not 1 <= axis <= x.ndim:
        raise_error("Bad flip dimension")
    return np.flip(x, axis - 1).copy()


GEOMETRY: dict[str, Any] = {
    "scale": ("picture *any", _scale),
    "crop": ("picture *any", _crop),
    "translate": ("picture whole whole", _translate),
    "rotate": ("picture number simple|bilinear=simple", lambda x, _, theta, mode: rotated(x, theta, mode)),
    **{"polar": _polar(False), "logpolar": _polar(True)},
    "warp": (f"picture tensor {_WARPING} any clamp|pad=clamp number?", _warp_by),
    "affinetransform": (f"picture tensor {_WARPING} any clamp|pad=clamp number?", _affine),
    "hflip": ("tensor", lambda x, _: np.flip(x, -1).copy()),
    "vflip": ("tensor", lambda x, _: np.flip(x, -2 if x.ndim > 1 else 0).copy()),
    "flip": ("tensor whole", _flip),
}
