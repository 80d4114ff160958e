"""A rational form of the hyperbolic tangent."""

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class SoftSign(Module):
    """Brings each element between -1 and 1::

        output    = input / (1 + abs(input))
        gradInput = gradOutput / (1 + abs(input)) ** 2

    Notes
    -----
    Any shape. An infinity gives NaN. Source: Torch7 nn.SoftSign.
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = np.abs(check.tensor(self, "input", input), out=self._resize("output", input.shape))
        output += 1
        return np.divide(input, output, out=output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = np.abs(input, out=self._resize("gradInput", shape))
        gradInput += 1
        gradInput *= gradInput
        return np.divide(gradOutput, gradInput, out=gradInput)
