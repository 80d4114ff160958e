"""The base class of fractional max pooling of planes with two and with three axes."""

from math import floor
from typing import Any, ClassVar, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check, utils
from pytorch_legacy.nn.pooling.Indexed import Indexed


class FractionalMaxPooling(Indexed):
    """Base of layers whose windows have one size and lie at random distances, so that the output has the size you ask for.

    Along an axis of I cells, windows of p cells begin at

    .. math:: s_o = \\lfloor (o + u) \\alpha \\rfloor - \\lfloor u \\alpha \\rfloor, \\qquad \\alpha = \\frac{I - p}{O - 1},

    and the last one at :math:`I - p`. The number u is drawn for each plane and axis.

    Parameters
    ----------
    pool : tuple of int
        Size of a window along each axis of `_axes`, which a subclass names in the order of its arguments.
    out : tuple of float
        Sizes of the output, or ratios of output to input, all below 1.
    """

    _axes: ClassVar[str]
    _layout: ClassVar[str]  # the axes of a plane
    newRandomPool = False  # Torch7's name; it means that the samples stay

    _file = Form(
        lazy=("indices", "randomSamples"),
        defaults={"randomSamples": lambda fields: np.empty(0, fields.dtype)},
    )

    def __init__(self, pool: tuple[int, ...], out: tuple[float, ...]) -> None:
        super().__init__()
        areSizes = all(size >= 1 for size in out)
        if not areSizes and not all(0 < ratio < 1 for ratio in out):
            raise ValueRangeError(f"{self._typename}: output: expected sizes from 1 on, or ratios between 0 and 1, got {out}")
        for axis, size, wanted in zip(self._axes, pool, out, strict=True):
            setattr(self, f"poolSize{axis}", check.count(self, f"poolSize{axis}", size, 2))
            setattr(self, f"out{axis}" if areSizes else f"ratio{axis}", wanted)
        self.randomSamples = np.empty(0, self._dtype)

    def fixPoolingRegions(self, val: bool = True) -> Self:
        """Keeps the samples of the next pass for all passes after it (or draws new ones each time again); returns self.

        Set field ``randomSamples`` to choose them. As in Torch7, a batch of another size draws its own.
        """
        self.newRandomPool = val
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        regions = self._regions(check.tensor(self, "input", input))
        shape = self._size("outputSize", input, *regions)
        output = self._resize("output", shape, mustNotOverlap=input)
        self._resize("indices", shape, np.int64)
        dims = len(self._axes)
        samples = (*(1, *input.shape)[-dims - 2 : -dims], dims)
        if self.newRandomPool and self.randomSamples.size:
            check.tensor(self, "randomSamples", self.randomSamples, 3)
            check.shape(self, "randomSamples", self.randomSamples, (*self.randomSamples.shape[:2], dims))
        if not self.newRandomPool or self.randomSamples.shape != samples:
            drawn = random.uniform(0, 1, samples, self._dtype, self._onDevice)
            most = np.nextafter(self._dtype.type(1), self._dtype.type(0))  # in single precision a draw may be rounded to 1
            self.randomSamples = np.minimum(drawn, most)
        self._call("updateOutput", input, output, *regions)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        regions = self._regions(check.tensor(self, "input", input))
        gradInput = self._resize("gradInput", input.shape)
        self._call("updateGradInput", input, gradOutput, gradInput, *regions)
        return gradInput

    def clearState(self) -> Self:
        utils.clear(self, "randomSamples")
        return super().clearState()

    def _regions(self, input: Tensor) -> tuple[int, ...]:
        """Sizes of the output and of windows, as the C functions take them."""
        plane = dict(zip(self._layout, (0, 0, 0, *input.shape)[-len(self._layout) :], strict=True))  # C counts dimensions
        ratios = {axis: getattr(self, f"ratio{axis}", None) for axis in self._axes}
        out = [getattr(self, f"out{axis}") if ratio is None else floor(plane[axis] * ratio) for axis, ratio in ratios.items()]
        return *out, *self._sizes("poolSize")

    def _sizes(self, name: str) -> tuple[Any, ...]:
        return tuple(getattr(self, name + axis, 0) for axis in self._axes)

    def __repr__(self) -> str:
        return f"{self._typename}({'x'.join(map(str, self._sizes('out')))}, {','.join(map(str, self._sizes('poolSize')))})"
