"""The package ``image``: pictures as tensors of (channels, height, width), with the numbers of torch/image.

Functions take a result as the first tensor, or make a new one. The other modules compute with arrays.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...language.arguments import MISSING, number, string
from ...language.arguments import table as checked_table
from ...language.errors import raise_error
from ...language.table import Table, fields, rawget
from ...tensors.signatures import described
from ...tensors.tensor import DTYPES, Array, Tensor
from ...tensors.values import cast, items, store
from ..showing import show_picture
from ..values import is_table, truth
from . import colours, kernels, pictures
from .drawing import rectangle
from .geometry import GEOMETRY
from .reading import channels, given_at, named, picture_of, split, whole
from .scaling import scaled

if TYPE_CHECKING:
    from ...language.state import State

# ------------------------------------------------------------------------------------------------------ colours


def _converted(name: str, convert: Any) -> Any:
    def converted(*arguments: Any) -> Tensor:
        result, x, _ = split(name, arguments)
        if x.array.ndim != 3 or len(x.array) < 3:
            raise_error(f"image.{name}: expected 3 x height x width, got {' x '.join(map(str, x.array.shape))}")
        return store(result, convert(x.array[:3]), x.__class__)

    return converted


def y2jet(*arguments: Any) -> Tensor:
    result, x, _ = split("y2jet", arguments)
    array = x.array[0] if x.array.ndim == 3 and len(x.array) == 1 else np.atleast_2d(x.array)
    levels = int(array.max())
    table = colours.jet(levels)
    if x.dtype == np.uint8:
        table = np.rint(table * 255)
    index = array.astype(np.int64) - 1
    if index.min() < 0:
        raise_error("image.y2jet: expected values of 1 or more")
    return store(result, np.moveaxis(cast(table, x.dtype)[index], -1, 0), x.__class__)


def minmax(arguments: Any = MISSING, *_: Any) -> Tensor:
    given = named((checked_table(arguments, 1, "minmax"),), **dict.fromkeys(_MINMAX))
    x = given["tensor"]
    if not isinstance(x, Tensor):
        raise_error("image.minmax: expected tensor = a tensor")
    result = x if truth(given["inplace"]) else given["tensorOut"]
    if result is None:
        result = x.types.default(np.zeros(x.array.shape, x.types.default.dtype))
    return store(result, _ranged(cast(x.array, result.dtype), given), result.__class__)


_MINMAX = ("tensor", "min", "max", "symm", "inplace", "saturate", "tensorOut")


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


def _making(state: State) -> dict[str, Any]:
    """Returns the functions that make kernels, colours and grids, which are of the default type."""

    def made(array: Array) -> Tensor:
        kind: type[Tensor] = state.types.default
        return kind(np.ascontiguousarray(cast(array, kind.dtype)))

    def gaussian(*arguments: Any) -> Tensor:
        given = named(arguments, size=3.0, sigma=0.25, amplitude=1.0, normalize=False, **_PLANE, tensor=None)
        height, width, sigmas, means = _plane(given)
        tensor = given["tensor"]
        shape = (height, width) if tensor is None else tensor.array.shape
        kind = state.types.default if tensor is None else tensor.__class__
        isNormalized = truth(given["normalize"])
        return store(tensor, kernels.gaussian(shape, kind.dtype, sigmas, means, given["amplitude"], isNormalized), kind)

    def gaussian1D(*arguments: Any) -> Tensor:
        given = named(arguments, size=3.0, sigma=0.25, amplitude=1.0, normalize=False, mean=0.5, tensor=None)
        tensor = given["tensor"]
        size = int(given["size"]) if tensor is None else tensor.array.size
        found = kernels.gaussian_line(size, given["sigma"], given["mean"], given["amplitude"])
        result = store(tensor, found, state.types.default)
        return store(result, kernels.normalized(result.array), result.__class__) if truth(given["normalize"]) else result

    def laplacian(*arguments: Any) -> Tensor:
        given = named(arguments, size=3.0, sigma=0.1, amplitude=1.0, normalize=False, **_PLANE)
        height, width, sigmas, means = _plane(given)
        found = made(kernels.laplacian((height, width), sigmas[::-1], means[::-1], given["amplitude"])).array
        return made(kernels.normalized(found) if truth(given["normalize"]) else found)

    def colormap(count: Any = MISSING, *_: Any) -> Tensor:
        return made(colours.colormap(int(number(count, 1, "colormap"))))

    def jetColormap(count: Any = MISSING, *_: Any) -> Tensor:
        return made(colours.jet(int(number(count, 1, "jetColormap"))))

    def lcn(x: Any = MISSING, kernel: Any = None, *_: Any) -> Tensor:
        array = channels(picture_of(x, "lcn"), "lcn")
        if len(array) != 1:
            raise_error("grayscale image expected")
        double = state.types.tensors[DTYPES["Double"]]
        weights = kernel.array.astype(np.float64) if isinstance(kernel, Tensor) else None
        if weights is None:
            weights = kernels.gaussian((9, 9), double.dtype, (1.591 / 9,) * 2, (0.5, 0.5), 1.0, True)
        return double(kernels.contrast_normalized(array[0].astype(np.float64), weights, double))

    return {
        **{"gaussian": gaussian, "gaussian1D": gaussian1D, "laplacian": laplacian, "gaussianpyramid": gaussianpyramid},
        **{"colormap": colormap, "jetColormap": jetColormap, "lcn": lcn},
    }


def gaussianpyramid(*arguments: Any) -> Table:
    values = list(arguments)
    into = values.pop(0) if is_table(values[0]) else Table()
    x, scales = picture_of(values[0], "gaussianpyramid"), items(checked_table(values[1], 2, "gaussianpyramid"))
    kernel = x.__class__(kernels.gaussian((3, 3), x.dtype, (0.25, 0.25), (0.5, 0.5), 1.0, True))
    last = x.array
    for i, one in enumerate(scales, 1):
        height, width = (int(n * one) for n in x.array.shape[-2:])
        level = last if one == 1 else scaled(last, height, width, "simple")
        result = store(rawget(into, float(i)), level, x.__class__)
        dict.__setitem__(into, i, result)
        last = kernels.convolved(result, kernel, "same")
    return into


def _displaying(state: State) -> dict[str, Any]:
    """Returns the functions that put pictures into a grid, and show it."""

    def toDisplayTensor(*arguments: Any) -> Tensor:
        given = named(arguments, input=None, padding=0.0, nrow=6.0, scaleeach=False, min=None, max=None, symmetric=False)
        given["saturate"], given["symm"] = _saturation(arguments), given["symmetric"]
        kind: type[Tensor] = state.types.default
        grid = _grid(_packed(given["input"], kind.dtype), given)
        return kind(np.ascontiguousarray(cast(grid, kind.dtype)))

    def display(*arguments: Any) -> Any:
        options = arguments[0] if len(arguments) == 1 and is_table(arguments[0]) else None
        if options is not None and (image := rawget(options, "image")) is not None:
            arguments = (fields(**{**options.__dict__, "input": image}),)
        elif not arguments or (options is not None and rawget(options, "input") is None and rawget(options, 1.0) is None):
            raise_error("image.display: expected a picture")
        elif options is None:
            arguments = arguments[:1]
        show_picture(state, toDisplayTensor(*arguments).array)
        return None

    return {"toDisplayTensor": toDisplayTensor, "display": display}


_PLANE: dict[str, Any] = dict.fromkeys(("width", "height", "sigma_horz", "sigma_vert")) | {"mean_horz": 0.5, "mean_vert": 0.5}


def _plane(given: dict[str, Any]) -> tuple[int, int, Any, Any]:
    """Returns height and width, and sigmas and means of rows and columns."""
    height, width = (given["size"] if given[name] is None else given[name] for name in ("height", "width"))
    sigmas = tuple(given["sigma"] if given[name] is None else given[name] for name in ("sigma_vert", "sigma_horz"))
    return int(height), int(width), sigmas, (given["mean_vert"], given["mean_horz"])


def _saturation(arguments: tuple[Any, ...]) -> bool:
    """Returns the last argument of ``toDisplayTensor``, which is true by default."""
    if len(arguments) == 1 and is_table(arguments[0]):
        return rawget(arguments[0], "saturate") is not False
    return len(arguments) < 8 or arguments[7] is not False


def _packed(value: Any, dtype: np.dtype[Any]) -> Array:
    """Returns pictures in one array."""
    if is_table(value):
        pictures = [one.array.astype(dtype) for one in items(value)]
        return np.stack([one[None] if one.ndim == 2 else one for one in pictures])
    if not isinstance(value, Tensor):
        raise_error(f"Unknown or incompatible type of input: {described(value)}")
    return value.array.astype(dtype)


def _grid(x: Array, given: dict[str, Any]) -> Array:
    """Returns pictures beside and below each other, with numbers of 0 to 1."""
    isOne = x.ndim == 2 or (x.ndim == 3 and len(x) in (1, 3))
    if isOne:
        return _ranged(x, given)
    if x.ndim not in (3, 4) or (x.ndim == 4 and x.shape[1] not in (1, 3)):
        raise_error("packed must be a HxW or KxHxW or Kx3xHxW tensor, or a list of tensors")
    if truth(given["scaleeach"]):
        x = np.stack([_ranged(one, given) for one in x])
    pad = int(given["padding"])
    columns = min(int(given["nrow"]), len(x))
    height, width = x.shape[-2] + pad, x.shape[-1] + pad
    grid = np.full((*x.shape[1:-2], height * math.ceil(len(x) / columns), width * columns), x.max())
    for i, one in enumerate(x):
        top, left = i // columns * height + pad // 2, i % columns * width + pad // 2
        grid[..., top : top + x.shape[-2], left : left + x.shape[-1]] = one
    return grid if truth(given["scaleeach"]) else _ranged(grid, given)


# ------------------------------------------------------------------------------------------------------ the rest


def convolve(*arguments: Any) -> Tensor:
    result, x, kernel, rest = split("convolve", arguments, 2)
    kernel = kernel if kernel.dtype == x.dtype else x.__class__(cast(kernel.array, x.dtype))
    return store(result, kernels.convolved(x, kernel, given_at(rest, 0, "valid")), x.__class__)


def _morphed(name: str, pad: float, isErosion: bool) -> Any:
    def morphed(x: Any = MISSING, kernel: Any = None, padding: Any = None, *_: Any) -> Tensor:
        value = pad if padding is None else number(padding, 3, name)
        return kernels.morphed(picture_of(x, name), None if kernel is None else picture_of(kernel, name), value, isErosion)

    return morphed


def drawRect(x: Any = MISSING, *arguments: Any) -> Tensor:
    x = picture_of(x, "drawRect")
    options = arguments[4] if len(arguments) > 4 and is_table(arguments[4]) else Table()
    if x.array.ndim != 3 or len(x.array) != 3:
        raise_error("image.drawRect: input image should be a 3-channel tensor")
    corners = [whole(list(arguments), i, "drawRect") for i in range(4)]
    height, width = x.array.shape[1:]
    left, top, right, bottom = corners
    if left < 1 or top < 1 or right > width or bottom > height:
        return x
    colour = (255, 0, 0) if options.color is None else tuple(int(one) for one in items(options.color))
    line = 1 if options.lineWidth is None else int(options.lineWidth)
    found = x if truth(options.inplace) else x.__class__(x.array.copy())
    rectangle(found.array, corners, line, colour)
    return found


def is_supported(suffix: Any = None, *_: Any) -> bool:
    return suffix in pictures.SUPPORTED


def lena(*_: Any) -> Any:
    raise_error("image.lena: this package has no pictures; load one by image.load")


_FORMATS = {"JPG": ("jpg",), "PNG": ("png",), "PPM": ("ppm", "pgm")}


def _files(state: State) -> dict[str, Any]:
    """Returns the functions of files, and those of files in memory."""

    def depth_of(value: Any) -> int | None:
        return None if value is None else int(number(value, 2, "load"))

    def load(name: Any = MISSING, depth: Any = None, typeName: Any = None, *_: Any) -> Tensor:
        return pictures.loaded(string(name, 1, "load"), depth_of(depth), typeName, state.types.default)

    def loader(kinds: tuple[str, ...]) -> Any:
        def load_kind(name: Any = MISSING, depth: Any = None, typeName: Any = None, *_: Any) -> Tensor:
            data = pictures.read(string(name, 1, "load"))
            return pictures.decoded(data, kinds, depth_of(depth), typeName, state.types.default)

        return load_kind

    def decompressor(kinds: tuple[str, ...]) -> Any:
        def decompress(x: Any = MISSING, depth: Any = None, typeName: Any = None, *_: Any) -> Tensor:
            if not isinstance(x, Tensor) or x.dtype != np.uint8:
                raise_error("image.decompress: Input tensor must be a byte tensor")
            return pictures.decoded(x.array.tobytes(), kinds, depth_of(depth), typeName, state.types.default)

        return decompress

    def compressJPG(x: Any = MISSING, quality: Any = None, *_: Any) -> Tensor:
        quality = 75 if quality is None else int(number(quality, 2, "compressJPG"))
        data = pictures.encoded_picture(picture_of(x, "compressJPG").array, "jpg", quality)
        kind: type[Tensor] = state.types.tensors[DTYPES["Byte"]]
        return kind(np.frombuffer(data, np.uint8).copy())

    def getSize(name: Any = MISSING, *_: Any) -> Tensor:
        kind: type[Tensor] = state.types.tensors[DTYPES["Long"]]
        return kind(np.array(pictures.size(string(name, 1, "getSize"))))

    def sizes(name: Any = MISSING, *_: Any) -> tuple[float, ...]:
        return tuple(map(float, pictures.size(string(name, 1, "getSize"))))

    found = {"load": load, "getSize": getSize, "compressJPG": compressJPG, "decompress": decompressor(("jpg", "png"))}
    found |= {f"load{name}": loader(kinds) for name, kinds in _FORMATS.items()}
    found |= {f"decompress{name}": decompressor(_FORMATS[name]) for name in ("JPG", "PNG")}
    return found | {"getJPGsize": sizes, "getPNGsize": sizes}


def _saver(name: str, kind: str | None) -> Any:
    def saved(file: Any = MISSING, x: Any = MISSING, *_: Any) -> tuple[()]:
        path = string(file, 1, name)
        pictures.save(path, picture_of(x, name).array, kind or pictures.kind_of_name(path, "save"))
        return ()

    return saved


def library(state: State) -> Table:
    """Returns the package's table."""
    for name in ("torch", "sys", "xlua"):
        state.require(name)
    made = {**GEOMETRY, **_making(state), **_displaying(state), **_files(state)}
    made |= {name: _converted(name, convert) for name, convert in colours.CONVERSIONS.items()}
    made |= {"y2jet": y2jet, "minmax": minmax, "convolve": convolve, "drawRect": drawRect, "is_supported": is_supported}
    made |= {"erode": _morphed("erode", 1.0, True), "dilate": _morphed("dilate", 0.0, False)}
    made |= {
        "save": _saver("save", None),
        **{f"save{kind.upper()}": _saver("save", kind) for kind in ("jpg", "png", "ppm", "pgm")},
    }
    made |= {"lena": lena, "fabio": lena}
    return fields(**made)
