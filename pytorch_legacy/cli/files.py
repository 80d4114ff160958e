"""Inputs and outputs of the command line: pictures, .npy and .t7."""

from __future__ import annotations

import argparse
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy import t7
from pytorch_legacy.storage import Tensor
from pytorch_legacy.writing import whole

from .problem import Problem

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp")


@dataclass
class Source:
    """An input: the array for the network, and what is needed to make a picture of its output again."""

    array: Tensor
    is_picture: bool = False
    colours: Any = None  # Cb and Cr planes of a colour picture that is run on its luminance


def text_shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "()"


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise Problem('pictures need Pillow; run: pip install "pytorch-legacy[image]"') from None
    return Image


def _must_exist(path: str) -> None:
    if not Path(path).exists():
        raise Problem(f"{path}: there is no such file")


def read(path: str, options: argparse.Namespace, planes: int | None) -> Source:
    """The input file as an array with a batch dimension."""
    suffix = Path(path).suffix.lower()
    _must_exist(path)
    if suffix in PICTURES:
        return _read_picture(path, options, planes)
    if suffix == ".npy":
        try:
            array = np.load(path, allow_pickle=False)
        except ValueError as error:
            raise Problem(f"{path}: {error}") from None
    elif suffix == ".t7":
        array = _tensor(path, t7.read(path), options.key)
    else:
        raise Problem(f"{path}: expected a picture ({', '.join(PICTURES)}), .npy or .t7")
    if array.dtype.kind not in "fiub" or array.ndim == 0:
        raise Problem(f"{path}: expected an array of numbers, got {array.dtype} of shape {array.shape}")
    return Source(array[None] if array.ndim in (1, 3) else array)


def _tensor(path: str, value: Any, key: str | None) -> Tensor:
    """The tensor of a .t7 file, or of the table in it."""
    if isinstance(value, dict):
        wanted = [key] if key else ["input", "images", "image", "x", "data"]
        tensors = [name for name, entry in value.items() if isinstance(entry, np.ndarray)]
        chosen = next((name for name in wanted if name in tensors), None)
        if chosen is None:
            raise Problem(f"{path}: choose a tensor of the table with --key: {', '.join(map(str, tensors)) or 'there is none'}")
        value = value[chosen]
    if not isinstance(value, np.ndarray):
        raise Problem(f"{path}: expected a tensor or a table of tensors, got {type(value).__name__}")
    return value


def picture(path: str, size: str | None) -> Any:
    """A Pillow image, gray or RGB, resized to "WxH" if that is given."""
    _must_exist(path)
    Image = _pillow()
    try:
        with Image.open(path) as opened:
            image = opened.convert("RGB" if opened.mode not in ("L", "1", "I", "I;16", "LA") else "L")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise Problem(f"{path}: not a picture that can be read: {error}") from None
    if size:
        try:
            width, height = (int(number) for number in size.lower().split("x"))
            if min(width, height) < 1:
                raise ValueError
        except ValueError:
            raise Problem(f"--size {size}: expected width x height in pixels, such as 224x224") from None
        shrinks = width <= image.width and height <= image.height
        image = image.resize((width, height), Image.Resampling.BOX if shrinks else Image.Resampling.BICUBIC)
    return image


def _read_picture(path: str, options: argparse.Namespace, planes: int | None) -> Source:
    image = picture(path, options.size)
    if planes not in (None, 1, 3):
        raise Problem(f"{path}: the network wants {planes} planes, a picture has 1 or 3; give an .npy or .t7 file")
    colours = None
    if planes == 1 and image.mode == "RGB":
        luminance, *chroma = image.convert("YCbCr").split()
        colours = None if options.gray else chroma
        image = image.convert("L") if options.gray else luminance
    elif planes == 3:
        image = image.convert("RGB")
    array = np.asarray(image)
    return Source(array[None, None] if array.ndim == 2 else array.transpose(2, 0, 1)[None], True, colours)


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
    elif suffix in PICTURES:
        _write_picture(path, output, source)
    else:
        raise Problem(f"{path}: expected a picture ({', '.join(PICTURES)}), .npy or .t7")


def _write_picture(path: str, output: Tensor, source: Source) -> None:
    """Planes in 0..1 as bytes; the luminance of a colour picture gets its colours back."""
    Image = _pillow()
    image = output[0] if output.ndim == 4 and output.shape[0] == 1 else output
    if image.ndim == 2:
        image = image[None]
    if image.ndim != 3 or image.shape[0] not in (1, 3):
        raise Problem(f"{path}: an output of {text_shape(output.shape)} is no picture of 1 or 3 planes; write .npy or .t7")
    data = np.clip(np.rint(np.nan_to_num(image.astype(np.float64)) * 255), 0, 255).astype(np.uint8)
    if data.shape[0] == 3:
        picture = Image.fromarray(data.transpose(1, 2, 0))
    else:
        picture = Image.fromarray(data[0])
        if source.colours:
            chroma = [plane.resize(picture.size, Image.Resampling.BICUBIC) for plane in source.colours]
            picture = Image.merge("YCbCr", [picture, *chroma]).convert("RGB")
    encoded = io.BytesIO()  # some formats go back in the file that they write
    picture.save(encoded, Image.registered_extensions()[Path(path).suffix.lower()])
    with whole(path) as file:
        file.write(encoded.getbuffer())
