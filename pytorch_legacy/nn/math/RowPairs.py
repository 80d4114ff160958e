"""The base class of layers that compute one number from two vectors."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class RowPairs(Native):
    """Takes a list of two vectors, or of two batches of vectors, and gives one number for each pair.

    A layer says by which name C knows it, and what its functions are given beside arrays.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        x, y = self._pair(input)
        output = self._resize("output", x.shape[:-1] or (1,))
        self._call("updateOutput", x, y)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        x, y = self._pair(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), x.shape[:-1] or (1,))
        gradInput = self._resizeTable("gradInput", [x.shape, y.shape])
        self._call("updateGradInput", x, y, gradOutput, *gradInput)
        return gradInput

    def _pair(self, input: list[Tensor]) -> list[Tensor]:
        pair = check.alike(self, "input", check.leading(self, "input", input, 2))
        check.tensor(self, "input[0]", pair[0], 1, 2)
        return pair
