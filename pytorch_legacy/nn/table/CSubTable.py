"""The difference of two arrays."""

import numpy as np

from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class CSubTable(Module):
    """Subtracts the second array of a list from the first::

        output    = input[0] - input[1]
        gradInput = [gradOutput, -gradOutput]

    Notes
    -----
    Both have as many elements; as in Torch7, the second one is read in row-major order if its shape is another.
    Source: Torch7 nn.CSubTable.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        a, b = self._pair(input)
        output = self._resize("output", a.shape)
        shape = a.shape if b.flags.c_contiguous else b.shape  # then b is not copied
        blocks.apply(np.subtract, a.reshape(shape), b.reshape(shape), out=output.reshape(shape))
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        a, b = self._pair(input)
        check.like(self, "gradOutput", gradOutput, a)
        da, db = self._resizeTable("gradInput", [a.shape, b.shape])
        blocks.copy(da, gradOutput)
        blocks.negate(gradOutput.reshape(b.shape), db)
        return self.gradInput

    def _pair(self, input: list[Tensor]) -> list[Tensor]:
        a, b = check.tensors(self, "input", input, 2)
        if a.size != b.size:
            check.shape(self, "input[1]", b, a.shape)
        return [a, b]
