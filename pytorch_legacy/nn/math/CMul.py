"""A learned factor for each element."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.math.LearnedArray import LearnedArray
from pytorch_legacy.objects import ArrayField


class CMul(LearnedArray):
    """Multiplies its input, or each sample of a batch, by a learned array::

        output      = input * weight
        gradInput   = gradOutput * weight
        gradWeight += scale * gradOutput * input, summed over where the weight was repeated

    Parameters
    ----------
    sizes : int
        The sizes of the weight, one by one or as a tuple. If they are as many as the input has, those of 1 are repeated
        as often as needed; otherwise they are those of one sample.

    Attributes
    ----------
    weight, gradWeight : arrays of these sizes

    Notes
    -----
    The weight starts uniform in [-s, s) with s = 1 / sqrt(number of its elements). Source: Torch7 nn.CMul.

    Examples
    --------
    >>> layer = nn.CMul(2, 1)
    >>> layer.weight[...] = [[10], [-1]]
    >>> layer.forward(np.float32([[1, 2, 3], [4, 5, 6]]))
    array([[10., 20., 30.],
           [-4., -5., -6.]], dtype=float32)
    """

    weight: Tensor
    gradWeight: Tensor

    _parameter = "weight"
    _arrayFields = (ArrayField("weight"),)

    def updateOutput(self, input: Tensor) -> Tensor:
        weight = self._alignedWith(input)
        return blocks.apply(np.multiply, input, weight, out=self._resize("output", input.shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        weight = self._alignedWith(input)
        gradOutput = check.gradient(self, gradOutput, input)
        if self.gradInput is None:
            return None
        return blocks.apply(np.multiply, gradOutput, weight, out=self._resize("gradInput", input.shape))

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        self.gradWeight += self._gradient(input, scale, input, gradOutput)
