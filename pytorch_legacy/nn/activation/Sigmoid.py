"""The logistic function."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Sigmoid(Module):
    """The logistic function of each element.

    .. math:: y = \\frac{1}{1 + e^{-x}}, \\qquad \\frac{\\partial y}{\\partial x} = y (1 - y)

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Sigmoid``; C: ``THNN/activation/Sigmoid.c``.

    Examples
    --------
    >>> np.round(nn.Sigmoid().forward(np.float32([-1, 0, 100])), 4)
    array([0.2689, 0.5   , 1.    ], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "Sigmoid_updateOutput", input, self.output)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "Sigmoid_updateGradInput", input, gradOutput, self.gradInput, self.output)
        return self.gradInput
