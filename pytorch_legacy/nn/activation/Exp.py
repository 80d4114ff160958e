"""Exponentials."""

import numpy as np

from pytorch_legacy.nn import blocks, check
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
        return blocks.elements(self._raised, output, input)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = self.output.shape
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        return blocks.apply(np.multiply, gradOutput, self.output, out=self._resize("gradInput", shape))

    @staticmethod
    def _raised(output: Tensor, input: Tensor) -> None:
        output[...] = input  # NumPy's digits would depend on the strides
        np.exp(output, out=output)
