"""Logarithms."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Log(Module):
    """The natural logarithm of each element::

        output    = log(input)
        gradInput = gradOutput / input

    Notes
    -----
    Any shape. 0 gives -inf, what is below gives NaN. Source: Torch7 nn.Log; C: ``THNN/activation/Log.c``.

    Examples
    --------
    >>> np.round(nn.Log().forward(np.float32([1, 2, 0])), 4)
    array([0.    , 0.6931,   -inf], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "Log_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "Log_updateGradInput", input, gradOutput, gradInput)
        return gradInput
