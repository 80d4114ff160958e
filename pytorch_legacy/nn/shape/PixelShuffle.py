"""Planes rearranged into a finer picture."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


def copyColumns(to: Tensor, source: Tensor) -> None:
    """Copy for one value of the last dimension after the other: it is short, and NumPy's inner loop then runs along rows."""
    for j in range(to.shape[-1]):
        np.copyto(to[..., j], source[..., j])


class PixelShuffle(Module):
    """Turns each group of r*r planes into one plane r times as wide and high::

        output[c, h*r + i, w*r + j] = input[c*r*r + i*r + j, h, w]

    Parameters
    ----------
    upscaleFactor : int
        r.

    Notes
    -----
    Input C*r*r x H x W, output C x H*r x W*r, with or without a batch in front. Source: Torch7 nn.PixelShuffle; Shi et
    al., "Real-Time Single Image and Video Super-Resolution Using an Efficient Sub-Pixel Convolutional Neural Network"
    (2016).

    Examples
    --------
    >>> x = np.float32([[[[1]], [[2]], [[3]], [[4]]]])  # four planes of one pixel
    >>> nn.PixelShuffle(2).forward(x)
    array([[[[1., 2.],
             [3., 4.]]]], dtype=float32)
    """

    _file = Form(scratch={"upscaleFactorSquared": lambda module: module.upscaleFactor**2})

    def __init__(self, upscaleFactor: int) -> None:
        super().__init__()
        if upscaleFactor < 1:
            raise ValueRangeError(f"{self._typename}: upscaleFactor: expected at least 1, got {upscaleFactor}")
        self.upscaleFactor = upscaleFactor

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", self._shape(input), mustNotOverlap=input)
        blocks.rows(copyColumns, self._fine(output), self._coarse(input))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = self._shape(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        blocks.rows(np.copyto, self._coarse(gradInput), self._fine(gradOutput))
        return gradInput

    def _shape(self, input: Tensor) -> tuple[int, ...]:
        r = check.count(self, "upscaleFactor", self.upscaleFactor)
        *batch, planes, height, width = check.tensor(self, "input", input, 3, 4).shape
        if planes % (r * r):
            raise ShapeError(f"{self._typename}: input: expected a multiple of {r * r} planes, got {planes}")
        return (*batch, planes // (r * r), height * r, width * r)

    # Both views have the dimensions ..., c, h, i, w, j.

    def _fine(self, picture: Tensor) -> Tensor:
        r = self.upscaleFactor
        *batch, planes, height, width = picture.shape
        return picture.reshape(*batch, planes, height // r, r, width // r, r)

    def _coarse(self, picture: Tensor) -> Tensor:
        r = self.upscaleFactor
        *batch, planes, height, width = picture.shape
        n = len(batch)
        split = picture.reshape(*batch, planes // (r * r), r, r, height, width)
        return split.transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
