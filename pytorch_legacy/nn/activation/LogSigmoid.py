"""Logarithms of the logistic function."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class LogSigmoid(Module):
    """The logarithm of the logistic function of each element.

    .. math:: y = \\log \\frac{1}{1 + e^{-x}}, \\qquad \\frac{\\partial y}{\\partial x} = \\frac{1}{1 + e^x}

    computed without overflow and without loss of digits.

    Notes
    -----
    Shapes: any; the output has that of the input. That of -inf is -inf; in Torch7 it was NaN. There is no
    field ``buffer``: the gradient needs nothing but the input.
    Source: Torch7 ``nn.LogSigmoid``; C: ``THNN/activation/LogSigmoid.c``.

    Examples
    --------
    >>> np.round(nn.LogSigmoid().forward(np.float32([-100, -1, 0])), 4)
    array([-100.    ,   -1.3133,   -0.6931], dtype=float32)
    """

    _dropped = ("buffer",)

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "LogSigmoid_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "LogSigmoid_updateGradInput", input, gradOutput, gradInput)
        return gradInput
