"""The package ``image``: pictures as tensors of (channels, height, width), with the numbers of torch/image.

Functions take a result as the first tensor, or make a new one. The other modules compute with arrays.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...language.arguments import MISSING, table
from ...language.errors import raise_error
from ...language.table import Table, fields, rawget
from ...tensors.memory import check
from ...tensors.signatures import described
from ...tensors.tensor import DTYPES, Array, Tensor
from ...tensors.values import cast, items, store
from ..functions import count, functions
from ..showing import show_picture
from ..values import is_table, truth
from . import colours, kernels, pictures
from .geometry import GEOMETRY
from .reading import OF_PICTURES, by_name, channels, filters, picture
from .scaling import scaled

if TYPE_CHECKING:
    from ...language.state import State

# ------------------------------------------------------------------------------------------------------ colours


def _converted(name: str, convert: Any) -> Any:
    def converted(x: Array, _: Any) -> Array:
        if len(x) < 3:
            raise_error(f"image.{name}: expected 3 x height x width, got {' x '.join(map(str, x.shape))}")
        found: Array = convert(x[:3])
        return found

    return "picture", converted


def _y2jet(x: Array, _: Any) -> Array:
    x = x[0] if x.ndim == 3 and len(x) == 1 else np.atleast_2d(x)
    if not x.min() >= 1:
        raise_error("image.y2jet: expected values of 1 or more")
    table = colours.jet(count(float(x.max()), 1, "y2jet"))
    return np.moveaxis(cast(np.rint(table * 255) if x.dtype == np.uint8 else table, x.dtype)[x.astype(np.int64) - 1], -1, 0)


def _minmax(given: dict[str, Any]) -> Tensor:
    x = given["tensor"]
    if not isinstance(x, Tensor) or not x.array.size:
        raise_error(f"image.minmax: expected tensor = a tensor with elements, got {described(x)}")
    result = x if truth(given["inplace"]) else given["tensorOut"]
    if result is None:
        result = x.types.default(np.zeros(x.array.shape, x.types.default.dtype))
    return store(result, _ranged(cast(x.array, result.dtype), given), result.__class__)


_MINMAX = dict.fromkeys(("tensor", "min", "max", "symm", "inplace", "saturate", "tensorOut"))


def _ranged(x: Array, given: dict[str, Any]) -> Array:
    """Returns numbers of 0 to 1."""
    low, high, isSymmetric = given["min"], given["max"], truth(given["symm"])
    isInferred, largest = low is None and high is None, 0.0
    if low is None and isSymmetric:
        largest = max(abs(float(x.min())), abs(float(x.max())))
        low = -largest
    low = float(x.min()) if low is None else low
    x = x - x.dtype.type(low) if low != 0 else x
    high = high - low if high is not None else largest * 2 if isSymmetric else float(x.max())
    x = x / x.dtype.type(high) if high != 0 else x
    return np.clip(x, 0, 1) if truth(given["saturate"]) and not isInferred else x


# ------------------------------------------------------------------------------------------------------ kernels

_KERNEL: dict[str, Any] = {"size": 3.0, "sigma": 0.25, "amplitude": 1.0, "normalize": False}
_PLANE: dict[str, Any] = dict.fromkeys(("width", "height", "sigma_horz", "sigma_vert")) | {"mean_horz": 0.5, "mean_vert": 0.5}


def _numbers(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a kernel, whose numbers are checked."""
    for key, value in given.items():
        if (
            key not in ("normalize", "tensor")
            and value is not None
            and (value.__class__ is not float or not math.isfinite(value))
        ):
            raise_error(f"image.{name}: expected a number for {key}, got {described(value) if value == value else 'nan'}")
    if given["tensor"] is not None:
        picture(given["tensor"], 0, name)
    for key in ("size", "width", "height"):
        if given.get(key) is not None:
            given[key] = max(count(given[key], 1, name), 1)
    return given


def _plane(name: str, given: dict[str, Any]) -> tuple[tuple[int, int], Any, Any]:
    """Returns height and width, and sigmas and means of rows and columns."""
    given = _numbers(name, given)
    height, width = (given["size"] if given[key] is None else given[key] for key in ("height", "width"))
    check((height, width), 8)
    sigmas = tuple(given["sigma"] if given[key] is None else given[key] for key in ("sigma_vert", "sigma_horz"))
    return (height, width), sigmas, (given["mean_vert"], given["mean_horz"])


