"""The product of a table of arrays."""

import numpy as np

from pytorch_legacy.nn import blocks, check
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
        factors = check.alike(self, "input", input)
        return self._product(self._resize("output", factors[0].shape), *factors)

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        first = check.alike(self, "input", input)[0]
        check.like(self, "gradOutput", gradOutput, first)
        gradInput = self._resizeTable("gradInput", [first.shape] * len(input))
        for i, gradient in enumerate(gradInput):
            self._product(gradient, gradOutput, *input[:i], *input[i + 1 :])
        return gradInput

    @staticmethod
    def _product(target: Tensor, *factors: Tensor) -> Tensor:
        if len(factors) == 2:
            return blocks.apply(np.multiply, *factors, out=target)

        def multiply(target: Tensor, first: Tensor, *others: Tensor) -> None:
            np.copyto(target, first)
            for factor in others:
                target *= factor

        return blocks.elements(multiply, target, *factors)
