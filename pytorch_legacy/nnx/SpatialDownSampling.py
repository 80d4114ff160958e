"""Planes reduced by means."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.nnx.planes import blocks


class SpatialDownSampling(Module):
    """Replaces each block of rH x rW cells by its mean. Rows and columns that fill no block are left out.

    .. math:: y_{h,w} = \\frac{1}{rH \\, rW} \\sum_{i < rH, j < rW} x_{h rH + i, w rW + j}

    Parameters
    ----------
    rW, rH : int
        Width and height of a block.

    Raises
    ------
    ShapeError
        If the input is not 3-D or 4-D, or smaller than a block.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x floor(H / rH) x floor(W / rW)``. Unlike Torch7's, the layer takes batches.
    Source: nnx ``SpatialDownSampling``.

    Examples
    --------
    >>> nnx.SpatialDownSampling(2, 2).forward(np.float32([[[1, 3, 5], [5, 7, 9], [0, 0, 0]]]))
    array([[[4.]]], dtype=float32)
    """

    def __init__(self, rW: int, rH: int) -> None:
        super().__init__()
        self.rW, self.rH = check.count(self, "rW", rW), check.count(self, "rH", rH)

    def updateOutput(self, input: Tensor) -> Tensor:
        parts = self._blocks(input)
        output = self._resize("output", (*parts.shape[:-4], *parts.shape[-4::2]))
        compute.sum(parts, (-3, -1), out=output)
        return np.divide(output, self._dtype.type(self.rH * self.rW), out=output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = self._blocks(input).shape
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), (*shape[:-4], *shape[-4::2]))
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        gradInput.fill(0)
        self._blocks(gradInput)[...] = (gradOutput / self._dtype.type(self.rH * self.rW))[..., :, None, :, None]
        return gradInput

    def _blocks(self, planes: Tensor) -> Tensor:
        """A view ``(N x) C x oH x rH x oW x rW``."""
        *_, height, width = check.tensor(self, "input", planes, 3, 4).shape
        check.count(self, "rH", self.rH), check.count(self, "rW", self.rW)
        if height < self.rH or width < self.rW:
            least = sizes((self.rH, self.rW))
            raise ShapeError(f"{self._typename}: input: expected planes of at least {least}, got {sizes((height, width))}")
        return blocks(planes, self.rH, self.rW)
