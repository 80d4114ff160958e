"""Exponentials."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Exp(Module):
    """The exponential of each element::

        output    = exp(input)
        gradInput = gradOutput * output

    Notes
    -----
    Any shape. Source: Torch7 nn.Exp; C: ``THNN/activation/Exp.c``.

    Examples
    --------
    >>> np.round(nn.Exp().forward(np.float32([-1, 0, 1])), 4)
    array([0.3679, 1.    , 2.7183], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "Exp_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", self.output.shape)
        call(self, "Exp_updateGradInput", input, gradOutput, gradInput, self.output)
        return gradInput
