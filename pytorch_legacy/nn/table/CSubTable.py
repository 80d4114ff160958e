"""The difference of two arrays."""

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class CSubTable(Module):
    """Subtracts the second array of a list from the first::

        output    = input[0] - input[1]
        gradInput = [gradOutput, -gradOutput]

    Notes
    -----
    Both have one shape. Source: Torch7 nn.CSubTable.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        a, b = check.alike(self, "input", input, 2)
        return np.subtract(a, b, out=self._resize("output", a.shape))

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        a, b = check.alike(self, "input", input, 2)
        check.like(self, "gradOutput", gradOutput, a)
        da, db = self._resizeTable("gradInput", [a.shape, b.shape])
        da[...] = gradOutput
        np.negative(gradOutput, out=db)
        return self.gradInput
