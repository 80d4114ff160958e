"""Dimensions of size 1 dropped."""

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Squeeze(Module):
    """Drops dimensions of size 1::

        output    = input.reshape(the sizes that are left)
        gradInput = gradOutput.reshape(input.shape)

    The results are views. At least one dimension is left.

    Parameters
    ----------
    dim : int, optional
        Which dimension to drop, if its size is 1. Negative ones count from the end. Without it all go.
    numInputDims : int, optional
        The rank of one sample. An input with one dimension more is a batch, whose first dimension stays and is not
        counted.

    Notes
    -----
    Arrays of integers pass too. Source: Torch7 nn.Squeeze.
    """

    _oneBased = ("dim",)
    dim: int | None = None
    numInputDims: int | None = None

    def __init__(self, dim: int | None = None, numInputDims: int | None = None) -> None:
        super().__init__()
        self.dim = dim
        self.numInputDims = numInputDims

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = self._shape(input)
        self.output = input.reshape(shape)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = self._shape(input)
        check.like(self, "gradOutput", gradOutput, input.reshape(shape))
        self.gradInput = gradOutput.reshape(input.shape)
        return self.gradInput

    def _shape(self, input: Tensor) -> tuple[int, ...]:
        shape = check.array(self, "input", input).shape
        if self.dim is None:
            batch = check.batched(len(shape), self.numInputDims)
            left = shape[:batch] + tuple(size for size in shape[batch:] if size != 1)
        else:
            axis = check.axis(self, self.dim, len(shape), "dim", check.batched(len(shape), self.numInputDims))
            left = shape[:axis] + shape[axis + 1 :] if shape[axis] == 1 else shape
        return left or shape[:1]
