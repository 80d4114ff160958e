"""Dimensions of size 1 dropped."""

from typing import Self

from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class Squeeze(Module):
    """Drops dimensions of size 1, all or one, counted from 0: Lua's ``nn.Squeeze(2)`` is ``nn.Squeeze(1)``::

        output    = input.reshape(the sizes that are left)
        gradInput = gradOutput.reshape(input.shape)

    The results are views. At least one dimension is left, and a batch of one stays a batch.

    Parameters
    ----------
    dim : int, optional
        Dimension to drop, if its size is 1. Negative ones count from the end. Without it all go.
    numInputDims : int, optional
        The rank of one sample. An input with one dimension more is a batch, whose first dimension stays and is not
        counted.

    Notes
    -----
    Arrays of every type pass, in their own type. Source: Torch7 nn.Squeeze.

    Examples
    --------
    >>> x = np.zeros((2, 1, 3, 1), np.float32)
    >>> nn.Squeeze().forward(x).shape
    (2, 3)
    >>> nn.Squeeze(1).forward(x).shape  # nn.Squeeze(2) in Lua
    (2, 3, 1)
    """

    _takesAnyType = True
    _file = Form(oneBased=("dim",), defaults={"dim": None, "numInputDims": None}, kinds={"dim": "a whole number"})
    dim: int | None = None
    numInputDims: int | None = None

    def __init__(self, dim: int | None = None, numInputDims: int | None = None) -> None:
        super().__init__()
        self.dim = dim
        self.numInputDims = numInputDims

    @checked
    def setNumInputDims(self, numInputDims: int | None) -> Self:
        """Says how many dimensions a sample has, and returns self."""
        self.numInputDims = numInputDims
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = self._shape(input)
        self.output = input.reshape(shape)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = self._shape(input)
        gradOutput = check.gradient(self, gradOutput, input, shape)
        self.gradInput = gradOutput.reshape(input.shape)
        return self.gradInput

    def _shape(self, input: Tensor) -> tuple[int, ...]:
        shape = check.array(self, "input", input).shape
        batch = check.batched(len(shape), self.numInputDims)
        if self.dim is None:
            left = tuple(size for size in shape if size != 1) or shape[:1]
            return (1, *left) if batch and shape[0] == 1 else left  # a batch of one stays a batch
        axis = check.axis(self, self.dim, len(shape), "dim", batch)
        left = shape[:axis] + shape[axis + 1 :] if shape[axis] == 1 else shape
        return left or shape[:1]
