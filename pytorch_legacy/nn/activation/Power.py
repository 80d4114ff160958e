"""Powers."""

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Power(Module):
    """Each element to a constant power::

        output    = input ** p
        gradInput = gradOutput * p * input ** (p - 1)

    Parameters
    ----------
    p : float
        The exponent, field ``pow``.

    Notes
    -----
    Any shape. Negative elements have only whole powers; others are NaN. Source: Torch7 nn.Power.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.pow = p

    def updateOutput(self, input: Tensor) -> Tensor:
        return self._raised("output", check.tensor(self, "input", input), self.pow)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._raised("gradInput", input, self.pow - 1)
        gradInput *= gradOutput
        gradInput *= self.pow
        return gradInput

    def _raised(self, name: str, input: Tensor, p: float) -> Tensor:
        """The input to the power p, in the buffer of that name."""
        result = self._resize(name, input.shape)
        result[...] = input  # NumPy's digits would depend on the strides
        return np.power(result, p, out=result)
