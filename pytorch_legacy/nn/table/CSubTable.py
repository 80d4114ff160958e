"""The difference of two arrays."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class CSubTable(Module):
    """Subtracts the second array of a list from the first::

        output    = input[0] - input[1]
        gradInput = [gradOutput, -gradOutput]

    Notes
    -----
    Both have as many elements; as in Torch7, the second one is read in row-major order if its shape is another, and further
    entries of the list are left alone: ``gradInput`` has none for them.
    Source: Torch7 nn.CSubTable.

    Examples
    --------
    >>> layer, x = nn.CSubTable(), [np.float32([5, 7]), np.float32([1, 2])]
    >>> layer.forward(x)
    array([4., 5.], dtype=float32)
    >>> layer.backward(x, np.float32([1, 1]))
    [array([1., 1.], dtype=float32), array([-1., -1.], dtype=float32)]
    """

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        a, b = check.terms(self, "input", check.leading(self, "input", input, 2))
        output = self._resize("output", input[0].shape)
        blocks.apply(np.subtract, a, b, out=output.reshape(a.shape))
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        check.terms(self, "input", check.leading(self, "input", input, 2))
        gradOutput = check.gradient(self, gradOutput, input[0])
        da, db = self._resizeTable("gradInput", [array.shape for array in input[:2]], mustNotOverlap=gradOutput)
        blocks.copy(da, gradOutput)
        blocks.negate(gradOutput, db.reshape(gradOutput.shape))
        return self.gradInput
