"""Finds which input cells feed each output of a pooling layer. Adaptive windows are compared with windows of one size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.pooling.AdaptivePooling import AdaptivePooling

from . import drawing, plot, text
from .probe import count_axes, feeds

Size = int | tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Axis:
    """The windows along one axis of I cells with O outputs.

    Attributes
    ----------
    name : str
        "time", "height" or "width"; "" where there is but one axis.
    feeds : bool array of O x I
        Whether a cell feeds an output.
    fixed : bool array of O x I, or None
        The windows of one size with which those of an adaptive layer are compared: the stride is I div O, and the kernel is
        the one that reaches the end, I - (O - 1) * stride. None for other layers, and if there are more outputs than cells.
    """

    name: str
    feeds: Tensor
    fixed: Tensor | None

    @property
    def stride(self) -> int:
        """The stride of the fixed windows."""
        return self.feeds.shape[1] // self.feeds.shape[0]

    @property
    def kernel(self) -> int:
        """The size of the fixed windows."""
        outputs, cells = self.feeds.shape
        return cells - (outputs - 1) * self.stride

    @property
    def differs(self) -> Tensor:
        """The outputs whose window is not the fixed one."""
        return np.flatnonzero((self.feeds != self.fixed).any(1)) if self.fixed is not None else np.empty(0, np.int64)

    def cells(self, output: int) -> Tensor:
        """The cells that feed an output: what forward reads."""
        return np.flatnonzero(self.feeds[output])

    def outputs(self, cell: int) -> Tensor:
        """The outputs that a cell feeds: what backward gathers from."""
        return np.flatnonzero(self.feeds[:, cell])


@dataclass(frozen=True, eq=False)
class Windows:
    """The result of `windows`. ``str`` of the result is a table for reading, ``draw`` a picture.

    Attributes
    ----------
    layer : str
        The layer, as it prints, or the kind of layer.
    axes : tuple of Axis
        One for each axis; a window is the product of one window along each.
    """

    layer: str
    axes: tuple[Axis, ...]

    def __str__(self) -> str:
        return text.of(self)

    def figure(self) -> Any:
        """A matplotlib Figure: a row of panels for each axis, outputs downwards, cells from left to right."""
        return drawing.of(self)

    def draw(self, path: str | Path) -> None:
        """Write the figure to a .png, .svg or .pdf file."""
        plot.save(self.figure(), path)


# Layers whose windows slide, by kind: the class, and what it takes before kW, kH, dW, dH, padW, padH.
SLIDING: dict[str, tuple[Any, ...]] = {
    "average": ("SpatialAveragePooling",),
    "gated": ("SpatialGatedPooling",),
    "gaussian": ("SpatialGaussianPooling", 1),
    "lip": ("SpatialLocalImportancePooling",),
    "lp": ("SpatialLPPooling", 1, 2),
    "max": ("SpatialMaxPooling",),
    "mixed": ("SpatialMixedPooling",),
    "power": ("SpatialPowerAveragePooling", 2),
    "soft": ("SpatialSoftPool",),
    "stochastic": ("SpatialStochasticPooling",),
    "subsampling": ("SpatialSubSampling", 1),
}
LACKING = {"lp": ("pad",), "subsampling": ("pad", "ceil")}  # arguments that such layers lack
NAMES = {1: ("",), 2: ("height", "width"), 3: ("time", "height", "width")}
HEIGHT = 4  # largest height of the input of a layer whose windows are shown for one axis; each layer needs at most that
KINDS = ("adaptive", "global", "fractional", *SLIDING)


def windows(
    layer: Module | str,
    size: Size,
    output: Size | None = None,
    *,
    kernel: Size | None = None,
    stride: Size | None = None,
    pad: Size = 0,
    dilation: Size = 1,
    ceil: bool = False,
) -> Windows:
    """Returns the input cells that feed each output cell of a pooling layer, along each axis.

    The function knows no formula for windows. It puts a NaN into one cell after the other, and the outputs that become NaN
    are those that read the cell. The windows of an adaptive layer are compared with windows of one size that give as many
    outputs and reach the end of the input.

    Parameters
    ----------
    layer : Module or str
        A pooling layer, also one of your own; or its kind: "adaptive", "global" and "fractional", or of those that slide
        "average", "gated", "gaussian", "lip", "lp", "max", "mixed", "power", "soft", "stochastic" and "subsampling", which
        the other arguments then describe. Layers whose outputs see everything (dynamic k-max) or that undo pooling
        have no windows to show.
    size : int or tuple of int
        Size of the input along each axis, in the order of its shape: (33, 54) is 33 high and 54 wide. A single number
        stands for all axes of a layer, and for the only axis of a kind.
    output : int or tuple of int
        Size of the output, for "adaptive" and "fractional".
    kernel, stride, pad, dilation : int or tuple of int
        The window, for kinds that slide; "fractional" has a kernel only, and "max" alone a dilation. The stride is that
        of the kernel unless given.
    ceil : bool
        Whether a last window may reach past the edge.

    Returns
    -------
    Windows

    Raises
    ------
    THNNError
        If the layer objects to the sizes, or arguments do not belong to the kind.

    Examples
    --------
    >>> axis = windows("adaptive", 5, 3).axes[0]
    >>> axis.cells(1).tolist(), axis.outputs(1).tolist()
    ([1, 2, 3], [0, 1])
    >>> print(windows(nn.SpatialMaxPooling(3, 2, 2, 2, 1, 0), (4, 5)))
    nn.SpatialMaxPooling(3x2, 2,2, 1,0): 4x5 cells to 2x3
    <BLANKLINE>
    height: 4 cells to 2
    output  cells  0123
         0  0-1    ##..
         1  2-3    ..##
    <BLANKLINE>
    width: 5 cells to 3
    output  cells  01234
         0  0-1    ##...
         1  1-3    .###.
         2  3-4    ...##
    cells in several windows: 1 (in 0-1), 3 (in 1-2)
    """
    given = {"output": output, "kernel": kernel, "stride": stride, "pad": pad, "dilation": dilation}
    if isinstance(layer, str):
        axes = len(size) if isinstance(size, tuple) else 1
        if axes not in NAMES:
            raise ShapeError(f"explain: size: expected 1 to 3 axes, got {axes}")
        numbers = [_numbers(name, value, axes) for name, value in given.items()]
        layers = [_layer(layer, o, k, d, p, dilated, ceil) for o, k, d, p, dilated in zip(*numbers, strict=True)]
        sizes = _numbers("size", size, axes)
        found = [_axis(name, each, (HEIGHT, cells), 1) for name, each, cells in zip(NAMES[axes], layers, sizes, strict=True)]
        return Windows(layer, tuple(found))
    axes = count_axes(layer)
    if ceil or list(given.values()) != [None, None, None, 0, 1]:
        raise ValueRangeError(f"explain: {', '.join(given)}, ceil: a layer has its own, they are for kinds")
    sizes = _numbers("size", size, axes)
    found = [_axis(name, layer, sizes, i) for i, name in enumerate(NAMES[axes])]
    return Windows(str(layer), tuple(found))


def _numbers(name: str, value: Any, axes: int) -> tuple[Any, ...]:
    """One number for each axis, or None for each."""
    values = value if isinstance(value, tuple) else (value,) * axes
    if len(values) != axes:
        raise ShapeError(f"explain: {name}: expected a number for each of {axes} axes, got {len(values)}")
    try:
        return tuple(None if number is None else index(number) for number in values)
    except TypeError:
        raise DtypeError(f"explain: {name}: expected an integer for each axis, got {value!r}") from None


def _layer(kind: str, output: Any, kernel: Any, stride: Any, pad: Any, dilation: Any, ceil: bool) -> Module:
    """A layer of that kind along the width, which leaves the height alone."""
    if kind not in KINDS:
        raise ValueRangeError(f"explain: layer: expected a layer or one of {', '.join(KINDS)}, got {kind!r}")
    slides = kind in SLIDING
    needs = {"output": kind in ("adaptive", "fractional"), "kernel": slides or kind == "fractional"}
    for name, value in (("output", output), ("kernel", kernel)):
        if needs[name] != (value is not None):
            raise ValueRangeError(f"explain: {name}: a layer of kind {kind!r} {'needs one' if needs[name] else 'has none'}")
    lacking = LACKING.get(kind, ()) if slides else ("stride", "pad", "ceil")
    given = {"dilation": dilation != 1 and kind != "max", "stride": stride is not None, "pad": pad != 0, "ceil": ceil}
    if unfit := [name for name, isGiven in given.items() if isGiven and name in ("dilation", *lacking)]:
        raise ValueRangeError(f"explain: {', '.join(unfit)}: a layer of kind {kind!r} has none")
    if kind == "adaptive":
        return nn.SpatialAdaptiveAveragePooling(output, 1)
    if kind == "global":
        return nn.SpatialGlobalAveragePooling()
    if kind == "fractional":
        return _made("SpatialFractionalMaxPooling", kernel, 2, output, 1)
    window = (kernel, 1, kernel if stride is None else stride, 1, *(() if "pad" in lacking else (pad, 0)))
    if dilation != 1:
        layer = _made("SpatialDilatedMaxPooling", *window, dilation, 1)
    else:
        layer = _made(*SLIDING[kind], *window)
    return layer.ceil() if ceil else layer


def _made(name: str, *arguments: Any) -> Any:
    return getattr(nn, name)(*arguments)


def _axis(name: str, layer: Module, size: tuple[int, ...], axis: int) -> Axis:
    found = Axis(name, feeds(layer, size, axis), None)
    if not isinstance(layer, AdaptivePooling) or found.stride == 0:
        return found
    fixed = nn.SpatialMaxPooling(found.kernel, 1, found.stride, 1)
    return replace(found, fixed=feeds(fixed, (1, size[axis]), 1))
