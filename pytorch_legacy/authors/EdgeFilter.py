"""Differences of each cell and its neighbours."""

from typing import Self

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor


class EdgeFilter(nn.SpatialConvolution):
    """Subtracts from each cell each of its eight neighbours: a convolution with fixed weights.

    Parameters
    ----------
    nInputPlane : int
        Number of planes. The output has eight for each, for the neighbours row by row.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) 8 C x (H - 2) x (W - 2)``. There is no bias, and nothing to learn.
    Source: waifu2x ``EdgeFilter``.

    Examples
    --------
    >>> x = np.float32([[[1, 2, 3], [4, 9, 5], [6, 7, 8]]])
    >>> authors.EdgeFilter(1).forward(x).ravel()
    array([8., 7., 6., 5., 4., 3., 2., 1.], dtype=float32)
    """

    _typename = "w2nn.EdgeFilter"

    def __init__(self, nInputPlane: int) -> None:
        super().__init__(nInputPlane, nInputPlane * 8, 3, 3)

    def reset(self, stdv: float | None = None) -> Self:
        """Sets the weights; `stdv` is not used."""
        self.noBias()
        kernels = np.zeros((9, 3, 3), self._dtype)
        kernels[:, 1, 1] = 1
        kernels.reshape(9, 9)[np.diag_indices(9)] -= 1
        kernels = np.asarray(np.delete(kernels, 4, 0), like=self.weight)
        self.weight.fill(0)
        self.gradWeight.fill(0)
        for plane in range(self.nInputPlane):
            self.weight[8 * plane : 8 * plane + 8, plane] = kernels
        return self

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        """Computes no gradient, because the weights are fixed."""

    def updateParameters(self, learningRate: float) -> Self:
        """Returns self; the weights are fixed."""
        return self