def _making(state: State) -> dict[str, Any]:
    """Returns the functions that make kernels, colours and grids, which are of the default type."""

    def made(array: Array) -> Tensor:
        kind: type[Tensor] = state.types.default
        return kind(np.ascontiguousarray(cast(array, kind.dtype)))

    def gaussian(*arguments: Any) -> Tensor:
        given = by_name(arguments, **_KERNEL, **_PLANE, tensor=None)
        shape, sigmas, means = _plane("gaussian", given)
        tensor = given["tensor"]
        kind = state.types.default if tensor is None else tensor.__class__
        shape = shape if tensor is None else tensor.array.shape
        if len(shape) != 2:
            raise_error("image.gaussian: expected tensor = a tensor of two dimensions")
        found = kernels.gaussian(shape, kind.dtype, sigmas, means, given["amplitude"], truth(given["normalize"]))
        return store(tensor, found, kind)

    def gaussian1D(*arguments: Any) -> Tensor:
        given = _numbers("gaussian1D", by_name(arguments, **_KERNEL, mean=0.5, tensor=None))
        tensor = given["tensor"]
        size = given["size"] if tensor is None else tensor.array.size
        found = kernels.gaussian_line(size, given["sigma"], given["mean"], given["amplitude"])
        result = store(tensor, found, state.types.default)
        return store(result, kernels.normalized(result.array), result.__class__) if truth(given["normalize"]) else result

    def laplacian(*arguments: Any) -> Tensor:
        given = by_name(arguments, **_KERNEL | {"sigma": 0.1}, **_PLANE, tensor=None)
        shape, sigmas, means = _plane("laplacian", given)
        found = made(kernels.laplacian(shape, sigmas[::-1], means[::-1], given["amplitude"])).array
        return made(kernels.normalized(found) if truth(given["normalize"]) else found)

    def lcn(x: Tensor, kernel: Tensor | None) -> Tensor:
        array = channels(x, "lcn")
        if len(array) != 1:
            raise_error("grayscale image expected")
        double = state.types.tensors[DTYPES["Double"]]
        weights = None if kernel is None else kernel.array.astype(np.float64)
        if weights is None:
            weights = kernels.gaussian((9, 9), double.dtype, (1.591 / 9,) * 2, (0.5, 0.5), 1.0, True)
        if weights.ndim != 2 or weights.shape[0] > array.shape[1] or weights.shape[1] > array.shape[2]:
            raise_error("image.lcn: expected a kernel of two dimensions that is not larger than the picture")
        return double(kernels.contrast_normalized(array[0].astype(np.float64), weights, double))

    return {
        **{"gaussian": ("*any", gaussian), "gaussian1D": ("*any", gaussian1D), "laplacian": ("*any", laplacian)},
        "colormap": ("size", lambda n: made(colours.colormap(n))),
        "jetColormap": ("size", lambda n: made(colours.jet(n))),
        "lcn": ("picture picture?", lcn),
        "toDisplayTensor": ("*any", lambda *arguments: made(_display_grid(state.types.default.dtype, *arguments))),
    }


def _pyramid(*arguments: Any) -> Table:
    values = list(arguments)
    into = values.pop(0) if values and is_table(values[0]) else Table()
    values += [MISSING] * 2
    x, scales = picture(values[0], 1, "gaussianpyramid"), items(table(values[1], 2, "gaussianpyramid"))
    kernel = x.__class__(kernels.gaussian((3, 3), x.dtype, (0.25, 0.25), (0.5, 0.5), 1.0, True))
    last = channels(x, "gaussianpyramid")
    for i, one in enumerate(scales, 1):
        if one.__class__ is not float or not 0 < one < math.inf:
            raise_error(f"image.gaussianpyramid: expected scales that are positive numbers, got {described(one)}")
        height, width = (int(n * one) for n in x.array.shape[-2:])
        level = last if one == 1 else scaled(last, max(height, 1), max(width, 1), "simple")
        result = store(rawget(into, float(i)), level if x.array.ndim == 3 else level[0], x.__class__)
        dict.__setitem__(into, i, result)
        last = kernels.convolved(level, kernel, "same")
    return into


