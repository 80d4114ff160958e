"""One learned factor."""

from math import sqrt
from typing import Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.math.broadcasting import gathered
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import ArrayField


class Mul(Module):
    """Multiplies its input by one learned number::

        output      = input * weight
        gradInput   = gradOutput * weight
        gradWeight += scale * sum(gradOutput * input)

    Attributes
    ----------
    weight, gradWeight : array of 1

    Notes
    -----
    Any shape. The weight starts uniform in [-1, 1). Source: Torch7 nn.Mul.

    Examples
    --------
    >>> layer, x = nn.Mul(), np.float32([1, 2, 3])
    >>> layer.weight[...] = 10
    >>> layer.forward(x)
    array([10., 20., 30.], dtype=float32)
    >>> layer.zeroGradParameters().backward(x, np.float32([1, 1, 1]))
    array([10., 10., 10.], dtype=float32)
    >>> layer.gradWeight
    array([6.], dtype=float32)
    """

    weight: Tensor
    gradWeight: Tensor
    _arrayFields = (ArrayField("weight", lambda layer: (1,)),)

    _file = Form(dimensions={"weight": 1})

    def __init__(self) -> None:
        super().__init__()
        self._newParameters(weight=1)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new weight, uniform with standard deviation `stdv` if it is given."""
        limit = 1.0 if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, 1, self._dtype, self._onDevice)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input)
        return blocks.apply(np.multiply, input, self.weight[0], out=self._resize("output", input.shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        return blocks.apply(np.multiply, gradOutput, self.weight[0], out=self._resize("gradInput", input.shape))

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        self.gradWeight += scale * gathered(self.weight.reshape((1,) * input.ndim), input, gradOutput).reshape(1)
