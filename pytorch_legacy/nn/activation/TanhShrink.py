"""Elements less their hyperbolic tangents."""

from typing import Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.activation.Tanh import Tanh
from pytorch_legacy.nn.Module import Module


class TanhShrink(Module):
    """Each element less its hyperbolic tangent::

        output    = input - tanh(input)
        gradInput = gradOutput * tanh(input) ** 2

    Attributes
    ----------
    tanh : Tanh
        The layer that computes the tangents.

    Notes
    -----
    Any shape. Source: Torch7 nn.TanhShrink.

    Examples
    --------
    >>> np.round(nn.TanhShrink().forward(np.float32([-1, 0, 2])), 4)
    array([-0.2384,  0.    ,  1.036 ], dtype=float32)
    """

    _file = Form(kinds={"tanh": "a module"})

    def __init__(self) -> None:
        super().__init__()
        self.tanh = Tanh()

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        return blocks.apply(np.subtract, input, self.tanh.updateOutput(input), out=self._resize("output", shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        gradOutput = check.gradient(self, gradOutput, input)
        check.shape(self, "the output of the last forward", self.tanh.output, shape)
        gradInput = self._resize("gradInput", shape, mustNotOverlap=gradOutput)
        return blocks.elements(self._slopes, gradInput, self.tanh.output, gradOutput)

    @staticmethod
    def _slopes(gradInput: Tensor, tangent: Tensor, gradOutput: Tensor) -> None:
        np.multiply(tangent, tangent, out=gradInput)
        gradInput *= gradOutput

    def clearState(self) -> Self:
        self.tanh.clearState()
        return super().clearState()
