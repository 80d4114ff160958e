"""The preparation of a picture for a network, for one picture or many. It is stored with the results.

    (byte * scale - mean) / std

of a picture that was resized, cropped and, if the network was trained so, converted from RGB to BGR. Options override a
preset, a preset overrides the file of the network, and this overrides the defaults.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn.Module import Module

from . import models
from .problem import Problem

MOST_PIXELS = 1 << 26
PRESETS: dict[str, dict[str, Any]] = {
    # The settings of fb.resnet.torch for testing.
    "fb.resnet": {
        "size": 256, "crop": (224, 224), "bgr": False,
        "scale": 1 / 255, "mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225),
    },
    # VGG of Simonyan and Zisserman, and what else came from Caffe by loadcaffe: bytes less the mean of ImageNet.
    "vgg-caffe": {
        "size": 256, "crop": (224, 224), "bgr": True,
        "scale": 1.0, "mean": (103.939, 116.779, 123.68), "std": (1.0,),
    },
    # Faces that were aligned before.
    "openface": {"size": (96, 96), "bgr": False, "scale": 1 / 255, "mean": (0.0,), "std": (1.0,)},
}  # fmt: skip
"""The preparation of published networks. A preset overrides all settings of a file."""


@dataclass(frozen=True)
class Preprocessing:
    """The preparation of a picture.

    Attributes
    ----------
    planes : int, optional
        Channels of the network: 1 gets the luminance, 3 the colors, None the picture as it is.
    size : (int, int) or int, optional
        Height and width to resize to, or the length of the shorter side.
    crop : (int, int), optional
        Height and width of the center that is cut out after that.
    gray : bool
        True if color pictures are converted to gray.
    bgr : bool
        True if the order of channels is blue, green, red, also in `mean` and `std`.
    scale, mean, std : float, tuple of float, tuple of float
        As in the formula; one number for all planes, or one for each.
    always : bool
        True if `mean` and `std` also apply to arrays of other types than bytes.
    origins : dict
        The source of each entry above that is not a default.
    """

    planes: int | None = None
    size: tuple[int, int] | int | None = None
    crop: tuple[int, int] | None = None
    gray: bool = False
    bgr: bool = False
    scale: float = 1 / 255
    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)
    always: bool = False
    origins: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, options: argparse.Namespace, value: Any, network: Module) -> Preprocessing:
        """Returns the preparation of the options and of `value`, the content of the file of `network`."""
        said = {name: getattr(options, name) for name in ("size", "crop", "gray", "bgr", "scale", "mean", "std")}
        asked = {name: tuple(entry) if isinstance(entry, list) else entry for name, entry in said.items() if entry is not None}
        base = dict(PRESETS[options.preset]) if options.preset else models.preprocessing(value, network)
        if isinstance(asked.get("size"), tuple):
            base.pop("crop", None)  # it was to be cut out of another size
        origins = dict.fromkeys(base, f"--preset {options.preset}" if options.preset else "the file")
        origins |= dict.fromkeys(asked, "options")
        entries = base | asked
        if "scale" not in entries and any(abs(number) > 1 for number in entries.get("mean", ())):
            entries["scale"] = 1.0
            origins["scale"] = "by the mean, which is one of bytes"
        always = "mean" in asked or "std" in asked
        return cls(models.input_planes(network), **entries, always=always, origins=origins)

    def __str__(self) -> str:
        """Returns the steps and the origin of each setting."""
        if self.size is None:
            steps = ["in their size"]
        elif isinstance(self.size, int):
            steps = [f"shorter side resized to {self.size}"]
        else:
            steps = [f"resized to {self.size[1]}x{self.size[0]}"]
        if self.crop is not None:
            steps.append(f"cut to {self.crop[1]}x{self.crop[0]}")
        colours = "BGR" if self.bgr else "RGB" if self.planes == 3 else "colours as they are"
        steps.append("gray" if self.planes == 1 or self.gray else colours)
        return f"{', '.join([*steps, self.numbers()])} [{self._told()}]"

    def numbers(self) -> str:
        """The formula, in words."""
        text = {1 / 255: "byte / 255", 1.0: "byte"}.get(self.scale, f"byte * {self.scale:g}")
        if any(self.mean):
            text += f" - {_text(self.mean)}"
        if set(self.std) == {1}:
            return text
        return (f"({text})" if any(self.mean) else text) + f" / {_text(self.std)}"

    @property
    def isSized(self) -> bool:
        """Returns True if the size is set."""
        return self.size is not None or self.crop is not None

    def fitted(self, size: tuple[int, int]) -> Preprocessing:
        """The same for a network that takes no other size."""
        return replace(self, size=size, origins=self.origins | {"size": "the network"})

    def _told(self) -> str:
        """Returns the origins of the settings, and the settings that are assumed."""
        told: dict[str, list[str]] = {}
        for name in ("size", "crop", "gray", "bgr", "scale", "mean", "std"):
            isOpen = name in ("scale", "mean", "std") or (name == "bgr" and self.planes == 3)
            if name in self.origins or isOpen:
                told.setdefault(self.origins.get(name, "assumed"), []).append(name)
        return "; ".join(f"{origin}: {', '.join(names)}" for origin, names in told.items())

    def normalized(self, array: Tensor) -> Tensor:
        """Returns bytes scaled and normalized, and other arrays unchanged, unless mean or std is set."""
        if array.dtype != np.uint8 and not self.always:
            return array
        mean, std = np.array(self.mean, np.float64), np.array(self.std, np.float64)
        planes = array.shape[-3] if array.ndim > 2 else 1
        for name, numbers in (("mean", mean), ("std", std)):
            if numbers.size not in (1, planes):
                wanted = "1 number" if planes == 1 else f"1 number or {planes}"
                raise Problem(f"{name}: expected {wanted}, one for each channel; got {numbers.size}")
            if not np.isfinite(numbers).all() or (name == "std" and numbers.min() <= 0):
                kind = "a number above 0" if name == "std" else "a finite number"
                raise Problem(f"{name}: expected {kind}, got {numbers.tolist()} in the file of the network; pass --{name}")
        scaled = array * np.float64(self.scale) if array.dtype == np.uint8 else array.astype(np.float64)
        shape = (-1, 1, 1) if array.ndim > 2 else (-1,)
        result: Tensor = (scaled - mean.reshape(shape)) / std.reshape(shape)
        return result

    def resized(self, image: Any) -> Any:
        """Returns a picture of Pillow in the size that is set.

        A smaller picture has averages of the pixels, a larger one bicubic interpolations.
        """
        from PIL import Image

        if self.size is not None:
            if isinstance(self.size, int):
                ratio = self.size / min(image.size)
                width, height = (max(self.size, round(side * ratio)) for side in image.size)
            else:
                height, width = self.size
            if width * height > MOST_PIXELS:
                raise Problem(f"a picture of {image.width}x{image.height} would become {width}x{height}; pass --size WxH")
            shrinks = width <= image.width and height <= image.height
            image = image.resize((width, height), Image.Resampling.BOX if shrinks else Image.Resampling.BICUBIC)
        if self.crop is not None:
            height, width = self.crop
            if height > image.height or width > image.width:
                raise Problem(f"--crop {width}x{height}: the picture has {image.width}x{image.height}; enlarge it with --size")
            left, top = (image.width - width) // 2, (image.height - height) // 2
            image = image.crop((left, top, left + width, top + height))
        return image


def _text(numbers: tuple[float, ...]) -> str:
    return f"{numbers[0]:.6g}" if len(set(numbers)) == 1 else f"[{', '.join(f'{number:.6g}' for number in numbers)}]"
