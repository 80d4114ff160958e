"""The convolution that Torch7 had for the GPU in its first years."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.lastBatch import batchFirst, batchLast
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Native import Caller
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.objects import ArrayField


class SpatialConvolutionCUDA(Caller, Module):
    """A convolution whose batch is the last dimension, as in cuda-convnet.

    .. math:: y_{o,h,w,n} = b_o + \\sum_{i,j,k} weight_{i,j,k,o} \\, x_{i,\\, h\\,dH + j - p,\\, w\\,dW + k - p,\\, n}

    with ``p = floor(padding / 2)``; cells beyond the edge count as 0.

    Parameters
    ----------
    nInputPlane, nOutputPlane : int
        Number of planes before and after.
    kW, kH : int
        Width and height of the kernel.
    dW, dH : int
        Cells that the kernel moves.
    padding : int
        Number of cells that are added along each axis, on both sides together; an odd one is added at the end.
    partialSum : int
        How Torch7 computed gradients. It is not used here.

    Attributes
    ----------
    weight : array of nInputPlane x kH x kW x nOutputPlane
    bias : array of nOutputPlane, or None
        The first releases had none.

    Raises
    ------
    ShapeError
        If the input is not 4-D with nInputPlane planes, or is smaller than the kernel.

    Notes
    -----
    Shapes: ``nInputPlane x H x W x N`` to ``nOutputPlane x oH x oW x N`` with ``oH = floor((H + padding - kH) / dH) + 1``.
    Torch7 took square planes and kernels only.
    Source: cunn of 2012 to 2014 ``SpatialConvolutionCUDA``; Krizhevsky, cuda-convnet.
    C: ``THNN/convolution/Convolution.c``.

    Examples
    --------
    >>> layer = authors.SpatialConvolutionCUDA(1, 1, 2, 1)
    >>> layer.weight[...], layer.bias[...] = 1, 10
    >>> layer.forward(np.float32([1, 2, 4]).reshape(1, 1, 3, 1)).ravel()
    array([13., 16.], dtype=float32)
    """

    _layer = "SpatialConvolutionMM"
    _file = Form(
        dropped=("gradWeightPartial",),
        defaults={"dW": 1, "dH": 1, "padding": 0, "partialSum": 0},
        kinds={
            "padding": "a whole number",
            "nInputPlane": "a whole number from 1 on",
            "nOutputPlane": "a whole number from 1 on",
        },
        dimensions={"weight": 4},
    )
    _arrayFields = (
        ArrayField("weight", lambda layer: (layer.nInputPlane, layer.kH, layer.kW, layer.nOutputPlane)),
        ArrayField("bias", lambda layer: (layer.nOutputPlane,), ("bias", "gradBias")),
    )
    weight: Tensor
    gradWeight: Tensor

    def __init__(
        self,
        nInputPlane: int,
        nOutputPlane: int,
        kW: int,
        kH: int,
        dW: int = 1,
        dH: int = 1,
        padding: int = 0,
        partialSum: int = 0,
    ) -> None:
        super().__init__()
        self.nInputPlane = check.count(self, "nInputPlane", nInputPlane)
        self.nOutputPlane = check.count(self, "nOutputPlane", nOutputPlane)
        self.kW, self.kH = check.count(self, "kW", kW), check.count(self, "kH", kH)
        self.dW, self.dH = check.count(self, "dW", dW), check.count(self, "dH", dH)
        self.padding = check.count(self, "padding", padding, 0)
        self.partialSum = partialSum
        self._newParameters(weight=(nInputPlane, kH, kW, nOutputPlane), bias=nOutputPlane)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.kW * self.kH * self.nInputPlane) if stdv is None else stdv * sqrt(3)
        for parameter in (self.weight, self.bias):
            if parameter is not None:
                parameter[...] = random.uniform(-limit, limit, parameter.shape, self._dtype, self._onDevice)
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        x = self._padded(input)
        y = np.empty(self._size("outputSize", x, self._kernel(), padW=0, padH=0), self._dtype, like=input)
        self._call("updateOutput", x, y, self._kernel(), self.bias, padW=0, padH=0)
        output = self._resize("output", (*y.shape[1:], len(y)), mustNotOverlap=input)
        return batchLast(y, output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        x = self._padded(input)
        gradX = np.empty_like(x)
        self._call("updateGradInput", x, self._gradient(x, gradOutput), gradX, self._kernel(), padW=0, padH=0)
        before, (height, width) = self.padding // 2, input.shape[1:3]
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        return batchLast(gradX[:, :, before : before + height, before : before + width], gradInput)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        x = self._padded(input)
        gradKernel = np.zeros_like(self._kernel())
        y = self._gradient(x, gradOutput)
        self._call("accGradParameters", x, y, gradKernel, self.gradBias, padW=0, padH=0, scale=scale)
        self.gradWeight += np.moveaxis(gradKernel, 0, -1)

    def _kernel(self) -> Tensor:
        """Returns the weight as the C functions take it: ``nOutputPlane x nInputPlane x kH x kW``."""
        return np.ascontiguousarray(np.moveaxis(self.weight, -1, 0), like=self.weight)

    def _padded(self, input: Any) -> Tensor:
        """Returns the input with the batch first and a border of zeros."""
        planes = check.tensor(self, "input", input, 4).shape[0]
        if planes != self.nInputPlane:
            wanted = f"{self.nInputPlane} planes, the nInputPlane, in the first dimension"
            raise ShapeError(f"{self._typename}: input: expected {wanted}, got {sizes(input.shape)}")
        x = batchFirst(input)
        if not self.padding:
            return x
        before = self.padding // 2
        border = (before, self.padding - before)
        return np.pad(x, ((0, 0), (0, 0), border, border))

    def _gradient(self, x: Tensor, gradOutput: Any) -> Tensor:
        """Returns the gradient of the output with the batch first."""
        N, *others = self._size("outputSize", x, self._kernel(), padW=0, padH=0)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput, 4), (*others, N))
        return batchFirst(gradOutput)
