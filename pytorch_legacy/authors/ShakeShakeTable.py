"""Two branches mixed at random."""

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import NullError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class ShakeShakeTable(Module):
    """Adds two arrays; in training with random weights, and other random weights on the way back.

    .. math:: y = 2 (1 - \\alpha_n) x_1 + 2 \\alpha_n x_2, \\qquad
              \\Delta x_1 = \\beta_n \\Delta y, \\quad \\Delta x_2 = (1 - \\beta_n) \\Delta y

    with alpha and beta uniform in [0, 1) for each sample. In evaluation y is the sum.

    Notes
    -----
    Shapes: a list of two ``N x ...`` to the same shape.
    Source: waifu2x ``ShakeShakeTable``; Gastaldi 2017.

    Examples
    --------
    >>> layer, x = authors.ShakeShakeTable(), [np.float32([[1]]), np.float32([[3]])]
    >>> _ = pl.manualSeed(1)
    >>> [round(layer.forward(x).item(), 3) for _ in range(3)]  # between 2 * 1 and 2 * 3
    [3.668, 4.881, 2.0]
    >>> layer.evaluate().forward(x)
    array([[4.]], dtype=float32)
    """

    _typename = "w2nn.ShakeShakeTable"

    def __init__(self) -> None:
        super().__init__()
        self.alpha, self.beta, self.first, self.second = np.empty((4, 0), self._dtype)
        self.train = True

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        one, other = check.alike(self, "input", input, 2)
        output = self._resize("output", one.shape)
        if not self.train:
            np.add(one, other, out=output)
            return output
        self.alpha, self.beta = (random.uniform(0, 1, one.shape[:1], self._dtype, self._onDevice) for _ in range(2))
        alpha = self._ofSamples(self.alpha, one)
        output[...] = 2 * ((1 - alpha) * one + alpha * other)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        gradOutput = check.gradient(self, gradOutput, input[0])
        if self.beta.shape != gradOutput.shape[:1]:
            raise NullError(f"{self._typename}: beta: expected what forward draws in training")
        beta = self._ofSamples(self.beta, gradOutput)
        self.gradInput = self._resizeTable("gradInput", [gradOutput.shape] * 2)
        np.multiply(gradOutput, beta, out=self.gradInput[0])
        np.multiply(gradOutput, 1 - beta, out=self.gradInput[1])
        return self.gradInput

    def _ofSamples(self, numbers: Tensor, array: Tensor) -> Tensor:
        return numbers.reshape(-1, *[1] * (array.ndim - 1))
