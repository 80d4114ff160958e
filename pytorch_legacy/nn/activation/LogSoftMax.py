"""Logarithms of probabilities from scores."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class LogSoftMax(Module):
    """The logarithm of SoftMax over the channels of each position, the input that ClassNLLCriterion expects.

    .. math:: y_c = x_c - \\log \\sum_k e^{x_k}

    computed without overflow and without loss of small probabilities. A score of -inf stays -inf; where all scores are
    -inf, or one is inf or NaN, all results are NaN.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: Torch7 ``nn.LogSoftMax``; C: ``THNN/activation/LogSoftMax.c``.
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "LogSoftMax_updateOutput", input, self.output)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "LogSoftMax_updateGradInput", input, gradOutput, self.gradInput, self.output)
        return self.gradInput
