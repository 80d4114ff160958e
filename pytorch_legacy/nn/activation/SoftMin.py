"""Probabilities from costs."""

from typing import Self

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import call
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class SoftMin(Module):
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

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        mininput, output = self._resize("mininput", shape), self._resize("output", shape)
        call(self, "SoftMax_updateOutput", blocks.negate(input, mininput), output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "SoftMax_updateGradInput", input, gradOutput, gradInput, self.output)
        return blocks.negate(gradInput, gradInput)

    def clearState(self) -> Self:
        clear(self, "mininput")
        return super().clearState()
