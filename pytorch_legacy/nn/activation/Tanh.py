"""The hyperbolic tangent."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Tanh(Module):
    """The hyperbolic tangent of each element.

    .. math:: y = \\tanh(x) = \\frac{e^x - e^{-x}}{e^x + e^{-x}}, \\qquad
              \\frac{\\partial y}{\\partial x} = 1 - y^2

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Tanh``; C: ``THNN/activation/Tanh.c``.

    Examples
    --------
    >>> np.round(nn.Tanh().forward(np.float32([-1, 0, 2])), 4)
    array([-0.7616,  0.    ,  0.964 ], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "Tanh_updateOutput", input, self.output)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "Tanh_updateGradInput", input, gradOutput, self.gradInput, self.output)
        return self.gradInput
