"""An affine map of the planes, cell by cell."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.objects import ArrayField


class SpatialLinear(Module):
    """Applies an affine map to the vector of planes of every cell: a convolution with kernels of one cell.

    .. math:: y_{o,h,w} = b_o + \\sum_c W_{o,c} \\, x_{c,h,w}

    Parameters
    ----------
    fanin, fanout : int
        Number of planes before and after.

    Attributes
    ----------
    weight, gradWeight : array of fanout x fanin
    bias, gradBias : array of fanout
    weightDecay : int
        If it is not 0, ``accGradParameters`` adds the weight to gradWeight once for every cell, as in Torch7.

    Raises
    ------
    ShapeError
        If the input is not ``fanin x H x W``.

    Notes
    -----
    Shapes: ``fanin x H x W`` to ``fanout x H x W``. A row of the weight and its bias start uniform in [-s, s) with
    s = 1 / sqrt(fanout). Torch7 computed the gradients of the parameters in ``updateGradInput`` and ignored `scale`; here they
    are in their place and follow it. Source: nnx ``SpatialLinear``.

    Examples
    --------
    >>> layer = nnx.SpatialLinear(2, 1)
    >>> layer.weight[...], layer.bias[...] = [[1, 10]], 100
    >>> layer.forward(np.float32([[[1, 2]], [[3, 4]]]))  # x[0] + 10 x[1] + 100 at each cell
    array([[[131., 142.]]], dtype=float32)
    """

    weight: Tensor
    gradWeight: Tensor
    bias: Tensor
    gradBias: Tensor
    _arrayFields = (ArrayField("weight", 2), ArrayField("bias", lambda layer: layer.weight.shape[:1]))
    weightDecay: Any = 0

    _file = Form(defaults={"fanin": 1, "fanout": 1})

    def __init__(self, fanin: int = 1, fanout: int = 1) -> None:
        super().__init__()
        self.fanin, self.fanout = check.count(self, "fanin", fanin), check.count(self, "fanout", fanout)
        self.weightDecay = 0
        self._newParameters(weight=(fanout, fanin), bias=fanout)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(len(self.weight)) if stdv is None else stdv * sqrt(3)
        for i, row in enumerate(self.weight):
            row[...] = random.uniform(-limit, limit, row.shape, np.float64, self._onDevice)  # number by number, as in Torch7
            self.bias[i] = random.uniform(-limit, limit)
        return self

    def zeroGradParameters(self, momentum: float | None = None) -> Self:
        """Sets the gradients of the parameters to zero, or multiplies them by a momentum."""
        for gradient in (self.gradWeight, self.gradBias):
            gradient *= 0 if momentum is None else self._dtype.type(momentum)
        return self

    def decayParameters(self, decay: float) -> Self:
        """Shrinks the parameters by the fraction `decay` of them."""
        for parameter in (self.weight, self.bias):
            parameter -= decay * parameter
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        cells = self._cells(input)
        output = self._resize("output", (len(self.weight), *input.shape[1:]))
        compute.matmul(self.weight, cells, out=output.reshape(len(self.weight), -1))
        output += self.bias[:, None, None]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._cells(input)
        gradInput = self._resize("gradInput", input.shape)
        compute.matmul(self.weight.T, self._gradients(input, gradOutput), out=gradInput.reshape(len(input), -1))
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        cells, gradients = self._cells(input), self._gradients(input, gradOutput)
        factor = self._dtype.type(scale)
        decay = factor * cells.shape[1] * self.weight if self.weightDecay else 0
        self.gradWeight += factor * compute.matmul(gradients, cells.T) + decay
        self.gradBias += factor * compute.sum(gradients, 1)

    def _cells(self, input: Tensor) -> Tensor:
        """The input as a matrix with a column for each cell."""
        if len(check.tensor(self, "input", input, 3)) != self.weight.shape[1]:
            raise ShapeError(f"{self._typename}: input: expected {self.weight.shape[1]} planes, got {sizes(input.shape)}")
        return input.reshape(len(input), -1)

    def _gradients(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = (len(self.weight), *input.shape[1:])
        return check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape).reshape(shape[0], -1)
