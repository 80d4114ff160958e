"""Inputs and outputs of the command line: pictures, .npy and .t7."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import SCRATCH
from pytorch_legacy.files.t7.detect import detect
from pytorch_legacy.files.t7.nodes import Malformed
from pytorch_legacy.files.writing import check_target, whole
from pytorch_legacy.interop import places, walk
from pytorch_legacy.messages import described
from pytorch_legacy.messages import text_shape as text_shape

from .preprocessing import Preprocessing
from .problem import Problem

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp")


@dataclass
class Source:
    """An input: the array for the network, or several, and what is needed to make a picture of its output again."""

    array: Any
    is_picture: bool = False
    colours: Sequence[Any] = ()  # Cb and Cr planes of a colour picture that is run on its luminance
    preprocessing: Preprocessing = field(default_factory=Preprocessing)

    def prepared(self) -> str:
        """Returns the preparation of a picture or of an array of bytes, in a line; "" if there was none."""
        if self.is_picture:
            return f"pictures: {self.preprocessing}"
        arrays = self.array if isinstance(self.array, list) else [self.array]
        return f"bytes: {self.preprocessing.numbers()}" if any(array.dtype == np.uint8 for array in arrays) else ""


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise Problem('pictures need Pillow; run: pip install "pytorch-legacy[image]"') from None
    return Image


def _must_exist(path: str) -> None:
    if not Path(path).exists():
        raise Problem(f"{path}: there is no such file")


def read(path: str, preprocessing: Preprocessing, key: str | None = None) -> Source:
    """The input file as an array with a batch dimension, or a list of arrays as they are; its bytes say what it is."""
    _must_exist(path)
    with open(path, "rb") as file:
        regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        content = file.read(512 if regular else -1)  # a pipe can be read only once
    source: Any = path if regular else io.BytesIO(content)
    if content.startswith(b"\x93NUMPY"):
        refuse_key(path, key, "an .npy file holds one array")
        try:
            value = np.load(source, allow_pickle=False)
        except Exception as error:  # whatever NumPy makes of a broken file
            raise Problem(f"{path}: cannot be read as .npy: {error}") from None
    elif content.startswith(b"PK\x03\x04") and (archive := _archive(path, source, key)) is not None:
        value = archive
    else:
        try:
            detect(content, "auto")
        except Malformed as error:
            refuse_key(path, key, "only .npz and .t7 files hold several arrays")
            return _read_picture(path, source, preprocessing, error.message)
        value = tensors(path, t7.read(path if regular else content), key)
    for array in value if isinstance(value, list) else [value]:
        if not isinstance(array, np.ndarray):
            raise Problem(f"{path}: expected an archive of arrays, got another object in it")
        if array.dtype.kind not in "fiub" or array.ndim == 0:
            raise Problem(f"{path}: expected an array of numbers, got {array.dtype} of shape {array.shape}")
    together = value[None] if isinstance(value, np.ndarray) and value.ndim in (1, 3) else value
    return Source(together, preprocessing=preprocessing)


def refuse_key(path: str, key: str | None, reason: str) -> None:
    """Raises a Problem if there is a ``--key``, because the input is no table of arrays."""
    if key is not None:
        raise Problem(f"{path}: --key {key}: {reason}; leave out --key")


def at(path: str, value: Any, key: str) -> Any:
    """Returns what is at the place ``--key``."""
    found = places.find(value, key)
    if not found:
        raise Problem(f"{path}: --key {key}: there is no such place; {choice(value)}")
    if len(found) > 1:
        listed = ", ".join(places.text(visit) for visit in found[:10]) + ", ..." * (len(found) > 10)
        raise Problem(f"{path}: --key {key}: several modules have this name; choose one by its place: {listed}")
    return found[0].value


def tensors(path: str, value: Any, key: str | None) -> Any:
    """Returns the tensor of a .t7 file, or a list of tensors: those at the place `key`, else those of a usual name."""
    if key is not None:
        if isinstance(value, np.ndarray):
            refuse_key(path, key, "the file holds one tensor")
        value = at(path, value, key)
        if not _holds_tensors(value):
            raise Problem(f"{path}: --key {key}: expected a tensor or a list of tensors, got {described(value)}")
        return value
    if isinstance(value, dict):
        usual = next((name for name in _USUAL_NAMES if name in value and _holds_tensors(value[name])), None)
        if usual is None:
            raise Problem(f"{path}: choose a tensor of the table with --key; {choice(value)}")
        value = value[usual]
    if not _holds_tensors(value):
        got = described(value) if isinstance(value, (list, str, int, float, type(None))) else type(value).__name__
        raise Problem(f"{path}: expected a tensor, a list of tensors or a table of these, got {got}")
    return value


_USUAL_NAMES = ("input", "images", "image", "x", "data")


def choice(value: Any) -> str:
    """Returns the places of the first tensors in a value, in words."""
    found = []
    for visit in walk(value, lambda visit: visit.depth < 8):
        if isinstance(visit.value, np.ndarray) and visit.seen is None and visit.value.size and visit.key not in SCRATCH:
            found.append(places.text(visit))
        if len(found) > 10:
            break
    return f"tensors of the file: {', '.join(found[:10]) or 'none'}{', ...' * (len(found) > 10)}"


def _archive(path: str, source: Any, key: str | None) -> Any:
    """Returns all arrays of a .npz file, the only one, or that of the name; None for another archive."""
    if not zipfile.is_zipfile(source):
        return None
    try:
        with np.load(source, allow_pickle=False) as archive:
            if not archive.files:
                return None
            if key is None:
                arrays = [archive[name] for name in archive.files]
                return arrays if len(arrays) > 1 else arrays[0]
            if key not in archive.files:
                raise Problem(f"{path}: no array {key!r}; there is: {', '.join(map(repr, archive.files))}")
            return archive[key]
    except Problem:
        raise
    except Exception as error:  # NumPy raises exceptions of any kind for a broken file
        raise Problem(f"{path}: cannot be read as .npz: {error}") from None


def _holds_tensors(value: Any) -> bool:
    entries = value if isinstance(value, list) else [value]
    return bool(entries) and all(isinstance(entry, np.ndarray) for entry in entries)


def picture(path: str, preprocessing: Preprocessing, source: Any = None) -> Any:
    """Returns a Pillow image, gray or RGB, in the size of `preprocessing`, read from `source` or `path`."""
    _must_exist(path)
    Image = _pillow()
    try:
        with Image.open(path if source is None else source) as opened:
            image = opened.convert("RGB" if opened.mode not in ("L", "1", "I", "I;16", "LA") else "L")
    except Exception as error:  # Pillow's readers raise exceptions of any kind
        raise Problem(f"{path}: cannot be read as a picture: {error}") from None
    try:
        return preprocessing.resized(image)
    except Problem as problem:
        raise Problem(f"{path}: {problem}") from None


def _read_picture(path: str, source: Any, preprocessing: Preprocessing, found: str) -> Source:
    """Returns a picture. `found` describes the file in the error for a file of another kind."""
    try:
        image = picture(path, preprocessing, source)
    except Problem:
        if Path(path).suffix.lower() in PICTURES or found.endswith("picture"):
            raise
        wanted = "a picture (png, jpg, ...), an array (.npy, .npz) or a tensor (.t7)"
        raise Problem(f"{path}: expected {wanted}; {_tail(found)}") from None
    planes = preprocessing.planes
    if planes not in (None, 1, 3):
        raise Problem(f"{path}: the network expects {planes} channels, a picture has 1 or 3; pass an .npy or .t7 file")
    colours: list[Any] = []
    if preprocessing.gray:
        image = image.convert("L")
    if planes == 1 and image.mode == "RGB":
        image, *colours = image.convert("YCbCr").split()
    elif planes == 3:
        image = image.convert("RGB")
    array = np.asarray(image)
    if preprocessing.bgr and array.ndim == 3:
        array = array[..., ::-1]
    return Source(array[None, None] if array.ndim == 2 else array.transpose(2, 0, 1)[None], True, colours, preprocessing)


def _tail(found: str) -> str:
    """Returns the end of the reader's message: the kind of a file that is no .t7 file."""
    return found.removeprefix("expected a .t7 file, ").removeprefix("which begins with a type tag from 0 to 8, ")


