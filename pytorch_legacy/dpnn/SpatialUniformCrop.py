"""Random crops."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described, sizes
from pytorch_legacy.nnx.SpatialReSampling import SpatialReSampling


class SpatialUniformCrop(Module):
    """Crops each picture at a random place while training, in the middle in evaluation::

        output[n]                                    = input[n, :, h : h + oheight, w : w + owidth]
        gradInput[n, :, h : h + oheight, w : w + owidth] = gradOutput[n], 0 elsewhere

    With a `scale`, each crop is s times as high and wide, s uniform in the range, and is resampled to oheight x owidth.

    Parameters
    ----------
    oheight, owidth : int
        Size of the output; a square if `owidth` is not given.
    scale : pair of float or {"min": ..., "max": ...}, optional
        The range of s.

    Attributes
    ----------
    coord : array of N x 2, int32
        Positions at which the last crops began, h and w, counted from 0.
    scales : array of N, float32
        The s of the last crops, if there is a `scale`.

    Raises
    ------
    ShapeError
        If the input is not 3-D or 4-D, or smaller than a crop.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oheight x owidth``. As in Torch7, the last row and column of the input are in no
    random crop unless nothing else fits, and the middle of a frame of odd width lies half a cell to the upper left of the
    true one. Unlike Torch7's, the layer runs backward in evaluation with the crops made there, takes inputs that are no
    larger than the crop, and with a `scale` takes pictures that are not square. Source: Element-Research dpnn
    ``SpatialUniformCrop``.

    Examples
    --------
    >>> layer, x = dpnn.SpatialUniformCrop(2), np.arange(36, dtype=np.float32).reshape(1, 6, 6)
    >>> _ = pl.manualSeed(1)
    >>> layer.forward(x).tolist(), layer.coord.tolist()
    ([[[9.0, 10.0], [15.0, 16.0]]], [[1, 3]])
    >>> layer.evaluate().forward(x).tolist()  # the middle
    [[[7.0, 8.0], [13.0, 14.0]]]
    """

    coord: Tensor
    _file = Form(oneBasedTensors={"coord": (np.int32, np.int32)}, defaults={"owidth": None, "scale": None})
    scales: Tensor
    scale: Any = None
    scaler: SpatialReSampling

    def __init__(
        self, oheight: int, owidth: int | None = None, scale: Sequence[float] | Mapping[str, float] | None = None
    ) -> None:
        super().__init__()
        self.oheight = check.count(self, "oheight", oheight)
        self.owidth = check.count(self, "owidth", oheight if owidth is None else owidth)
        if scale is not None:
            self.scale = dict(scale) if isinstance(scale, Mapping) else list(scale)
            low, high = self._range()
            if not 0 < low <= high:
                raise ValueRangeError(f"{self._typename}: scale: expected 0 < min <= max, got {low} and {high}")
            self.scaler = SpatialReSampling(owidth=self.owidth, oheight=self.oheight)

    def updateOutput(self, input: Tensor) -> Tensor:
        pictures = self._pictures(input)
        output = self._resize("output", (*input.shape[:-2], self.oheight, self.owidth))
        self._draw(pictures)
        crops = output.reshape(len(pictures), *output.shape[-3:])
        for crop, picture, window in zip(crops, pictures, self._windows(), strict=True):
            crop[...] = self.scaler.updateOutput(picture[window]) if self._scaled() else picture[window]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        pictures = self._pictures(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self.output.shape)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        gradInput.fill(0)
        gradients = gradOutput.reshape(len(pictures), *gradOutput.shape[-3:])
        targets = gradInput.reshape(pictures.shape)
        for gradient, target, picture, window in zip(gradients, targets, pictures, self._windows(), strict=True):
            part = self.scaler.updateGradInput(picture[window], gradient) if self._scaled() else gradient
            target[window] = part
        return gradInput

    def clearState(self) -> Self:
        for name in ("coord", "scales"):
            self.__dict__.pop(name, None)
        if self.scale is not None:
            self.scaler.clearState()
        return super().clearState()

    def _draw(self, pictures: Tensor) -> None:
        """Chooses the crops. The order of the draws is Torch7's: for each picture s, if there is one, h and w."""
        count, _, height, width = pictures.shape
        self.coord = np.empty((count, 2), np.int32)
        if not self.train:
            self._fit(height, width, self.oheight, self.owidth)
            self.coord[:] = [max(ceil((height - self.oheight) / 2), 1) - 1, max(ceil((width - self.owidth) / 2), 1) - 1]
            return
        draws = random.uniform(0, 1, (count, 2 + self._scaled()), np.float64)
        shape = np.full((count, 2), (self.oheight, self.owidth), np.float64)
        if self._scaled():
            low, high = self._range()
            self.scales = (draws[:, 0] * (high - low) + low).astype(self._dtype)
            shape = np.ceil(self.scales[:, None] * shape)
        if count:
            self._fit(height, width, *map(int, shape.max(0)))
        first = 1e-2  # so that no draw is rounded up to 0, counted from 1
        self.coord[:] = np.maximum(np.ceil(draws[:, -2:] * ((height, width) - shape - first) + first), 1) - 1

    def _fit(self, height: int, width: int, rows: int, columns: int) -> None:
        if rows > height or columns > width:
            raise ShapeError(
                f"{self._typename}: input: expected planes of at least {sizes((rows, columns))}, got {sizes((height, width))}"
            )

    def _windows(self) -> list[tuple[Any, ...]]:
        shape = np.full((len(self.coord), 2), (self.oheight, self.owidth))
        if self._scaled():
            shape = np.ceil(self.scales[:, None] * shape.astype(np.float64)).astype(np.int64)
        corners = np.concatenate([self.coord, self.coord + shape], 1)
        return [(slice(None), slice(top, bottom), slice(left, right)) for top, left, bottom, right in corners.tolist()]

    def _scaled(self) -> bool:
        return self.train and self.scale is not None

    def _range(self) -> tuple[float, float]:
        if isinstance(self.scale, dict):
            low, high = (self.scale.get(name, self.scale.get(place)) for place, name in ((1, "min"), (2, "max")))
        else:
            low, high = self.scale if len(self.scale) == 2 else (None, None)
        if low is None or high is None:
            got = described(self.scale)
            raise ValueRangeError(f'{self._typename}: scale: expected "min" and "max" or two numbers, got {got}')
        return low, high

    def _pictures(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input, 3, 4)
        return input if input.ndim == 4 else input[None]
