"""A convolution with fixed random weights."""

from typing import Self

import numpy as np

from pytorch_legacy import nn, random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check


class RandomBinaryConvolution(nn.SpatialConvolution):
    """A convolution whose weights are -1, 0 or 1, drawn once and never learned.

    Parameters
    ----------
    nInputPlane, nOutputPlane : int
        Number of planes before and after.
    kW, kH : int
        Width and height of the kernel.
    kSparsity : float
        Number of draws for each weight, at most 1. Each draw sets a random weight to -1 or 1; the others are 0.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nOutputPlane x (H - kH + 1) x (W - kW + 1)``. There is no bias.
    Source: waifu2x ``RandomBinaryConvolution``; Juefei-Xu et al. 2016, "Local Binary Convolutional Neural Networks".

    Examples
    --------
    >>> layer = authors.RandomBinaryConvolution(1, 8, 3, 3)
    >>> sorted({*layer.weight.ravel().tolist()})
    [-1.0, 0.0, 1.0]
    >>> layer.forward(np.ones((1, 3, 4), np.float32)).shape
    (8, 1, 2)
    """

    _typename = "w2nn.RandomBinaryConvolution"
    _file = Form(defaults={"kSparsity": 0.9}, kinds={"kSparsity": "a number"})

    def __init__(self, nInputPlane: int, nOutputPlane: int, kW: int, kH: int, kSparsity: float = 0.9) -> None:
        self.kSparsity = kSparsity
        if not 0 <= kSparsity <= 1:
            raise ValueRangeError(f"{self._typename}: kSparsity: expected 0 to 1, got {kSparsity}")
        super().__init__(nInputPlane, nOutputPlane, check.count(self, "kW", kW), check.count(self, "kH", kH))
        self.reset()  # again, as Torch7: the same seed then gives the same weights

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new weights; `stdv` is not used."""
        self.noBias()
        weight = np.zeros(self.weight.size, self._dtype)
        places = [random.random(1, weight.size) - 1 for _ in range(int(self.kSparsity * weight.size))]
        for place in places:
            weight[place] = 2 * random.bernoulli(0.5) - 1
        self.weight[...] = np.asarray(weight, like=self.weight).reshape(self.weight.shape)
        self.gradWeight.fill(0)
        return self

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        """Computes no gradient, because the weights are fixed."""

    def updateParameters(self, learningRate: float) -> Self:
        """Returns self; the weights are fixed."""
        return self
