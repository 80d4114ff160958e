"""The base of borders that repeat cells of the plane itself."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.padding.BorderPadding import SpatialPadding
from pytorch_legacy.nn.utils import sizes


class IndexedPadding(SpatialPadding):
    """Pads planes with their own cells. Each row and each column of the output is a row or a column of the input.

    A subclass overrides `_source`. The gradient of a cell is the sum of the gradients of all its copies.
    """

    _addsSizes = True

    def updateOutput(self, input: Tensor) -> Tensor:
        rows, columns = self._sources(input)
        output = self._resize("output", (*input.shape[:-2], len(rows), len(columns)), mustNotOverlap=input)
        output[...] = input[..., rows[:, None], columns]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        rows, columns = self._sources(input)
        shape = (*input.shape[:-2], len(rows), len(columns))
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._zeros("gradInput", input, mustNotOverlap=gradOutput)
        gradRows = np.zeros((*input.shape[:-1], len(columns)), self._dtype, like=input)
        np.add.at(np.moveaxis(gradRows, -2, 0), rows, np.moveaxis(gradOutput, -2, 0))
        np.add.at(np.moveaxis(gradInput, -1, 0), columns, np.moveaxis(gradRows, -1, 0))
        return gradInput

    def _sources(self, input: Any) -> tuple[Tensor, Tensor]:
        """Returns the row and the column of the input for each row and each column of the output."""
        height, width = check.tensor(self, "input", input, 3, 4).shape[-2:]
        left, right, top, bottom = self._pads
        axes = ((height, top, bottom), (width, left, right))
        if any(max(before, after) > size or size + before + after < 1 for size, before, after in axes):
            raise ShapeError(f"{self._typename}: input: too small for the border: {sizes(input.shape)}")
        rows, columns = (self._source(np.arange(-before, size + after), size) for size, before, after in axes)
        return rows, columns

    def _source(self, places: Tensor, size: int) -> Tensor:
        """Returns the indices of the cells that are copied to `places`, along an axis of `size` cells."""
        raise NotImplementedError
