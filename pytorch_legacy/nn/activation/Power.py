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
        shape = check.tensor(self, "input", input).shape
        return np.power(input, self.pow, out=self._resize("output", shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = np.power(input, self.pow - 1, out=self._resize("gradInput", shape))
        gradInput *= gradOutput
        gradInput *= self.pow
        return gradInput