# ------------------------------------------------------------------------------------------------------ shown


def _display_grid(dtype: np.dtype[Any], *arguments: Any) -> Array:
    given = by_name(arguments, input=None, padding=0.0, nrow=6.0, scaleeach=False, min=None, max=None, symmetric=False)
    options = arguments[0] if len(arguments) == 1 and is_table(arguments[0]) else fields(saturate=[*arguments, *[None] * 8][7])
    given["saturate"], given["symm"] = rawget(options, "saturate") is not False, given["symmetric"]
    return _grid(_packed(given["input"], dtype), given)


def _packed(value: Any, dtype: np.dtype[Any]) -> Array:
    """Returns pictures in one array."""
    values = items(value) if is_table(value) else [value]
    if not values or not all(isinstance(one, Tensor) and one.array.size for one in values):
        raise_error(f"Unknown or incompatible type of input: {described(value)}")
    arrays = [one.array.astype(dtype) for one in values]
    if not is_table(value):
        return arrays[0]
    if len({one.shape for one in arrays}) > 1:
        raise_error("image.toDisplayTensor: expected pictures of one size in a list")
    return np.stack([one[None] if one.ndim == 2 else one for one in arrays])


def _grid(x: Array, given: dict[str, Any]) -> Array:
    """Returns pictures beside and below each other, with numbers of 0 to 1."""
    if x.ndim == 2 or (x.ndim == 3 and len(x) in (1, 3)):
        return _ranged(x, given)
    if x.ndim not in (3, 4) or (x.ndim == 4 and x.shape[1] not in (1, 3)):
        raise_error("packed must be a HxW or KxHxW or Kx3xHxW tensor, or a list of tensors")
    if truth(given["scaleeach"]):
        x = np.stack([_ranged(one, given) for one in x])
    pad, columns = (count(given[name], i, "toDisplayTensor") for i, name in ((2, "padding"), (3, "nrow")))
    columns = max(min(columns, len(x)), 1)
    height, width = x.shape[-2] + pad, x.shape[-1] + pad
    shape = (*x.shape[1:-2], height * math.ceil(len(x) / columns), width * columns)
    check(shape, x.itemsize)
    grid = np.full(shape, x.max())
    for i, one in enumerate(x):
        top, left = i // columns * height + pad // 2, i % columns * width + pad // 2
        grid[..., top : top + x.shape[-2], left : left + x.shape[-1]] = one
    return grid if truth(given["scaleeach"]) else _ranged(grid, given)


