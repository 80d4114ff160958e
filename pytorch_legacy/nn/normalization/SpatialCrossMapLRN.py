"""Local response normalization across planes."""

from typing import Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.utils import clear


class SpatialCrossMapLRN(Native):
    """Divides each cell by a power of the sum of squares over neighbouring planes.

    .. math:: y_c = x_c \\, s_c^{-\\beta}, \\qquad s_c = k + \\frac{\\alpha}{size} \\sum_{j=c-\\lfloor (size-1)/2 \\rfloor}
              ^{c + \\lfloor size/2 \\rfloor} x_j^2

    cell by cell; planes that do not exist count nothing.

    Parameters
    ----------
    size : int
        Number of planes in a window.
    alpha, beta, k : float

    Attributes
    ----------
    scale : array of N x C x H x W
        s, for the backward pass; N is 1 for a single sample.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, or size is less than 1.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to the same.
    Source: Torch7 ``nn.SpatialCrossMapLRN``; C: ``THNN/normalization/SpatialCrossMapLRN.c``.

    Examples
    --------
    >>> layer = nn.SpatialCrossMapLRN(3, alpha=3, beta=1, k=1)
    >>> np.round(layer.forward(np.float32([1, 0, 2]).reshape(3, 1, 1)).ravel(), 4)
    array([0.5, 0. , 0.4], dtype=float32)
    >>> layer.scale.ravel()
    array([2., 6., 5.], dtype=float32)
    """

    _layer = "SpatialCrossMapLRN"
    k = 1.0  # the field is younger than some files
    scale = np.empty(0, np.float32)
    _file = Form(dropped=("scale", "x2", "paddedRatio", "accumRatio"), defaults={"alpha": 0.0001, "beta": 0.75, "k": 1})

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = check.count(self, "size", size)
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input, 3, 4).shape
        output = self._resize("output", shape, mustNotOverlap=input)
        self._resize("scale", shape if input.ndim == 4 else (1, *shape))
        self._call("updateOutput", input, output, self._scales(input))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input, 3, 4).shape, mustNotOverlap=[input, gradOutput])
        self._call("updateGradInput", input, gradOutput, gradInput, self._scales(input))
        return gradInput

    def clearState(self) -> Self:
        clear(self, "scale")
        super().clearState()
        return self

    def _scales(self, input: Tensor) -> Tensor:
        """`scale` as the input has its dimensions."""
        return self.scale[0] if input.ndim == 3 and len(self.scale) == 1 else self.scale
