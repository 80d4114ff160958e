"""Files of pictures: JPEG, PNG, PPM and PGM, which Pillow reads and writes."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from ...language.errors import LuaError, raise_error
from ...language.libraries.files import decoded as decoded_name
from ...tensors.tensor import DTYPES, Array, Tensor
from ...tensors.values import cast
from .colours import rgb2y
from .scaling import intermediate

_KINDS = {"jpg": "jpg", "jpeg": "jpg", "png": "png", "ppm": "ppm", "pgm": "pgm"}
SUPPORTED = (*_KINDS, *map(str.upper, _KINDS))
_FORMATS = {"jpg": "JPEG", "png": "PNG", "ppm": "PPM", "pgm": "PPM"}
_TYPES = {"byte": "Byte", "float": "Float", "double": "Double"}


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise_error('files of pictures need Pillow; run: pip install "pytorch-legacy[image]"')
    return Image


def kind_of(data: bytes, path: bytes) -> str:
    """Returns the format of a file by its first bytes, or by its name."""
    if data[:3] == b"\xff\xd8\xff":
        return "jpg"
    if data[:4] == b"\x89PNG":
        return "png"
    if re.match(rb"P[2356]", data):
        return "pgm" if data[1:2] in b"25" else "ppm"
    return kind_of_name(path, "load")


def kind_of_name(path: bytes, function: str) -> str:
    """Returns the format that the end of a name stands for."""
    name = decoded_name(path)
    found = re.search(r"\.([A-Za-z]+)$", name)
    if found is None or found[1] not in SUPPORTED:
        raise_error(f"image.{function}: unknown image type: {found[1] if found else name}")
    return _KINDS[found[1].lower()]


def _opened(data: bytes, kinds: tuple[str, ...], read: Any) -> Any:
    """Returns what a function reads from a picture that Pillow opens."""
    pillow = _pillow()
    try:
        with pillow.open(io.BytesIO(data), formats=[_FORMATS[kind] for kind in kinds]) as picture:
            return read(picture)
    except Exception as problem:  # Pillow raises errors of many classes for broken files
        raise LuaError(f"image.load: {problem or type(problem).__name__}") from None


def _numbers(picture: Any) -> tuple[Array, int]:
    """Returns the numbers of a picture, (channels, height, width), and the largest one of its format."""
    if picture.mode.startswith("I"):
        return np.asarray(picture).astype(np.float64)[None], 65535
    if picture.mode not in ("L", "LA", "RGB", "RGBA"):
        picture = picture.convert("L" if picture.mode == "1" else "RGB")
    found = np.asarray(picture)
    return found[None] if found.ndim == 2 else np.moveaxis(found, -1, 0), 255


def read(path: bytes) -> bytes:
    """Returns the bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


def _in_depth(x: Array, depth: int | None) -> Array:
    """Returns a picture of one or three channels."""
    count = len(x)
    if depth == 1 and count != 1:
        return rgb2y(x[:3]) if count >= 3 else x[:1]
    if depth == 3 and count != 3:
        return x[:3] if count == 4 else np.repeat(x[:1], 3, 0)
    return x


def decoded(data: bytes, kinds: tuple[str, ...], depth: int | None, typeName: Any, default: type[Tensor]) -> Tensor:
    """Returns the tensor of a picture: numbers of 0 to 1, or bytes.

    Parameters
    ----------
    data : bytes
        The file.
    kinds : tuple of str
        The formats that it may have.
    depth : {1, 3} or None
        The channels of the result, those of the file by default.
    typeName : {"byte", "float", "double"} or None
        The type of the result.
    default : type
        The class of tensors that is taken for None.
    """
    if typeName is not None and typeName not in _TYPES:
        raise_error(f"image.load: expected the type 'byte', 'float' or 'double', got '{typeName}'")
    kind = default if typeName is None else default.types.tensors[DTYPES[_TYPES[typeName]]]
    numbers, largest = _opened(data, kinds, _numbers)
    found = cast(numbers, kind.dtype)
    if typeName != "byte" and kind.isFloat:
        found = found * kind.dtype.type(1 / largest)
    return kind(np.ascontiguousarray(_in_depth(found, depth)))


def _size(picture: Any) -> list[int]:
    width, height = picture.size
    return [3 if picture.mode == "P" else len(picture.getbands()), height, width]


def size(path: bytes) -> list[int]:
    """Returns channels, height and width of a file."""
    data = read(path)
    return _opened(data, (kind_of(data, path),), _size)  # type: ignore[no-any-return]


def as_bytes(x: Array) -> Array:
    """Returns a picture of 0 to 1 as bytes."""
    if x.dtype == np.uint8:
        return x
    kind = intermediate(x.dtype)
    found: Array = np.rint(np.clip(x.astype(kind), 0, 1) * kind.type(255)).astype(np.uint8)
    return found


def encoded_picture(x: Array, kind: str, quality: int = 75) -> bytes:
    """Returns the file of a picture, (channels, height, width) or (height, width)."""
    x = as_bytes(x)
    x = x[0] if x.ndim == 3 and len(x) == 1 else np.moveaxis(x, 0, -1) if x.ndim == 3 else x
    depths = {"jpg": (1, 3), "png": (1, 3, 4), "ppm": (3,), "pgm": (1,)}[kind]
    depth = 1 if x.ndim == 2 else x.shape[-1] if x.ndim == 3 else 0
    if depth not in depths:
        raise_error(f"image.save: expected {' or '.join(map(str, depths))} channels for {kind}, got {depth}")
    file = io.BytesIO()
    options = {"quality": quality} if kind == "jpg" else {}
    _pillow().fromarray(np.ascontiguousarray(x)).save(file, _FORMATS[kind], **options)
    return file.getvalue()


def save(path: bytes, x: Array, kind: str) -> None:
    """Writes the file of a picture."""
    data = encoded_picture(x, kind)
    with open(path, "wb") as file:
        file.write(data)
