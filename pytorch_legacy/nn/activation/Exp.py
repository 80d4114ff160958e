"""Exponentials."""

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Exp(Module):
    """The exponential of each element::

        output    = exp(input)
        gradInput = gradOutput * output

    Notes
    -----
    Any shape. Source: Torch7 nn.Exp.
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        output[...] = input  # NumPy's digits would depend on the strides
        return np.exp(output, out=output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = self.output.shape
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        return np.multiply(gradOutput, self.output, out=self._resize("gradInput", shape))
