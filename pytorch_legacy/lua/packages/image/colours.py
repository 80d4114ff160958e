"""Colours: the conversions of torch/image between RGB and other spaces. A picture is (3, height, width), with values of 0 to 1.

Bytes are of 0 to 255 in each channel, in other spaces than RGB, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...language.errors import raise_error
from ...tensors.tensor import Array
from .scaling import intermediate, stored

_EPSILON, _KAPPA = 216.0 / 24389.0, 24389.0 / 27.0  # the CIE's constants
_WHITE = 0.950456, 1.088754  # X and Z of the white point D65
_XYZ = ((0.412453, 0.357580, 0.180423), (0.212671, 0.715160, 0.072169), (0.019334, 0.119193, 0.950227))
_RGB = ((3.2404542, -1.5371385, -0.4985314), (-0.9692660, 1.8760108, 0.0415560), (0.0556434, -0.2040259, 1.0572252))
_YUV = ((0.299, 0.587, 0.114), (-0.14713, -0.28886, 0.436), (0.615, -0.51499, -0.10001))
_OF_YUV = ((1.0, 0.0, 1.13983), (1.0, -0.39465, -0.58060), (1.0, 2.03211, 0.0))


def _by_pixel(compute: Callable[[Array, Array, Array], tuple[Array, ...]]) -> Callable[[Array], Array]:
    """Returns a conversion of pictures for one of three channels. Bytes are scaled to 0 to 1 for it."""

    def converted(x: Array) -> Array:
        kind, scale = intermediate(x.dtype), 255 if x.dtype == np.uint8 else 1
        a, b, c = x.astype(kind) / kind.type(scale)
        found = np.stack([one.astype(kind) for one in compute(a, b, c)])
        return stored(found * kind.type(scale), x.dtype)

    return converted


def _hue(r: Array, g: Array, b: Array) -> tuple[Array, Array, Array, Array]:
    """Returns hue, largest and smallest channel, and their difference, which is 1 instead of 0."""
    top, bottom = np.maximum(np.maximum(r, g), b), np.minimum(np.minimum(r, g), b)
    isGrey = top == bottom
    difference = np.where(isGrey, top.dtype.type(1), top - bottom)
    ofRed = (g - b) / difference + np.where(g < b, 6, 0).astype(r.dtype)
    hue = np.where(top == r, ofRed, np.where(top == g, (b - r) / difference + 2, (r - g) / difference + 4)) / 6
    return np.where(isGrey, r.dtype.type(0), hue), top, bottom, difference


def _rgb2hsl(r: Array, g: Array, b: Array) -> tuple[Array, ...]:
    hue, top, bottom, difference = _hue(r, g, b)
    lightness = np.where(top == bottom, top, (top + bottom) / 2)
    saturation = np.where(lightness > 0.5, difference / (2 - top - bottom), difference / (top + bottom))
    return hue, np.where(top == bottom, 0, saturation), lightness


def _rgb2hsv(r: Array, g: Array, b: Array) -> tuple[Array, ...]:
    hue, top, bottom, difference = _hue(r, g, b)
    return hue, np.where(top == bottom, 0, difference / top), top


def _channel(p: Array, q: Array, t: Array) -> Array:
    """Returns a channel of RGB for a hue, which is moved for each channel."""
    t = np.where(t < 0, t + 1, t)
    t = np.where(t > 1, t - 1, t)
    wide = (q - p).astype(np.float64)
    return np.select(
        [t < 1 / 6, t < 1 / 2, t < 2 / 3],
        [p + wide * 6.0 * t, q.astype(np.float64), p + wide * (2 / 3 - t) * 6.0],
        p.astype(np.float64),
    ).astype(p.dtype)


def _hsl2rgb(h: Array, s: Array, light: Array) -> tuple[Array, ...]:
    q = np.where(light < 0.5, light * (1 + s), light + s - light * s)
    p, hue = 2 * light - q, h.astype(np.float64)
    moved = (hue + 1 / 3).astype(h.dtype), h, (hue - 1 / 3).astype(h.dtype)
    return tuple(np.where(s == 0, light, _channel(p, q, one)) for one in moved)


def _hsv2rgb(h: Array, s: Array, v: Array) -> tuple[Array, ...]:
    i = np.floor(h * 6.0).astype(np.int64)
    f = h * 6 - i.astype(h.dtype)
    p, q, t = v * (1 - s), v * (1 - f * s), v * (1 - (1 - f) * s)
    sectors = np.fmod(i, 6)
    table = ((v, q, p, p, t, v), (t, v, v, q, p, p), (p, p, t, v, v, q))
    return tuple(np.select([sectors == j for j in range(6)], row, 0) for row in table)


def _rgb2lab(r: Array, g: Array, b: Array) -> tuple[Array, ...]:
    linear = []
    for one in (r, g, b):
        wide = one.astype(np.float64)
        linear.append(np.where(wide <= 0.04045, wide / 12.92, ((wide + 0.055) / 1.055) ** 2.4).astype(one.dtype))
    x, y, z = (row[0] * linear[0].astype(np.float64) + row[1] * linear[1] + row[2] * linear[2] for row in _XYZ)
    x, z = x / _WHITE[0], z / _WHITE[1]
    x, y, z = (np.where(one > _EPSILON, np.abs(one) ** (1 / 3), (_KAPPA * one + 16) / 116) for one in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _lab2rgb(lightness: Array, a: Array, b: Array) -> tuple[Array, ...]:
    kind, light = lightness.dtype, lightness.astype(np.float64)
    fy = (light + 16) / 116
    fx, fz = a.astype(np.float64) / 500 + fy, fy - b.astype(np.float64) / 200
    x, z = (np.where(one**3 > _EPSILON, one**3, (116 * one - 16) / _KAPPA) for one in (fx, fz))
    y = np.where(light > _KAPPA * _EPSILON, fy**3, light / _KAPPA)
    x, z = x * _WHITE[0], z * _WHITE[1]
    found = []
    for row in _RGB:
        one = (row[0] * x + row[1] * y + row[2] * z).astype(kind).astype(np.float64)
        found.append(np.where(one <= 0.0031308, 12.92 * one, 1.055 * np.abs(one) ** (1 / 2.4) - 0.055))
    return tuple(found)


def _weighted(rows: tuple[tuple[float, ...], ...]) -> Callable[[Array], Array]:
    """Returns a conversion whose channels are sums of others, in the precision of the picture."""

    def converted(x: Array) -> Array:
        kind = intermediate(x.dtype)
        values, result = x.astype(kind), np.zeros(x.shape, kind)
        for channel, row in zip(result, rows, strict=True):
            for weight, one in zip(row, values, strict=True):
                channel += kind.type(weight) * one
        return stored(result, x.dtype)

    return converted


def rgb2y(x: Array) -> Array:
    """Returns the brightness, (1, height, width)."""
    r, g, b = x.astype(intermediate(x.dtype)).astype(np.float64)
    found = 0.299 * r + 0.587 * g + 0.114 * b
    return stored(found.astype(intermediate(x.dtype)), x.dtype)[None]


def _rgb2nrgb(x: Array) -> Array:
    return x / (x[0] + x[1] + x[2] + x.dtype.type(1e-6))


def _of_floats(name: str, convert: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def converted(x: Array) -> Array:
        if x.dtype == np.uint8:
            raise_error(f"image.{name}: not supported for torch.ByteTensor")
        return convert(x)

    return converted


CONVERSIONS: dict[str, Any] = {
    "rgb2hsl": _by_pixel(_rgb2hsl),
    "hsl2rgb": _by_pixel(_hsl2rgb),
    "rgb2hsv": _by_pixel(_rgb2hsv),
    "hsv2rgb": _by_pixel(_hsv2rgb),
    "rgb2lab": _of_floats("rgb2lab", _by_pixel(_rgb2lab)),
    "lab2rgb": _of_floats("lab2rgb", _by_pixel(_lab2rgb)),
    "rgb2yuv": _weighted(_YUV),
    "yuv2rgb": _weighted(_OF_YUV),
    "rgb2nrgb": _of_floats("rgb2nrgb", _rgb2nrgb),
    "rgb2y": rgb2y,
}
"""Conversions by their names: each takes and returns an array."""


def colormap(count: int) -> Array:
    """Returns colours, (count, 3), that lie far from each other on the wheel of hues."""
    found = np.empty((count, 3))
    for i in range(count):
        sector, saturation = (39 * i % 360) / 60, i / 9 % 0.7 + 0.3
        between = saturation * (1 - abs(sector % 2 - 1))
        full, low = saturation, 0.5 - saturation / 2
        order = ((full, between, 0), (between, full, 0), (0, full, between), (0, between, full), (between, 0, full))
        found[i] = (*order, (full, 0, between))[min(int(sector), 5)]
        found[i] += low
    return found


def jet(count: int) -> Array:
    """Returns the colours of a heat map, (count, 3), from blue to red."""
    x = 4 * np.arange(1, count + 1) / count
    channels = [np.minimum(np.minimum(x - 1.5 + i, -x + 4.5 - i), 1) for i in range(3)]
    return np.maximum(np.stack(channels, 1), 0)
