"""Squares."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Square(Module):
    """The square of each element.

    .. math:: y = x^2

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Square``; C: ``THNN/activation/Square.c``.
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "Square_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "Square_updateGradInput", input, gradOutput, gradInput)
        return gradInput
