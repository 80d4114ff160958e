"""Cosines of angles to learned vectors."""

from math import sqrt
from typing import Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.linear.batch import summed
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes
from pytorch_legacy.objects import ArrayField


class Cosine(Module):
    """The cosines of the angles between a vector, or each row of a batch, and the rows of the weight.

    .. math:: y_o = \\frac{x \\cdot w_o}{\\|x\\| \\|w_o\\|}, \\quad
              dx = \\sum_o \\Big(\\frac{w_o}{\\|x\\| \\|w_o\\|} - \\frac{y_o x}{\\|x\\|^2}\\Big) dy_o, \\quad
              dw_o = \\Big(\\frac{x}{\\|x\\| \\|w_o\\|} - \\frac{y_o w_o}{\\|w_o\\|^2}\\Big) dy_o

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector, and number of rows.

    Attributes
    ----------
    weight, gradWeight : array of outputSize x inputSize

    Raises
    ------
    ShapeError
        If the input is not 1-D or 2-D with inputSize columns.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``. To each norm 1e-12 is added. The weight starts uniform in
    [-s, s) with s = 1 / sqrt(outputSize). Unlike Torch7, the gradient of the weight obeys `scale`. Source: Torch7
    nn.Cosine.

    Examples
    --------
    >>> layer = nn.Cosine(2, 3)
    >>> layer.weight[...] = [[1, 0], [0, 1], [-3, 4]]
    >>> np.round(layer.forward(np.float32([5, 0])), 4)
    array([ 1. ,  0. , -0.6], dtype=float32)
    """

    EPS = 1e-12
    weight: Tensor
    gradWeight: Tensor
    _arrayFields = (ArrayField("weight", 2),)

    _file = Form(dimensions={"weight": 2})

    def __init__(self, inputSize: int, outputSize: int) -> None:
        super().__init__()
        shape = check.count(self, "outputSize", outputSize), check.count(self, "inputSize", inputSize)
        self._newParameters(weight=shape)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new weight, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(len(self.weight)) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        rows = self._rows(input)
        output = self._resize("output", (*input.shape[:-1], len(self.weight)))
        compute.matmul(
            self._directions(rows)[0], self._directions(self.weight)[0].T, out=output.reshape(len(rows), len(self.weight))
        )
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        rows, norms = self._directions(self._rows(input))
        g = self._gradient(input, gradOutput)
        if self.gradInput is None:
            return None
        weight, _ = self._directions(self.weight)
        gradients = compute.matmul(g, weight)
        gradients -= rows * compute.sum(g * compute.matmul(rows, weight.T), 1, keepdims=True)
        gradients /= norms
        gradInput = self._resize("gradInput", input.shape)
        gradInput[...] = gradients.reshape(input.shape)
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        rows, _ = self._directions(self._rows(input))
        g = self._gradient(input, gradOutput)
        weight, norms = self._directions(self.weight)
        gradient = summed(g, rows)
        gradient -= weight * compute.sum(g * compute.matmul(rows, weight.T), 0, dtype=np.float64)[:, None]
        self.gradWeight += scale * (gradient / norms)

    def clearState(self) -> "Cosine":
        clear(self, "_input", "_gradOutput")
        super().clearState()
        return self

    def _rows(self, input: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input, 1, 2).shape
        inputs = self.weight.shape[1]
        if shape[-1] != inputs:
            raise ShapeError(f"{self._typename}: input: expected {inputs} columns, got {sizes(shape)}")
        return np.atleast_2d(self._dense("_input", input))

    def _gradient(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        expected = (*input.shape[:-1], len(self.weight))
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), expected)
        return np.atleast_2d(self._dense("_gradOutput", gradOutput))

    def _directions(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The rows, divided by their norms, and these."""
        norms = compute.vector_norms(rows, 1) + self._dtype.type(self.EPS)
        return rows / norms, norms
