"""A sequence back to front."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class SeqReverseSequence(Module):
    """Reverses an array along one dimension, counted from 0: Lua's ``nn.SeqReverseSequence(2)`` is ``(1)``::

        output    = flip(input, dim)
        gradInput = flip(gradOutput, dim)

    Parameters
    ----------
    dim : int
        Counts from 0; negative ones count from the end.

    Notes
    -----
    Any shape, arrays of integers too; in Torch7 up to three dimensions. Source: Element-Research rnn
    ``SeqReverseSequence``.

    Examples
    --------
    >>> rnn.SeqReverseSequence(0).forward(np.float32([[1, 2], [3, 4], [5, 6]]))  # (1) in Lua
    array([[5., 6.],
           [3., 4.],
           [1., 2.]], dtype=float32)
    """

    _takesAnyType = True
    _file = Form(oneBased=("dim",), dropped=("outputIndices", "gradIndices"), kinds={"dim": "a whole number"})

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def updateOutput(self, input: Tensor) -> Tensor:
        axis = check.axis(self, self.dim, check.array(self, "input", input).ndim, "dim")
        output = self._resize("output", input.shape, input.dtype)
        output[...] = np.flip(input, axis)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.like(self, "gradOutput", gradOutput, input)
        gradInput = self._resize("gradInput", gradOutput.shape, gradOutput.dtype)
        gradInput[...] = np.flip(gradOutput, check.axis(self, self.dim, gradOutput.ndim, "dim"))
        return gradInput
