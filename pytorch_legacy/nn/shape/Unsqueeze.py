"""A dimension of size 1 put in."""

from typing import Self

import numpy as np

from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.files.stored import counted
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class Unsqueeze(Module):
    """Puts a dimension of size 1 in, at a place counted from 0: Lua's ``nn.Unsqueeze(2)`` is ``nn.Unsqueeze(1)``::

        output    = expand_dims(input, pos)
        gradInput = gradOutput without it

    The results are views.

    Parameters
    ----------
    pos : int
        Position of the new dimension in the output. Negative ones count from the output's end.
    numInputDims : int, optional
        The rank of one sample. `pos` does not count the dimensions before, those of a batch.

    Notes
    -----
    Arrays of every type pass, in their own type. The position is printed as Torch7 prints it, counted from 1. Unlike
    Torch7's, the layer does not take the rank of its first input for that of all samples. Source: Torch7 nn.Unsqueeze.

    Examples
    --------
    >>> nn.Unsqueeze(0).forward(np.float32([1, 2])).shape  # nn.Unsqueeze(1) in Lua
    (1, 2)
    >>> nn.Unsqueeze(1).forward(np.float32([1, 2])).shape
    (2, 1)
    """

    _takesAnyType = True
    _file = Form(oneBased=("pos",), defaults={"numInputDims": None}, kinds={"pos": "a whole number"})
    numInputDims: int | None = None

    def __init__(self, pos: int, numInputDims: int | None = None) -> None:
        super().__init__()
        self.pos = pos
        self.numInputDims = numInputDims

    @checked
    def setNumInputDims(self, numInputDims: int | None) -> Self:
        """Says how many dimensions a sample has: those before are the batch. Returns self."""
        self.numInputDims = numInputDims
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        self.output = np.expand_dims(input, self._axis(input))
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, input, np.expand_dims(input, self._axis(input)).shape)
        self.gradInput = gradOutput.reshape(input.shape)
        return self.gradInput

    def _axis(self, input: Tensor) -> int:
        rank = check.array(self, "input", input).ndim
        return check.axis(self, self.pos, rank + 1, "pos", 0 if self.numInputDims is None else rank - self.numInputDims)

    def __repr__(self) -> str:
        return f"{self._typename}(dim {counted(self.pos, 1)})"
