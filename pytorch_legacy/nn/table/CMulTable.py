"""The product of a table of arrays."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class CMulTable(Module):
    """Multiplies the arrays of a list, element by element::

        output       = input[0] * input[1] * ...
        gradInput[i] = gradOutput * (product of the other inputs)

    Notes
    -----
    All inputs have as many elements; as in Torch7, the others are read in row-major order if their shape is not the first's.
    No gradient is computed by division, so zeros do no harm. Source: Torch7 nn.CMulTable.

    Examples
    --------
    >>> layer, x = nn.CMulTable(), [np.float32([1, 2]), np.float32([3, 4])]
    >>> layer.forward(x)
    array([3., 8.], dtype=float32)
    >>> layer.backward(x, np.float32([1, 1]))
    [array([3., 4.], dtype=float32), array([1., 2.], dtype=float32)]
    """

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        factors = check.terms(self, "input", input)
        output = self._resize("output", input[0].shape, mustNotOverlap=input)
        self._product(output.reshape(factors[0].shape), *factors)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        factors = check.terms(self, "input", input)
        gradOutput = check.gradient(self, gradOutput, input[0])
        shape = factors[0].shape
        gradInput = self._resizeTable("gradInput", [array.shape for array in input], mustNotOverlap=[input, gradOutput])
        for i, gradient in enumerate(gradInput):
            self._product(gradient.reshape(shape), gradOutput.reshape(shape), *factors[:i], *factors[i + 1 :])
        return gradInput

    @staticmethod
    def _product(target: Tensor, *factors: Tensor) -> None:
        if len(factors) == 2:
            blocks.apply(np.multiply, *factors, out=target)
            return

        def multiply(target: Tensor, first: Tensor, *others: Tensor) -> None:
            np.copyto(target, first)
            for factor in others:
                target *= factor

        blocks.elements(multiply, target, *factors)
