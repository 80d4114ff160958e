"""Sums along a dimension."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class Sum(Module):
    """Adds up the elements along one dimension of size n, counted from 0: Lua's ``nn.Sum(2)`` is ``nn.Sum(1)``::

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
    A vector becomes an array of one element. The mean of no elements is NaN, without a warning. Source: Torch7 nn.Sum.

    Examples
    --------
    >>> x = np.float32([[1, 2, 3], [10, 20, 30]])
    >>> nn.Sum(1).forward(x)  # nn.Sum(2) in Lua
    array([ 6., 60.], dtype=float32)
    >>> nn.Sum(0, nInputDims=1).forward(x)  # dimension 0 of each sample: the batch does not count
    array([ 6., 60.], dtype=float32)
    """

    _file = Form(
        oneBased=("dimension",),
        defaults={"dimension": 0, "nInputDims": None, "sizeAverage": False, "squeeze": True},
    )
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
        output = self._resize("output", shape, mustNotOverlap=input)
        output.fill(0)
        total = blocks.addUp(output.reshape(kept), input)
        if self.sizeAverage:
            with np.errstate(invalid="ignore"):
                np.divide(total, input.shape[axis], out=total)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        axis, kept, shape = self._layout(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", input.shape)
        shares = gradOutput.reshape(kept)
        with np.errstate(divide="ignore", invalid="ignore"):
            return blocks.copy(gradInput, shares / input.shape[axis] if self.sizeAverage else shares)

    def _layout(self, input: Tensor) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """The dimension to sum over, and the shapes of the sum with and without it."""
        shape = check.tensor(self, "input", input).shape
        axis = check.axis(self, self.dimension, len(shape), batch=check.batched(len(shape), self.nInputDims))
        kept = (*shape[:axis], 1, *shape[axis + 1 :])
        return axis, kept, shape[:axis] + shape[axis + 1 :] or kept if self.squeeze else kept
