"""Probabilities from scores."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class SoftMax(Module):
    """Makes the channels of each position positive, with sum 1.

    .. math:: y_c = \\frac{e^{x_c}}{\\sum_k e^{x_k}}

    computed without overflow. A score of -inf has probability 0; where all scores are -inf, or one is inf or NaN, all
    results are NaN.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: Torch7 ``nn.SoftMax``; C: ``THNN/activation/SoftMax.c``.

    Examples
    --------
    >>> np.round(nn.SoftMax().forward(np.float32([[1, 1, 1, 1], [0, 1, 2, 3]])), 4)
    array([[0.25  , 0.25  , 0.25  , 0.25  ],
           [0.0321, 0.0871, 0.2369, 0.6439]], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "SoftMax_updateOutput", input, self.output)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "SoftMax_updateGradInput", input, gradOutput, self.gradInput, self.output)
        return self.gradInput
