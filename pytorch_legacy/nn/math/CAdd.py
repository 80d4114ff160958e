"""A learned term for each element."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.math.LearnedArray import LearnedArray
from pytorch_legacy.objects import ArrayField


class CAdd(LearnedArray):
    """Adds a learned array to its input, or to each sample of a batch::

        output    = input + bias
        gradInput = gradOutput
        gradBias += scale * gradOutput, summed over where the bias was repeated

    Parameters
    ----------
    sizes : int
        The sizes of the bias, one by one or as a tuple. If they are as many as the input has, those of 1 are repeated
        as often as needed; otherwise they are those of one sample.

    Attributes
    ----------
    bias, gradBias : arrays of these sizes

    Notes
    -----
    The bias starts uniform in [-s, s) with s = 1 / sqrt(number of its elements). Source: Torch7 nn.CAdd.

    Examples
    --------
    >>> layer = nn.CAdd(1, 3)
    >>> layer.bias[...] = [10, 20, 30]
    >>> layer.forward(np.float32([[1, 2, 3], [4, 5, 6]]))
    array([[11., 22., 33.],
           [14., 25., 36.]], dtype=float32)
    """

    bias: Tensor
    gradBias: Tensor

    _parameter = "bias"
    _arrayFields = (ArrayField("bias"),)

    def updateOutput(self, input: Tensor) -> Tensor:
        bias = self._alignedWith(input)
        return blocks.apply(np.add, input, bias, out=self._resize("output", input.shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        if self.gradInput is None:
            return None
        return blocks.copy(self._resize("gradInput", input.shape), gradOutput)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        self.gradBias += self._gradient(input, scale, gradOutput)
