"""Maxima of grids laid over boxes."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor, to_device
from pytorch_legacy.errors import IndexRangeError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear

_FARTHEST = 2.0**31


class ROIPooling(Module):
    """Lays a grid of H x W bins over each box and takes the maximum of each bin.

    Takes a list of two: planes, and boxes, rows of five numbers: the sample that the box is in, and its left, upper, right and
    lower edge. These are multiplied by spatial_scale and rounded; the box is at least one cell wide and high. An empty bin is 0.
    The gradient goes to the cells that the maxima came from; of equal cells the first one in row-major order wins.

    Parameters
    ----------
    W, H : int
        Width and height of the grid.
    spatial_scale : float
        Cells of the planes per unit of the boxes.

    Attributes
    ----------
    v2 : bool
        How bins share cells. True, as built: the right and lower edges do not belong to the box, and the edges of the bins
        are rounded, so no two bins share a cell. False, as in files of the first years, and in Fast R-CNN: the edges belong
        to the box, and each bin takes in all cells that it touches.
    indices : array of R x C x H x W, int64
        Position of each maximum within its plane, row * width + column; -1 for an empty bin.

    Raises
    ------
    ShapeError
        If the planes are not ``N x C x H x W`` or the boxes not ``R x 5``.
    IndexRangeError
        If a box is in a sample that is not there.
    ValueRangeError
        If an edge is NaN, or farther away than 2^31 cells.

    Notes
    -----
    Shapes: a list of ``N x C x h x w`` and ``R x 5`` to ``R x C x H x W``. ``gradInput`` is a list of the planes' gradient and of
    zeros for the boxes. Samples and edges count from 0; in Torch7 from 1.
    Source: imagine-nn ``ROIPooling``, which ran on GPUs only; Girshick 2015.

    Examples
    --------
    >>> planes = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> boxes = np.float32([[0, 0, 0, 4, 4], [0, 1, 1, 3, 3]])  # sample, left, top, right, bottom; from 1 in Lua
    >>> inn.ROIPooling(2, 2).forward([planes, boxes]).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]], [[[5.0, 6.0], [9.0, 10.0]]]]
    """

    v2 = False  # the field is younger than some files
    spatial_scale = 1.0
    indices: Tensor

    _file = Form(defaults={"spatial_scale": 1}, kinds={"H": "a whole number", "W": "a whole number", "indices": "a tensor"})
    _lua = Lua(inputs=(None, "indices"))

    def __init__(self, W: int, H: int, spatial_scale: float = 1) -> None:
        super().__init__()
        self.W, self.H = check.count(self, "W", W), check.count(self, "H", H)
        self.spatial_scale = spatial_scale
        self.v2 = True
        self.gradInput = []
        self.indices = np.empty(0, np.int64)

    def setSpatialScale(self, scale: float) -> Self:
        """Sets the cells per unit of the boxes, and returns self."""
        self.spatial_scale = scale
        return self

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        planes, boxes = self._checked(input)
        channels, height, width = planes.shape[1:]
        shape = len(boxes), channels, self.H, self.W
        output, indices = self._resize("output", shape), self._resize("indices", shape, np.int64)
        corners = to_device(boxes, False)  # the cells are found on the host: on a device this waits
        samples = self._samples(corners, len(planes))
        rows, columns = self._bins(corners, height, width)
        for box, sample in enumerate(samples):
            # First the best cell of each row in each column of bins, then the best of these in each bin.
            best = np.zeros((channels, height, self.W), self._dtype, like=planes)
            place = np.zeros((channels, height, self.W), np.int64, like=planes)
            for bin, (start, end) in enumerate(columns[box]):
                if end > start:
                    cells = planes[sample, :, :, start:end]
                    place[..., bin] = cells.argmax(-1) + start
                    best[..., bin] = cells.max(-1)
            isEmpty = to_device(columns[box][:, 1] <= columns[box][:, 0], self._onDevice)
            for bin, (start, end) in enumerate(rows[box]):
                if end <= start:
                    output[box, :, bin], indices[box, :, bin] = 0, -1
                    continue
                row = best[:, start:end].argmax(1)[:, None]
                output[box, :, bin] = np.take_along_axis(best[:, start:end], row, 1)[:, 0]
                column = np.take_along_axis(place[:, start:end], row, 1)[:, 0]
                indices[box, :, bin] = np.where(isEmpty, -1, (row[:, 0] + start) * width + column)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        planes, boxes = self._checked(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self.indices.shape)
        gradPlanes, gradBoxes = gradInput = self._resizeTable("gradInput", [planes.shape, boxes.shape])
        gradBoxes.fill(0)
        gradPlanes.fill(0)
        count, channels, height, width = planes.shape
        samples = to_device(self._samples(to_device(boxes, False), count), self._onDevice)
        inBatch = (samples[:, None] * channels + np.arange(channels, like=samples))[:, :, None, None] * (
            height * width
        ) + self.indices
        isFull = self.indices >= 0
        np.add.at(gradPlanes.reshape(-1), inBatch[isFull], gradOutput[isFull])
        return gradInput

    def clearState(self) -> Self:
        clear(self, "indices")
        return super().clearState()

    def _checked(self, input: Any) -> tuple[Tensor, Tensor]:
        planes, boxes = check.table(self, "input", input, 2)
        check.tensor(self, "input[0]", planes, 4)
        check.tensor(self, "input[1]", boxes, 2)
        return planes, check.shape(self, "input[1]", boxes, (len(boxes), 5))

    def _samples(self, boxes: Tensor, count: int) -> Tensor:
        samples = boxes[:, 0].astype(np.int64)
        wrong = samples[(samples < 0) | (samples >= count)]
        if wrong.size:
            raise IndexRangeError(f"{self._typename}: input[1]: a box in sample {wrong[0]}, of {count}, which count from 0")
        return samples

    def _bins(self, boxes: Tensor, height: int, width: int) -> tuple[Tensor, Tensor]:
        """Returns the first and last cell of the bins of each box, by rows and by columns."""
        scaled = boxes[:, 1:].astype(np.float64) * self.spatial_scale
        if not (np.abs(scaled) <= _FARTHEST).all():
            raise ValueRangeError(f"{self._typename}: input[1]: a box with an edge that is NaN, or farther than 2^31 cells")
        left, upper, right, lower = (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)).astype(np.int64).T
        return self._along(upper, lower, self.H, height), self._along(left, right, self.W, width)

    def _along(self, first: Tensor, last: Tensor, bins: int, cells: int) -> Tensor:
        """Start and end of each bin in one direction, in whole cells of the plane."""
        length = np.maximum(last - first + (0 if self.v2 else 1), 1)[:, None]
        n = np.arange(bins)
        if self.v2:
            starts, ends = (2 * n * length + bins) // (2 * bins), (2 * (n + 1) * length + bins) // (2 * bins)
        else:
            starts, ends = n * length // bins, -(-(n + 1) * length // bins)
        return np.clip(np.stack([starts, ends], -1) + first[:, None, None], 0, cells)
