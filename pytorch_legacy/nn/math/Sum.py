"""Sums along a dimension."""

from typing import Self

import numpy as np

from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.storage import Tensor

# Rows of so many elements need not be added up in pairs, which NumPy's sum does at a third of einsum's speed.
SHORT = 4096


class Sum(Module):
    """Adds up the elements along one dimension of size n::

        output    = sum(input, axis=dimension)    or that / n
        gradInput = gradOutput for each of them   or that / n

    Parameters
    ----------
    dimension : int
        Negative ones count from the end.
    nInputDims : int, optional
        The rank of one sample. An input with one dimension more is a batch, and `dimension` does not count its first.
    sizeAverage : bool
        Divide by n.
    squeeze : bool
        Drop the dimension; otherwise it keeps size 1.

    Notes
    -----
    A vector becomes an array of one element. Source: Torch7 nn.Sum.
    """

    _oneBased = ("dimension",)
    nInputDims: int | None = None
    sizeAverage = False
    squeeze = True

    def __init__(
        self, dimension: int = 0, nInputDims: int | None = None, sizeAverage: bool = False, squeeze: bool = True
    ) -> None:
        super().__init__()
        self.dimension = dimension
        self.nInputDims = nInputDims
        self.sizeAverage = sizeAverage
        self.squeeze = squeeze

    def updateOutput(self, input: Tensor) -> Tensor:
        axis, kept, shape = self._layout(input)
        output = self._resize("output", shape)
        total = output.reshape(kept)
        dense = self._dense("_input", input)
        if 0 < axis == input.ndim - 1 and input.shape[axis] <= SHORT and not self._onDevice:  # CuPy's has no out
            np.einsum("...i->...", dense, out=total[..., 0])
        elif axis:
            blocks.rows(lambda part, sums: np.sum(part, axis, keepdims=True, out=sums), dense, total)
        else:
            np.sum(dense, 0, keepdims=True, out=total)
        if self.sizeAverage:
            np.divide(total, input.shape[axis], out=total)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        axis, kept, shape = self._layout(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", input.shape)
        shares = gradOutput.reshape(kept)
        return blocks.copy(gradInput, shares / input.shape[axis] if self.sizeAverage else shares)

    def clearState(self) -> Self:
        clear(self, "_input")
        super().clearState()
        return self

    def _layout(self, input: Tensor) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """The dimension to sum over, and the shapes of the sum with and without it."""
        shape = check.tensor(self, "input", input).shape
        axis = check.axis(self, self.dimension, len(shape), batch=check.batched(len(shape), self.nInputDims))
        kept = (*shape[:axis], 1, *shape[axis + 1 :])
        return axis, kept, shape[:axis] + shape[axis + 1 :] or kept if self.squeeze else kept
