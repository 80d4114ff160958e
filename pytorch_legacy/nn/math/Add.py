"""A learned vector added to each sample."""

from math import prod, sqrt
from typing import Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.objects import ArrayField


class Add(Module):
    """Adds a learned vector, or one learned number, to its input or to each sample of a batch::

        output    = input + bias
        gradInput = gradOutput
        gradBias += scale * gradOutput, summed over the batch (with `scalar`, over everything)

    Parameters
    ----------
    inputSize : int
        Number of elements of a sample.
    scalar : bool
        Learn one number instead of inputSize.

    Attributes
    ----------
    bias, gradBias : array of inputSize or of 1

    Notes
    -----
    A sample is the bias's own shape; a batch is any array whose samples have as many elements. The bias starts uniform
    in [-s, s) with s = 1 / sqrt(its first size). Source: Torch7 nn.Add.

    Examples
    --------
    >>> layer = nn.Add(3)
    >>> layer.bias[...] = [10, 20, 30]
    >>> layer.forward(np.float32([[1, 2, 3], [4, 5, 6]]))
    array([[11., 22., 33.],
           [14., 25., 36.]], dtype=float32)
    """

    _file = Form(scratch={"_ones": lambda module: np.ones(1, module._dtype)}, defaults={"scalar": False})

    bias: Tensor
    gradBias: Tensor
    _arrayFields = (ArrayField("bias", lambda layer: (1,) if layer.scalar else layer.bias.shape),)
    scalar = False

    def __init__(self, inputSize: int, scalar: bool = False) -> None:
        super().__init__()
        self.scalar = scalar
        size = 1 if scalar else check.count(self, "inputSize", inputSize)
        self._newParameters(bias=size)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new bias, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(len(self.bias)) if stdv is None else stdv * sqrt(3)
        self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        rows = self._rows(input)
        output = self._resize("output", input.shape)
        if input.flags.c_contiguous:
            blocks.apply(np.add, input.reshape(rows), self.bias.reshape(-1), out=output.reshape(rows))
        else:
            output[...] = input
            output.reshape(rows)[...] += self.bias.reshape(-1)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        if self.gradInput is None:
            return None
        return blocks.copy(self._resize("gradInput", input.shape), gradOutput)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        rows = check.gradient(self, gradOutput, check.tensor(self, "input", input)).reshape(self._rows(input))
        sums = blocks.addUp(np.zeros_like(rows, shape=(1, rows.shape[1])), rows)
        self.gradBias += scale * sums.reshape(self.gradBias.shape)

    def _rows(self, input: Tensor) -> tuple[int, int]:
        """The input's sizes as rows, each of which gets the bias."""
        shape = check.tensor(self, "input", input).shape
        if self.scalar:
            return prod(shape), 1
        if shape == self.bias.shape:
            return 1, self.bias.size
        if not shape or prod(shape[1:]) != self.bias.size:
            wanted = sizes(self.bias.shape)
            raise ShapeError(f"{self._typename}: input: expected {wanted} or a batch of that, got {sizes(shape)}")
        return shape[0], self.bias.size
