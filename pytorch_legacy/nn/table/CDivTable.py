"""The quotient of two arrays."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class CDivTable(Module):
    """Divides the first array of a list by the second, element by element::

        output    = input[0] / input[1]
        gradInput = [gradOutput / input[1], -gradOutput * input[0] / input[1]**2]

    Notes
    -----
    Both have as many elements; as in Torch7, the second is read in row-major order if its shape is not the first's, and further
    entries of the list are left alone: ``gradInput`` has none for them.
    Division by zero gives infinity or NaN, without a warning. Source: Torch7 nn.CDivTable.

    Examples
    --------
    >>> nn.CDivTable().forward([np.float32([6, 8]), np.float32([2, 4])])
    array([3., 2.], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        a, b = check.terms(self, "input", check.leading(self, "input", input, 2))
        output = self._resize("output", input[0].shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            blocks.apply(np.divide, a, b, out=output.reshape(a.shape))
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        a, b = check.terms(self, "input", check.leading(self, "input", input, 2))
        gradOutput = check.gradient(self, gradOutput, input[0])
        gradInput = self._resizeTable("gradInput", [array.shape for array in input[:2]], mustNotOverlap=input)
        da, db = (gradient.reshape(a.shape) for gradient in gradInput)
        with np.errstate(divide="ignore", invalid="ignore"):
            blocks.apply(np.divide, gradOutput.reshape(a.shape), b, out=da)
            blocks.elements(self._byDivisor, db, da, a, b)
        return gradInput

    @staticmethod
    def _byDivisor(db: Tensor, da: Tensor, a: Tensor, b: Tensor) -> None:
        np.divide(da, b, out=db)
        np.multiply(db, a, out=db)
        np.negative(db, out=db)
