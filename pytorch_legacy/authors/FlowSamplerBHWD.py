"""Images that are moved along an optical flow."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class FlowSamplerBHWD(Module):
    """Looks at images in places that a flow names by offsets in cells (SPyNet's BilinearSamplerBHWD).

    .. math:: y_{h,w} = x(\\mathrm{clamp}(h + v_{h,w}, 0, H - 1), \\mathrm{clamp}(w + u_{h,w}, 0, W - 1))

    with straight lines between the cells of x. So the cells at the edge continue beyond it.
    Takes a list of two: images, channels last, and for each a flow of pairs (u, v): columns before rows.

    Raises
    ------
    ShapeError
        If the images are not ``(N x) H x W x C`` or the flows not ``(N x) oH x oW x 2``.

    Notes
    -----
    Shapes: a list of ``(N x) H x W x C`` and ``(N x) oH x oW x 2`` to ``(N x) oH x oW x C``. ``gradInput`` is a list of both
    gradients. The gradient of an offset that leads beyond the edge is zero.
    The formula is that of the original's CUDA code. Its gradient of the flow was (H - 1) / 2 and (W - 1) / 2 times as large,
    and not zero beyond the edge. Here it is the gradient.

    In .t7 files it is called nn.BilinearSamplerBHWD, as the layer of stn, whose grid has other units, and has the same fields.
    A file with an nn.ScaleBHWD or an nn.CostVolMulti has this one. If nothing shows which one it is, ``pl.load`` warns and
    takes that of stn; ``pl.register("nn.BilinearSamplerBHWD")(pl.authors.FlowSamplerBHWD)`` before loading chooses this one.
    An object that was made here has a field `offsets`, which is True; Torch7 ignores it.
    Source: SPyNet and Back2Future ``BilinearSamplerBHWD``; Ranjan & Black 2017.

    Examples
    --------
    >>> image = np.float32([1, 2, 4]).reshape(1, 3, 1)
    >>> flow = np.float32([[[0.5, 0], [-9, 0], [0, 0]]])  # half a cell to the right; far to the left; nowhere
    >>> authors.FlowSamplerBHWD().forward([image, flow]).ravel()
    array([1.5, 1. , 4. ], dtype=float32)
    """

    _typename = "nn.BilinearSamplerBHWD"
    _file = Form(kinds={"offsets": "true or false"})
    _companions = ("nn.CostVolMulti", "nn.ScaleBHWD")

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []
        self.offsets = True

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        images, flows = self._checked(input)
        total: Any = 0
        for rows, columns, weights, _ in self._corners(images, flows):
            total = total + _product(weights[..., None], images[self._samples(images), rows, columns])
        output = self._resize("output", (*input[1].shape[:-1], input[0].shape[-1]))
        output[...] = total.reshape(output.shape)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        images, flows = self._checked(input)
        shape = (*input[1].shape[:-1], input[0].shape[-1])
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradients = gradOutput.reshape(*flows.shape[:-1], images.shape[-1])
        gradImages, gradFlows = np.zeros_like(images), np.zeros_like(flows)
        for rows, columns, weights, slopes in self._corners(images, flows):
            place = self._samples(images), rows, columns
            np.add.at(gradImages, place, _product(weights[..., None], gradients))
            gradFlows += _product(slopes, compute.sum(images[place] * gradients, -1, keepdims=True))
        gradInput = self._resizeTable("gradInput", [input[0].shape, input[1].shape], mustNotOverlap=gradOutput)
        for result, gradient in zip(gradInput, (gradImages, gradFlows), strict=True):
            result[...] = gradient.reshape(result.shape)
        return gradInput

    def _corners(self, images: Tensor, flows: Tensor) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
        """Returns for each of the four cells around the places: rows, columns, weights, and their derivatives by u and v."""
        height, width = images.shape[1:3]
        columns, column, isMovedInX = self._cells(flows[..., 0], 2, width)
        rows, row, isMovedInY = self._cells(flows[..., 1], 1, height)
        found = []
        for down in (0, 1):
            for right in (0, 1):
                ofRow, ofColumn = (row if down else 1 - row), (column if right else 1 - column)
                slopes = isMovedInX * (2 * right - 1) * ofRow, isMovedInY * (2 * down - 1) * ofColumn
                place = np.minimum(rows + down, height - 1), np.minimum(columns + right, width - 1)
                found.append((*place, ofRow * ofColumn, np.stack(slopes, -1)))
        return found

    def _cells(self, offsets: Tensor, axis: int, size: int) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the cells before the places along an axis, the distances from these, and where an offset has an effect.

        The last place belongs to the cell before the last one, so that no cell beyond the edge is looked at.
        """
        shape = [1, 1, 1]
        shape[axis] = -1
        places = offsets + np.arange(offsets.shape[axis], dtype=self._dtype, like=offsets).reshape(shape)
        inside = (places >= 0) & (places <= size - 1)
        clamped = compute.clip(places, 0, size - 1)
        cells = np.where(np.isnan(clamped), 0, compute.minimum(np.floor(clamped), max(size - 2, 0))).astype(np.int64)
        return cells, clamped - cells.astype(self._dtype), inside.astype(self._dtype)

    def _samples(self, images: Tensor) -> Tensor:
        return np.arange(len(images), like=images)[:, None, None]

    def _checked(self, input: Any) -> list[Tensor]:
        """Returns images and flows as batches."""
        images, flows = check.tensors(self, "input", input, 2)
        check.tensor(self, "input[0]", images, 3, 4)
        expected = (*images.shape[:-3], *flows.shape[-3:-1], 2)
        check.shape(self, "input[1]", check.tensor(self, "input[1]", flows, images.ndim), expected)
        if 0 in images.shape[-3:-1]:
            raise ShapeError(f"{self._typename}: input[0]: expected images with cells, got {sizes(images.shape)}")
        return [array[None] if array.ndim == 3 else array for array in (images, flows)]

    @classmethod
    def _claims(cls, fields: Any) -> bool:
        return fields.get("offsets") is not False


def _product(factors: Tensor, values: Tensor) -> Tensor:
    """Returns the product, in which a factor of 0 hides NaN and infinity."""
    return factors * np.where(factors == 0, values.dtype.type(0), values)
