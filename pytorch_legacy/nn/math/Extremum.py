"""The base class of Max and Min."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes


class Extremum(Module):
    """Takes one element along a dimension and drops the dimension; a layer says which with `_find`.

    ``_indices`` holds where the elements were; their dimension has size 1 there.
    """

    _file = Form(oneBased=("dimension",), dropped=("_indices",), defaults={"dimension": 0, "nInputDims": None})
    _lua = Lua(fields={"_indices": "indices"})

    nInputDims: int | None = None
    _indices = np.empty(0, np.intp)
    # Finds the indices of the elements along an axis; ties go to the first one, and a NaN beats everything.
    _find: Any
    _reduce: Any  # finds the elements themselves

    def __init__(self, dimension: int = 0, nInputDims: int | None = None) -> None:
        super().__init__()
        self.dimension = dimension
        self.nInputDims = nInputDims

    def updateOutput(self, input: Tensor) -> Tensor:
        axis, shape = self._layout(input)
        self._resize("_indices", shape, np.intp)[...] = type(self)._find(input, axis=axis, keepdims=True)
        output = self._resize("output", shape[:axis] + shape[axis + 1 :] or shape)
        output.reshape(shape)[...] = type(self)._reduce(input, axis=axis, keepdims=True)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        axis, shape = self._layout(input)
        check.tensor(self, "gradOutput", gradOutput)
        check.shape(self, "gradOutput", gradOutput, shape[:axis] + shape[axis + 1 :] or shape)
        check.shape(self, "indices of the last forward", self._indices, shape)
        check.below(self, "indices of the last forward", self._indices, input.shape[axis])
        gradInput: Tensor = self._zeros("gradInput", input, mustNotOverlap=gradOutput)
        np.put_along_axis(gradInput, self._indices, gradOutput.reshape(shape), axis)
        return gradInput

    def clearState(self) -> Self:
        clear(self, "_indices")
        super().clearState()
        return self

    def _layout(self, input: Tensor) -> tuple[int, tuple[int, ...]]:
        """The dimension to reduce, and the shape of the input with size 1 there."""
        shape = check.tensor(self, "input", input).shape
        axis = check.axis(self, self.dimension, len(shape), batch=check.batched(len(shape), self.nInputDims))
        if shape[axis] == 0:
            raise ShapeError(f"{self._typename}: input: expected elements along dimension {axis}, got {sizes(shape)}")
        return axis, (*shape[:axis], 1, *shape[axis + 1 :])
