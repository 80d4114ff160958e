"""Logarithms."""

import numpy as np

from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Log(Module):
    """The natural logarithm of each element::

        output    = log(input)
        gradInput = gradOutput / input

    Notes
    -----
    Any shape. 0 gives -inf, what is below gives NaN. Source: Torch7 nn.Log.
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        return blocks.elements(self._logarithms, output, input)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        return blocks.apply(np.divide, gradOutput, input, out=self._resize("gradInput", shape))

    @staticmethod
    def _logarithms(output: Tensor, input: Tensor) -> None:
        output[...] = input  # NumPy's digits would depend on the strides
        np.log(output, out=output)
