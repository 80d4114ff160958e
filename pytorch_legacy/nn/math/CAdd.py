"""A learned term for each element."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.math.broadcasting import aligned, gathered
from pytorch_legacy.nn.Module import Module


class CAdd(Module):
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

    _file = Form(properties=("size",), kinds={"size": "sizes"})

    def __init__(self, *sizes: Any) -> None:
        super().__init__()
        shape = check.integers(self, "sizes", sizes[0] if len(sizes) == 1 else sizes)
        self._newParameters(bias=tuple(check.count(self, "sizes", size) for size in shape))
        self.reset()

    @property
    def size(self) -> tuple[int, ...] | None:
        """The sizes of the bias."""
        return None if self.bias is None else tuple(self.bias.shape)

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new bias, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.bias.size) if stdv is None else stdv * sqrt(3)
        self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        bias = aligned(self, check.tensor(self, "bias", self.bias), check.tensor(self, "input", input).shape)
        return blocks.apply(np.add, input, bias, out=self._resize("output", input.shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        if self.gradInput is None:
            return None
        return blocks.copy(self._resize("gradInput", input.shape), gradOutput)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        bias = aligned(self, check.tensor(self, "bias", self.bias), input.shape)
        self.gradBias += scale * gathered(bias, gradOutput).reshape(self.gradBias.shape)
