"""What layers have in common that make one number of two vectors."""

from typing import ClassVar

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class RowPairs(Module):
    """Takes a list of two vectors, or of two batches of vectors, and gives one number for each pair.

    A layer says by which name C knows it, and what its functions are given beside arrays.
    """

    _layer: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        x, y = self._pair(input)
        output = self._resize("output", x.shape[:-1] or (1,))
        call(self, f"{self._layer}_updateOutput", x, y, output, *self._numbers())
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        x, y = self._pair(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), x.shape[:-1] or (1,))
        gradInput = self._resizeTable("gradInput", [x.shape, y.shape])
        call(self, f"{self._layer}_updateGradInput", x, y, gradOutput, *gradInput, *self._numbers())
        return gradInput

    def _numbers(self) -> tuple[float, ...]:
        return ()

    def _pair(self, input: list[Tensor]) -> list[Tensor]:
        pair = check.alike(self, "input", check.leading(self, "input", input, 2))
        check.tensor(self, "input[0]", pair[0], 1, 2)
        return pair