def _draw_rectangle(x: Tensor, left: int, top: int, right: int, bottom: int, options: Table | None) -> Tensor:
    """Draws the edges of a rectangle. A colour of a picture of 0 to 1 is 0 or 1 in each channel, as in torch/image."""
    options = options or Table()
    if x.array.ndim != 3 or len(x.array) != 3:
        raise_error("image.drawRect: input image should be a 3-channel tensor")
    height, width = x.array.shape[1:]
    if left < 1 or top < 1 or right > width or bottom > height:
        return x
    colour = [255.0, 0.0, 0.0] if options.color is None else items(table(options.color, 6, "drawRect"))
    if len(colour) != 3 or any(one.__class__ is not float for one in colour):
        raise_error("image.drawRect: expected a colour of 3 numbers")
    line = 1 if options.lineWidth is None else count(options.lineWidth, 6, "drawRect")
    found = x if truth(options.inplace) else x.__class__(x.array.copy())
    left, top, right, bottom = (one - line // 2 - 1 for one in (left, top, right, bottom))
    left, top, right, bottom = max(0, left), max(0, top), min(width - 1, right), min(height - 1, bottom)
    for channel, value in zip(found.array, colour, strict=True):
        for rows, columns in (((top, bottom), (left, left)), ((top, bottom), (right, right)),
                              ((top, top), (left, right)), ((bottom, bottom), (left, right))):  # fmt: skip
            channel[rows[0] : rows[1] + line, columns[0] : columns[1] + line] = value if x.dtype == np.uint8 else value // 255
    return found


# ------------------------------------------------------------------------------------------------------ the rest


def _morphed(pad: int, isErosion: bool) -> Any:
    return f"picture picture? number={pad}", lambda x, kernel, value: kernels.morphed(x, kernel, value, isErosion)


def _lena(*_: Any) -> Any:
    raise_error("image.lena: this package has no pictures; load one by image.load")


_FORMATS = {"JPG": ("jpg",), "PNG": ("png",), "PPM": ("ppm", "pgm")}


def _files(state: State) -> dict[str, Any]:
    """Returns the functions of files, and those of files in memory."""
    types = state.types

    def loader(kinds: tuple[str, ...] | None) -> Any:
        def load(path: bytes, depth: int | None, typeName: Any) -> Tensor:
            data = pictures.read(path)
            return pictures.decoded(data, kinds or (pictures.kind_of(data, path),), depth, typeName, types.default)

        return "path whole? any", load

    def decompressor(kinds: tuple[str, ...]) -> Any:
        def decompress(x: Any, depth: int | None, typeName: Any) -> Tensor:
            if not isinstance(x, Tensor) or x.dtype != np.uint8:
                raise_error("image.decompress: Input tensor must be a byte tensor")
            return pictures.decoded(x.array.tobytes(), kinds, depth, typeName, types.default)

        return "any whole? any", decompress

    def saver(kind: str | None) -> Any:
        def save(path: bytes, x: Tensor) -> tuple[()]:
            pictures.save(path, x.array, kind or pictures.kind_of_name(path, "save"))
            return ()

        return "path picture", save

    def compress(x: Tensor, quality: int) -> Tensor:
        data = pictures.encoded_picture(x.array, "jpg", quality)
        return types.tensors[DTYPES["Byte"]](np.frombuffer(data, np.uint8).copy())  # type: ignore[no-any-return]

    system = {
        "getSize": ("path", lambda path: types.tensors[DTYPES["Long"]](np.array(pictures.size(path)))),
        **dict.fromkeys(("getJPGsize", "getPNGsize"), ("path", lambda path: tuple(pictures.size(path)))),
        **{"load": loader(None), "save": saver(None)},
        **{f"save{kind.upper()}": saver(kind) for kind in ("jpg", "png", "ppm", "pgm")},
        **{f"load{name}": loader(kinds) for name, kinds in _FORMATS.items()},
    }
    memory = {
        **{"compressJPG": ("picture whole=75", compress), "decompress": decompressor(("jpg", "png"))},
        **{f"decompress{name}": decompressor(_FORMATS[name]) for name in ("JPG", "PNG")},
    }
    return functions(memory, **OF_PICTURES) | state.outside("image", functions(system, **OF_PICTURES))


def library(state: State) -> Table:
    """Returns the package's table."""
    for name in ("torch", "sys", "xlua", "dok"):
        state.require(name)

    def display(*arguments: Any) -> None:
        options = arguments[0] if len(arguments) == 1 and is_table(arguments[0]) else None
        if not arguments or (options is not None and all(rawget(options, key) is None for key in ("image", "input", 1.0))):
            raise_error("image.display: expected a picture")
        if options is not None and (image := rawget(options, "image")) is not None:
            options = fields(**{**options.__dict__, "input": image})
        show_picture(state, made["toDisplayTensor"](arguments[0] if options is None else options).array)

    made = functions({
        **_making(state),
        "minmax": ("table", lambda given: _minmax(by_name((given,), **_MINMAX))),
        "gaussianpyramid": ("*any", _pyramid),
        "drawRect": ("picture whole whole whole whole table?", _draw_rectangle),
        "is_supported": ("any", lambda suffix: suffix in pictures.SUPPORTED),
        **{"erode": _morphed(1, True), "dilate": _morphed(0, False)},
        **{"lena": ("*any", _lena), "fabio": ("*any", _lena), "display": ("*any", display)},
    }, **OF_PICTURES)  # fmt: skip
    made |= filters({
        **GEOMETRY,
        **{name: _converted(name, convert) for name, convert in colours.CONVERSIONS.items()},
        "y2jet": ("tensor", _y2jet),
        "convolve": ("tensor tensor any", lambda x, _, kernel, mode: kernels.convolved(x, kernel, mode or "valid")),
    })  # fmt: skip
    return fields(**made, **_files(state))
