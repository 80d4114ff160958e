"""Elements less their hyperbolic tangents."""

from typing import Self

import numpy as np

from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.activation.Tanh import Tanh
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class TanhShrink(Module):
    """Each element less its hyperbolic tangent::

        output    = input - tanh(input)
        gradInput = gradOutput - gradOutput * (1 - tanh(input) ** 2)

    Attributes
    ----------
    tanh : Tanh
        The layer that computes the tangents.

    Notes
    -----
    Any shape. Source: Torch7 nn.TanhShrink.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tanh = Tanh()

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        return blocks.apply(np.subtract, input, self.tanh.updateOutput(input), out=self._resize("output", shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        passed = self.tanh.updateGradInput(input, gradOutput)
        return blocks.apply(np.subtract, gradOutput, passed, out=self._resize("gradInput", shape))

    def clearState(self) -> Self:
        self.tanh.clearState()
        return super().clearState()
