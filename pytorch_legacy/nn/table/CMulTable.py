"""The product of a table of arrays."""

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class CMulTable(Module):
    """Multiplies the arrays of a list, element by element::

        output       = input[0] * input[1] * ...
        gradInput[i] = gradOutput * (product of the other inputs)

    Notes
    -----
    All inputs have one shape. No gradient is computed by division, so zeros do no harm. Source: Torch7 nn.CMulTable.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        first, *others = check.alike(self, "input", input)
        output = self._resize("output", first.shape)
        output[...] = first
        for factor in others:
            np.multiply(output, factor, out=output)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        first = check.alike(self, "input", input)[0]
        check.like(self, "gradOutput", gradOutput, first)
        gradInput = self._resizeTable("gradInput", [first.shape] * len(input))
        for i, gradient in enumerate(gradInput):
            gradient[...] = gradOutput
            for factor in input[:i] + input[i + 1 :]:
                np.multiply(gradient, factor, out=gradient)
        return gradInput
