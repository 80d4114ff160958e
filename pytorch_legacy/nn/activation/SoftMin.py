"""Probabilities from costs."""

from typing import Self

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.utils import clear


class SoftMin(Native):
    """Makes the channels of each position positive, with sum 1: the SoftMax of the negated input.

    .. math:: y_c = \\frac{e^{-x_c}}{\\sum_k e^{-x_k}}

    Attributes
    ----------
    mininput
        The negated input.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: Torch7 ``nn.SoftMin``; C: ``THNN/activation/SoftMax.c``.

    Examples
    --------
    >>> np.round(nn.SoftMin().forward(np.float32([0, 1, 2, 3])), 4)
    array([0.6439, 0.2369, 0.0871, 0.0321], dtype=float32)
    """

    _layer = "SoftMax"

    def updateOutput(self, input: Tensor) -> Tensor:
        mininput = self._resize("mininput", check.tensor(self, "input", input).shape)
        output: Tensor = super().updateOutput(blocks.negate(input, mininput))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = super().updateGradInput(input, gradOutput)
        return blocks.negate(gradInput, gradInput)

    def clearState(self) -> Self:
        clear(self, "mininput")
        return super().clearState()
