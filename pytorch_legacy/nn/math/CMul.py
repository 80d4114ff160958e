"""A learned factor for each element."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.math.broadcasting import aligned, gathered
from pytorch_legacy.nn.Module import Module


class CMul(Module):
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

    _file = Form(properties=("size",), kinds={"size": "sizes"})

    def __init__(self, *sizes: Any) -> None:
        super().__init__()
        shape = check.integers(self, "sizes", sizes[0] if len(sizes) == 1 else sizes)
        self._newParameters(weight=tuple(check.count(self, "sizes", size) for size in shape))
        self.reset()

    @property
    def size(self) -> tuple[int, ...] | None:
        """The sizes of the weight."""
        return None if self.weight is None else tuple(self.weight.shape)

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new weight, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.weight.size) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        weight = aligned(self, check.tensor(self, "weight", self.weight), check.tensor(self, "input", input).shape)
        return blocks.apply(np.multiply, input, weight, out=self._resize("output", input.shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        weight = aligned(self, check.tensor(self, "weight", self.weight), check.tensor(self, "input", input).shape)
        check.like(self, "gradOutput", gradOutput, input)
        if self.gradInput is None:
            return None
        return blocks.apply(np.multiply, gradOutput, weight, out=self._resize("gradInput", input.shape))

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        weight = aligned(self, check.tensor(self, "weight", self.weight), input.shape)
        self.gradWeight += scale * gathered(weight, input, gradOutput).reshape(self.gradWeight.shape)
