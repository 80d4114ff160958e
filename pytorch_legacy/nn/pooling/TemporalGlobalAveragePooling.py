"""Means of whole sequences."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class TemporalGlobalAveragePooling(Module):
    """Mean of each sequence, whatever its size.

    .. math:: y = \\frac{1}{L} \\sum_i x_i, \\qquad \\frac{\\partial y}{\\partial x_i} = \\frac{1}{L}

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, or its sequences have no cells.

    Notes
    -----
    Shapes: ``(N x) C x L`` to ``(N x) C x 1``.
    Source: Lin, Chen, Yan, "Network in network" (2014); C: ``THNN/pooling/TemporalGlobalAveragePooling.c``.
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = output_size(self, "TemporalGlobalAveragePooling_outputSize", check.tensor(self, "input", input))
        output = self._resize("output", shape)
        call(self, "TemporalGlobalAveragePooling_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "TemporalGlobalAveragePooling_updateGradInput", input, gradOutput, gradInput)
        return gradInput
