"""A rational form of the hyperbolic tangent."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class SoftSign(Module):
    """Brings each element between -1 and 1::

        output    = input / (1 + abs(input))
        gradInput = gradOutput / (1 + abs(input)) ** 2

    Notes
    -----
    Any shape. An infinity gives 1 or -1; in Torch7 it gave NaN. Source: Torch7 nn.SoftSign.

    Examples
    --------
    >>> nn.SoftSign().forward(np.float32([-3, 0, 1]))
    array([-0.75,  0.  ,  0.5 ], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape, mustNotOverlap=input)
        return blocks.elements(self._values, output, input)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        gradOutput = check.gradient(self, gradOutput, input)
        return blocks.elements(self._slopes, self._resize("gradInput", shape, mustNotOverlap=gradOutput), input, gradOutput)

    @staticmethod
    def _values(output: Tensor, input: Tensor) -> None:
        most = np.finfo(input.dtype).max
        within = compute.clip(input, -most, most)  # an infinity is as good as the largest number
        np.abs(within, out=output)
        output += 1
        np.divide(within, output, out=output)

    @staticmethod
    def _slopes(gradInput: Tensor, input: Tensor, gradOutput: Tensor) -> None:
        np.abs(input, out=gradInput)
        gradInput += 1
        with np.errstate(over="ignore", invalid="ignore"):
            gradInput *= gradInput
            np.divide(gradOutput, gradInput, out=gradInput)
