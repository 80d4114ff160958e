"""The quotient of two arrays."""

import numpy as np

from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class CDivTable(Module):
    """Divides the first array of a list by the second, element by element::

        output    = input[0] / input[1]
        gradInput = [gradOutput / input[1], -gradOutput * input[0] / input[1]**2]

    Notes
    -----
    Both have one shape. Division by zero gives infinity or NaN, without a warning. Source: Torch7 nn.CDivTable.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        a, b = check.alike(self, "input", input, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            return blocks.apply(np.divide, a, b, out=self._resize("output", a.shape))

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        a, b = check.alike(self, "input", input, 2)
        check.like(self, "gradOutput", gradOutput, a)
        da, db = self._resizeTable("gradInput", [a.shape, b.shape])
        with np.errstate(divide="ignore", invalid="ignore"):
            blocks.apply(np.divide, gradOutput, b, out=da)
            blocks.elements(self._byDivisor, db, da, a, b)
        return self.gradInput

    @staticmethod
    def _byDivisor(db: Tensor, da: Tensor, a: Tensor, b: Tensor) -> None:
        np.divide(da, b, out=db)
        np.multiply(db, a, out=db)
        np.negative(db, out=db)
