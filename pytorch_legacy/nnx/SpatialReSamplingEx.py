"""Planes of another size, in three ways."""

from math import floor
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Native import Caller
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.nnx.planes import blocks, side, stretch, stretchBackward

MODES = ("simple", "average", "bilinear")


class SpatialReSamplingEx(Caller, Module):
    """Gives planes another size; dimensions count from 0 (Lua's 2 is 1).

    ==============  ==============================================================================================
    ``"simple"``    larger: a cell becomes a block of ``ceil(oheight / H)`` x ``ceil(owidth / W)``;
                    smaller: one cell of each ``floor(H / oheight)`` x ``floor(W / owidth)`` is taken, the first
    ``"average"``   larger: as simple; smaller: the mean of these blocks
    ``"bilinear"``  straight lines between the cells, as in SpatialReSampling
    ==============  ==============================================================================================

    Parameters
    ----------
    rwidth, rheight : float, optional
        Scale factors of width and height; the output's size is rounded to whole cells.
    owidth, oheight : int, optional
        Its size, which counts if given.
    mode : {"simple", "average", "bilinear"}
    yDim, xDim : int
        The dimensions of the input that are rows and columns; xDim is ``yDim + 1``.

    Raises
    ------
    IndexRangeError, ShapeError, ValueRangeError
        If the input lacks these dimensions or would have to become larger along one and smaller along the other, or an
        argument is none of those above.

    Notes
    -----
    Shapes: ``... x H x W x ...`` to ``... x oheight x owidth x ...``. Torch7 computed the places of the bilinear mode in single
    precision. Source: nnx ``SpatialReSamplingEx``; C: ``THNN/sampling/UpSamplingLinear.c``.

    Examples
    --------
    >>> x = np.float32([[[0, 4, 8, 0], [0, 0, 8, 0]]])
    >>> nnx.SpatialReSamplingEx(owidth=2, oheight=1).forward(x)  # one cell of each block
    array([[[0., 8.]]], dtype=float32)
    >>> nnx.SpatialReSamplingEx(owidth=2, oheight=1, mode="average").forward(x)
    array([[[1., 4.]]], dtype=float32)
    >>> nnx.SpatialReSamplingEx(rwidth=0.5, rheight=0.5).forward(x).shape
    (1, 1, 2)
    """

    _file = Form(
        oneBased=("yDim", "xDim"),
        dropped=("inputSize", "outputSize", "iheight", "iwidth", "oheightCurrent", "owidthCurrent"),
        defaults={"rwidth": None, "rheight": None, "owidth": None, "oheight": None, "mode": "simple", "yDim": 1, "xDim": 2},
    )
    _lua = Lua(isNamed=True)
    rwidth: float | None = None
    rheight: float | None = None
    owidth: int | None = None
    oheight: int | None = None

    def __init__(
        self,
        rwidth: float | None = None,
        rheight: float | None = None,
        owidth: int | None = None,
        oheight: int | None = None,
        mode: str = "simple",
        yDim: int = 1,
        xDim: int = 2,
    ) -> None:
        super().__init__()
        self.rwidth, self.rheight = rwidth, rheight
        self.owidth, self.oheight = owidth, oheight
        if mode not in MODES:
            raise ValueRangeError(f"{self._typename}: mode: expected one of {', '.join(MODES)}, got {mode!r}")
        if xDim != yDim + 1:
            raise ValueRangeError(f"{self._typename}: xDim: expected yDim + 1, got {xDim} and yDim = {yDim}")
        self.mode, self.mode_c = mode, MODES.index(mode)
        self.yDim, self.xDim = yDim, xDim
        side(self, "width", 1)
        side(self, "height", 1)

    def updateOutput(self, input: Tensor) -> Tensor:
        axis, height, width = self._target(input)
        shape = (*input.shape[:axis], height, width, *input.shape[axis + 2 :])
        output = self._resize("output", shape)
        planes, found = self._planes(input), np.moveaxis(output, (axis, axis + 1), (-2, -1))
        found[...] = self._resampled(planes, height, width).reshape(found.shape)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        axis, height, width = self._target(input)
        shape = (*input.shape[:axis], height, width, *input.shape[axis + 2 :])
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", input.shape)
        found = np.moveaxis(gradInput, (axis, axis + 1), (-2, -1))
        planes = np.zeros((found[..., 0, 0].size, *found.shape[-2:]), self._dtype, like=gradInput)
        self._resampledBackward(self._planes(gradOutput), planes)
        found[...] = planes.reshape(found.shape)
        return gradInput

    def _resampled(self, planes: Tensor, height: int, width: int) -> Tensor:
        if self.mode == "bilinear":
            result = np.empty((len(planes), height, width), self._dtype, like=planes)
            stretch(self, planes, result)
            return result
        if height >= planes.shape[1]:
            rows, columns = _sources(planes.shape[1], height), _sources(planes.shape[2], width)
            return planes[:, rows[:, None], columns]
        parts = self._parts(planes, height, width)
        return parts[:, :, 0, :, 0] if self.mode == "simple" else compute.mean(parts, (2, 4))

    def _resampledBackward(self, gradients: Tensor, planes: Tensor) -> None:
        """Adds the gradient of `_resampled` to planes of zeros."""
        height, width = gradients.shape[1:]
        if self.mode == "bilinear":
            stretchBackward(self, gradients, planes)
        elif height >= planes.shape[1]:
            rows, columns = _sources(planes.shape[1], height), _sources(planes.shape[2], width)
            places: Any = slice(None), rows[:, None], columns
            np.add.at(planes, places, gradients)
        else:
            parts = self._parts(planes, height, width)
            if self.mode == "simple":
                parts[:, :, 0, :, 0] = gradients
            else:
                parts[...] = (gradients / self._dtype.type(parts.shape[2] * parts.shape[4]))[:, :, None, :, None]

    @staticmethod
    def _parts(planes: Tensor, height: int, width: int) -> Tensor:
        """A view ``K x height x ? x width x ?``: the block of cells for each cell of the output."""
        return blocks(planes, planes.shape[1] // height, planes.shape[2] // width)[:, :height, :, :width]

    def _planes(self, array: Tensor) -> Tensor:
        """An array with the planes, one after the other."""
        moved = np.moveaxis(array, (self.yDim, self.xDim), (-2, -1))
        return np.ascontiguousarray(moved, like=moved).reshape(moved[..., 0, 0].size, *moved.shape[-2:])

    def _target(self, input: Tensor) -> tuple[int, int, int]:
        """The dimension of the rows, and the height and width of the output."""
        shape = check.tensor(self, "input", input).shape
        axis = check.axis(self, self.yDim, len(shape), "yDim")
        check.axis(self, self.xDim, len(shape), "xDim")
        if self.xDim != self.yDim + 1:
            raise ValueRangeError(f"{self._typename}: xDim: expected yDim + 1, got {self.xDim} and yDim = {self.yDim}")
        height, width = (floor(side(self, name, shape[axis + i]) + 0.5) for i, name in enumerate(("height", "width")))
        if (height >= shape[axis]) != (width >= shape[axis + 1]):
            raise ShapeError(
                f"{self._typename}: input: expected planes that become larger or smaller along both axes, "
                f"got {sizes(shape[axis : axis + 2])}, which become {sizes((height, width))}"
            )
        if 0 in (height, width, *shape[axis : axis + 2]):
            raise ShapeError(f"{self._typename}: input: expected planes of which something is left, got {sizes(shape)}")
        return axis, height, width


def _sources(before: int, after: int) -> Tensor:
    """For each place of a longer axis, the cell that it shows."""
    return np.arange(after) // -(-after // before)
