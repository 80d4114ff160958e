"""Arrays whose elements lie one after the other."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class Contiguous(Module):
    """Passes its input on, through a copy if the elements do not lie one after the other in row-major order::

        output    = input
        gradInput = gradOutput, likewise

    Notes
    -----
    Any shape; arrays of integers pass too. The output is another array over the input's memory, or over that of the copy.
    Source: Torch7 nn.Contiguous.

    Examples
    --------
    >>> x = np.arange(6, dtype=np.float32).reshape(2, 3).T
    >>> nn.Contiguous().forward(x).flags.c_contiguous
    True
    """

    _takesAnyType = True

    def updateOutput(self, input: Tensor) -> Tensor:
        self.output = self._contiguous("_input", check.array(self, "input", input))[...]
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.array(self, "input", input))
        self.gradInput = self._contiguous("_gradOutput", gradOutput)[...]
        return self.gradInput

    def clearState(self) -> "Contiguous":
        clear(self, "_input", "_gradOutput")
        super().clearState()
        return self
