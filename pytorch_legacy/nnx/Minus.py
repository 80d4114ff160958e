"""The sign turned round."""

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Minus(Module):
    """Negates each element::

        output    = -input
        gradInput = -gradOutput

    Notes
    -----
    Any shape. Source: nnx ``Minus``.
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        return np.negative(input, out=self._resize("output", check.tensor(self, "input", input).shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        return np.negative(gradOutput, out=self._resize("gradInput", input.shape))