def check(path: str) -> None:
    """Refuses, before the network runs, a name that says no form, or that of a folder."""
    if Path(path).suffix.lower() not in (".t7", ".npy", *PICTURES):
        raise Problem(f"{path}: expected a picture ({', '.join(PICTURES)}), .npy or .t7")
    check_target(path)


def write(path: str, output: Any, source: Source) -> None:
    """Write the network's output in the form that the file's name asks for."""
    suffix = Path(path).suffix.lower()
    if suffix == ".t7":
        t7.write(path, output)
    elif not isinstance(output, np.ndarray):
        raise Problem(f"{path}: the output is a table; only a .t7 file can hold it")
    elif suffix == ".npy":
        with whole(path) as file:
            np.save(file, output)
    else:
        content = encoded(path, output, source)
        with whole(path) as file:
            file.write(content)


def is_picture(shape: tuple[int, ...]) -> bool:
    """Returns True if an output of that shape is one picture."""
    shape = shape[1:] if len(shape) == 4 and shape[0] == 1 else shape
    return len(shape) == 2 or (len(shape) == 3 and shape[0] in (1, 3))


def encoded(path: str, output: Tensor, source: Source) -> memoryview:
    """A picture in the form of the path's ending, of planes in the units of the input.

    The luminance of a colour picture gets its colours back.
    """
    Image = _pillow()
    image = output[0] if output.ndim == 4 and output.shape[0] == 1 else output
    if image.ndim == 2:
        image = image[None]
    if not is_picture(output.shape):
        raise Problem(f"{path}: expected an output of 1 or 3 channels, got {text_shape(output.shape)}; write it as .npy or .t7")
    scale = source.preprocessing.scale if source.preprocessing.scale > 0 else 1 / 255
    data = np.clip(np.rint(np.nan_to_num(image.astype(np.float64)) / scale), 0, 255).astype(np.uint8)
    if source.preprocessing.bgr:
        data = data[::-1]
    if data.shape[0] == 3:
        picture = Image.fromarray(data.transpose(1, 2, 0))
    else:
        picture = Image.fromarray(data[0])
        if source.colours:
            chroma = [plane.resize(picture.size, Image.Resampling.BICUBIC) for plane in source.colours]
            picture = Image.merge("YCbCr", [picture, *chroma]).convert("RGB")
    content = io.BytesIO()  # some formats go back in the file that they write
    picture.save(content, Image.registered_extensions()[Path(path).suffix.lower()])
    return content.getbuffer()
