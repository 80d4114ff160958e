"""One picture through every pooling layer, forward and back."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.typenames import typename

from . import plot

LONGEST = 96  # a longer side hides what windows of four cells do
PAIRS = 3  # layers in a row
LEGEND = """\
left: the output
right: what a pixel
counts for in it
(the gradient of its sum)

red: more makes more
blue: more makes less
white: nothing"""


@dataclass(frozen=True)
class Exhibit:
    """A layer of the gallery.

    Attributes
    ----------
    name : str
        The class in ``nn``.
    label : str
        Its sizes in a few words.
    arguments : tuple
        Arguments from which it is made; PLANES stands for the planes of the image, and modules are copied.
    prepare : function
        Function that prepares it before the image comes, and returns the layer to use; by default, the layer as it is.
    input : function
        From the image to the layer's input.
    """

    name: str
    label: str
    arguments: tuple[Any, ...]
    prepare: Callable[[Any], Module] = lambda layer: layer
    input: Callable[[Tensor], Any] = lambda image: image


def _unpool(layer: Any) -> Module:
    return nn.Sequential().add(layer.pooling).add(layer)


def _mean(layer: Any) -> Module:
    """The weights of subsampling as if trained to be a mean; the initial ones are random."""
    layer.weight.fill(1 / (layer.kW * layer.kH))
    layer.bias.fill(0)
    return layer  # type: ignore[no-any-return]


PLANES = "planes"
FOUR = (4, 4, 4, 4)  # windows of four cells, side by side

# Pooling layers for pictures, in the order in which they are shown. Those that nobody lists follow, with windows of 4x4.
LISTED = (
    Exhibit("SpatialMaxPooling", "4x4", FOUR),
    Exhibit("SpatialAveragePooling", "4x4", FOUR),
    Exhibit("SpatialDilatedMaxPooling", "3x3, 2 apart, stride 4", (3, 3, 4, 4, 1, 1, 2, 2)),
    Exhibit("SpatialAdaptiveAveragePooling", "to 20x20", (20, 20)),
    Exhibit("SpatialAdaptiveMaxPooling", "to 20x20", (20, 20)),
    Exhibit("SpatialGlobalAveragePooling", "to 1x1", ()),
    Exhibit("SpatialGlobalMaxPooling", "to 1x1", ()),
    Exhibit("SpatialFractionalMaxPooling", "2x2, by 0.6", (2, 2, 0.6, 0.6)),
    Exhibit("SpatialMaxUnpooling", "after max pooling 4x4", (nn.SpatialMaxPooling(4, 4),), _unpool),
    Exhibit("SpatialLPPooling", "p = 2, 4x4", (PLANES, 2, *FOUR)),
    Exhibit("SpatialPowerAveragePooling", "p = 4, 4x4", (4, *FOUR)),
    Exhibit("SpatialSubSampling", "4x4", (PLANES, *FOUR), _mean),
    Exhibit("SpatialSoftPool", "4x4", FOUR),
    Exhibit("SpatialLocalImportancePooling", "4x4, logit 8 x", FOUR, input=lambda image: [image, 8 * image]),
    Exhibit("SpatialSimplifiedLIP", "4x4, untrained", (PLANES, *FOUR)),
    Exhibit("SpatialStochasticPooling", "4x4, one draw", FOUR),
    Exhibit("SpatialGaussianPooling", "7x7, stride 4", (PLANES, 7, 7, 4, 4, 3, 3)),
    Exhibit("SpatialS3Pooling", "p = 4, grid 8x8, one draw", (4, 8, 8)),
    Exhibit("SpatialMixedPooling", "4x4", FOUR),
    Exhibit("SpatialGatedPooling", "4x4", FOUR),
)

# And why others are not here, by the beginnings of their names.
LEFT_OUT = {
    "Feature": "pools the planes of a pixel",
    "SoftGate": "makes logits for others",
    "Temporal": "pools sequences",
    "Volumetric": "pools volumes",
}


def exhibits() -> tuple[Exhibit, ...]:
    """All layers of the gallery."""
    known = {exhibit.name for exhibit in LISTED}
    others = [name for name in nn.pooling.__all__ if name not in known and not name.startswith(tuple(LEFT_OUT))]
    return LISTED + tuple(Exhibit(name, "4x4", (*_planes(name), *FOUR)) for name in others)


def _planes(name: str) -> tuple[str, ...]:
    """Returns the argument that a class takes before its windows: the number of planes, or nothing."""
    first = next(iter(inspect.signature(getattr(nn, name)).parameters), "")
    return (PLANES,) if "plane" in first.lower() else ()


@dataclass(frozen=True, eq=False)
class Picture:
    """The output of a layer for the image.

    Attributes
    ----------
    name, label : str
        The class, and its sizes in a few words.
    output : array of planes x height x width
    gradient : array of height x width of the image
        Of the sum of all outputs, summed over the planes: what each pixel counts for.
    """

    name: str
    label: str
    output: Tensor
    gradient: Tensor


@dataclass(frozen=True, eq=False)
class Gallery:
    """One image and what all pooling layers made of it; ``str`` of it lists them, ``draw`` shows them."""

    image: Tensor
    pictures: tuple[Picture, ...]

    def __str__(self) -> str:
        width = max(len(picture.name) for picture in self.pictures)
        return "\n".join(
            f"{picture.name:{width}}  {'x'.join(map(str, self.image.shape))} to {'x'.join(map(str, picture.output.shape))}"
            f"  ({picture.label})"
            for picture in self.pictures
        )

    def figure(self) -> Any:
        """A matplotlib Figure: the image, then the output and the gradient of each layer."""
        height, width = self.image.shape[1:]
        rows = -(-(len(self.pictures) + 1) // PAIRS)
        figure = plot.new_figure(2 * PAIRS * 1.75, rows * (1.75 * min(height / width, 3) + 0.55))
        # Axes are not shown. To place their numbers all the same would take more than half of the time.
        bare: dict[str, Any] = {"xticks": [], "yticks": []}
        panels = figure.subplots(rows, 2 * PAIRS, squeeze=False, subplot_kw=bare).reshape(-1, 2)
        for panel in panels.flat:
            panel.set_axis_off()
        _show(panels[0][0], self.image, "the image")
        panels[0][1].text(0.05, 0.5, LEGEND, fontsize="small", verticalalignment="center")
        for (left, right), picture in zip(panels[1:], self.pictures, strict=False):
            _show(left, picture.output, f"{picture.name.removeprefix('Spatial')}\n{picture.label}")
            most = abs(picture.gradient).max() or 1
            right.imshow(picture.gradient, "RdBu_r", vmin=-most, vmax=most, interpolation="nearest")
            right.set_title("gradient", fontsize="small")
        return figure

    def draw(self, path: str | Path) -> None:
        """Write the figure to a .png, .svg or .pdf file."""
        plot.save(self.figure(), path)


def _show(panel: Any, planes: Tensor, title: str) -> None:
    """Three planes in colour, else the mean of all; values above 1 are scaled down together."""
    image = planes.transpose(1, 2, 0) if len(planes) == 3 else planes.mean(0)
    panel.imshow(np.clip(image / max(1, image.max()), 0, 1), "gray", vmin=0, vmax=1, interpolation="nearest")
    panel.set_title(title, fontsize="small")


def pooling(image: Any, layers: Sequence[Module] = ()) -> Gallery:
    """Sends an image through every pooling layer for pictures, and a gradient of ones back.

    Parameters
    ----------
    image : array of (planes x) height x width
        Values from 0 to 1, or bytes.
    layers : list of Module
        More layers, such as yours: they take a batch of such images, and give one of planes.

    Returns
    -------
    Gallery
        ``draw("grid.png")`` shows it. Layers that draw at random use the generator of ``pl.manualSeed``.
    """
    array = np.asarray(image)
    scaled = np.ascontiguousarray(array / 255 if array.dtype == np.uint8 else array, np.float32)
    planes = scaled[None] if scaled.ndim == 2 else scaled
    if planes.ndim != 3 or planes.size == 0:
        raise ShapeError(f"explain: image: expected (planes x) height x width, got shape {array.shape}")
    pictures = [_picture(exhibit, planes) for exhibit in exhibits()]
    for layer in layers:
        name = typename(layer) or type(layer).__name__
        label = repr(layer).removeprefix(name).removeprefix("(").removesuffix(")")
        pictures.append(_made(layer.clone().float(), planes[None], name, label))
    return Gallery(planes, tuple(pictures))


def _picture(exhibit: Exhibit, image: Tensor) -> Picture:
    arguments = [argument.clone() if isinstance(argument, Module) else argument for argument in exhibit.arguments]
    made = getattr(nn, exhibit.name)(*(len(image) if argument is PLANES else argument for argument in arguments))
    return _made(exhibit.prepare(made), exhibit.input(image[None]), exhibit.name, exhibit.label)


def _made(layer: Module, input: Any, name: str, label: str) -> Picture:
    output = layer.forward(input)[0]
    gradient = layer.updateGradInput(input, np.ones_like(layer.output))
    first = gradient[0] if isinstance(gradient, list) else gradient  # a table: that of the image, not of its logits
    return Picture(name, label, output, first[0].sum(0))
