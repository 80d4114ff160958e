"""The sum of a table of arrays."""

import numpy as np

from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class CAddTable(Module):
    """Adds the arrays of a list::

        output       = input[0] + input[1] + ...
        gradInput[i] = gradOutput

    Parameters
    ----------
    inplace : bool
        Write the sum into input[0], and return gradOutput itself for every input.

    Notes
    -----
    All inputs have one shape. Source: Torch7 nn.CAddTable.
    """

    inplace = False

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        first, *others = check.alike(self, "input", input)
        self.output = check.writable(self, "input[0]", first) if self.inplace else self._resize("output", first.shape)
        if len(others) == 1:
            return blocks.apply(np.add, first, *others, out=self.output)

        def add(output: Tensor, first: Tensor, *others: Tensor) -> None:
            np.copyto(output, first)
            for other in others:
                output += other

        return blocks.elements(add, self.output, first, *others)

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        shape = check.tensors(self, "input", input)[0].shape
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        if self.inplace:
            self.gradInput = [gradOutput] * len(input)
        else:
            for gradient in self._resizeTable("gradInput", [shape] * len(input)):
                blocks.copy(gradient, gradOutput)
        return self.gradInput
