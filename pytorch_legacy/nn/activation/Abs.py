"""Absolute values."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Abs(Module):
    """The absolute value of each element.

    .. math:: y = |x|

    The gradient at 0 is 1.

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Abs``; C: ``THNN/activation/Abs.c``.

    Examples
    --------
    >>> nn.Abs().forward(np.float32([-2, 0, 3]))
    array([2., 0., 3.], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "Abs_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "Abs_updateGradInput", input, gradOutput, gradInput)
        return gradInput
