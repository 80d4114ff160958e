"""Distances to learned points."""

from math import sqrt
from typing import Self

import numpy as np

import pytorch_legacy.nn
from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes
from pytorch_legacy.objects import ArrayField


class Euclidean(Module):
    """The distances between a vector, or each row of a batch, and the columns of the weight.

    .. math:: y_o = \\|x - w_o\\|, \\quad dx = \\sum_o \\frac{x - w_o}{y_o + \\epsilon} dy_o, \\quad
              dw_o = -\\frac{x - w_o}{y_o + \\epsilon} dy_o

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector, and number of columns.

    Attributes
    ----------
    weight, gradWeight : array of inputSize x outputSize
    fastBackward : bool
        For Torch7; here backward computes all differences anew.

    Raises
    ------
    ShapeError
        If the input is not 1-D or 2-D with inputSize columns.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``. The constant, 1e-7, keeps the gradient finite where vector and
    column are equal. The weight starts uniform in [-s, s) with s = 1 / sqrt(inputSize). Source: Torch7 nn.Euclidean.

    Examples
    --------
    >>> layer = nn.Euclidean(2, 3)
    >>> layer.weight[...] = np.transpose([[0, 0], [3, 0], [3, 5]])
    >>> layer.forward(np.float32([3, 4]))
    array([5., 4., 1.], dtype=float32)
    """

    EPS = 1e-7
    weight: Tensor
    gradWeight: Tensor
    _arrayFields = (ArrayField("weight", 2),)

    _names: tuple[str, ...] = ("weight",)  # the names of the parameters
    fastBackward = True
    _heedsOldSeed = True
    _file = Form(scratch={"fastBackward": lambda module: True}, dimensions={"weight": 2})

    def __init__(self, inputSize: int, outputSize: int) -> None:
        super().__init__()
        shape = check.count(self, "inputSize", inputSize), check.count(self, "outputSize", outputSize)
        self._newParameters(**dict.fromkeys(self._names, shape))
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new weight, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(len(self.weight)) if stdv is None else stdv * sqrt(3)
        target = self.weight.T if self._heedsOldSeed and pytorch_legacy.nn.oldSeed else self.weight
        target[...] = random.uniform(-limit, limit, target.shape, self._dtype, self._onDevice)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        weighed = self._weighed(self._differences(input))
        output = self._resize("output", (*input.shape[:-1], self.weight.shape[1]))
        output.reshape(weighed.shape[:2])[...] = compute.vector_norms(weighed, 2)[:, :, 0]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        slopes = self._slopes(self._differences(input), input, gradOutput)
        if self.gradInput is None:
            return None
        gradInput = self._resize("gradInput", input.shape)
        gradInput.reshape(len(slopes), input.shape[-1])[...] = compute.sum(self._weighed(slopes), 1)
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        slopes = self._slopes(self._differences(input), input, gradOutput)
        self.gradWeight -= scale * compute.sum(self._weighed(slopes), 0, dtype=np.float64).T

    def clearState(self) -> Self:
        clear(self, "_input", "_buffer")
        super().clearState()
        return self

    def _weighed(self, differences: Tensor) -> Tensor:
        """The differences in the units of each output."""
        return differences

    def _differences(self, input: Tensor) -> Tensor:
        """x - w for each row, output and input."""
        shape = check.tensor(self, "input", input, 1, 2).shape
        inputs, outputs = self.weight.shape
        if shape[-1] != inputs:
            raise ShapeError(f"{self._typename}: input: expected {inputs} columns, got {sizes(shape)}")
        rows = self._contiguous("_input", input).reshape(shape[0] if len(shape) == 2 else 1, 1, inputs)
        return np.subtract(rows, self.weight.T, out=self._resize("_buffer", (len(rows), outputs, inputs)))

    def _slopes(self, differences: Tensor, input: Tensor, gradOutput: Tensor) -> Tensor:
        """gradOutput times the derivatives of y by the weighed differences, in the place of those."""
        weighed = self._weighed(differences)
        expected = (*input.shape[:-1], self.weight.shape[1])
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), expected)
        np.divide(weighed, compute.vector_norms(weighed, 2) + self._dtype.type(self.EPS), out=weighed)
        return np.multiply(weighed, gradOutput.reshape(*weighed.shape[:2], 1), out=weighed)
