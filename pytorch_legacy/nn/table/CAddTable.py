"""The sum of a table of arrays."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


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
    All inputs have as many elements; as in Torch7, the others are read in row-major order if their shape is not the first's.
    Source: Torch7 nn.CAddTable.

    Examples
    --------
    >>> nn.CAddTable().forward([np.float32([1, 2]), np.float32([30, 40]), np.float32([500, 600])])
    array([531., 642.], dtype=float32)
    """

    inplace = False

    _file = Form(defaults={"inplace": False})

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        first, *others = check.terms(self, "input", input)
        self._bufferFor("output", input[0], mustNotOverlap=[first, *others])
        target = self.output.reshape(first.shape)
        if len(others) == 1:
            blocks.apply(np.add, first, *others, out=target)
            return self.output

        def add(output: Tensor, first: Tensor, *others: Tensor) -> None:
            np.copyto(output, first)
            for other in others:
                output += other

        blocks.elements(add, target, first, *others)
        return self.output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        check.terms(self, "input", input)
        gradOutput = check.gradient(self, gradOutput, input[0])
        if self.inplace:
            shapes = [array.shape for array in input]
            self.gradInput = [gradOutput if shape == gradOutput.shape else gradOutput.reshape(shape) for shape in shapes]
            self._ownBuffers -= {"gradInput"}
        else:
            if "gradInput" not in self._ownBuffers:  # entries are one array, of another module
                self.gradInput, self._ownBuffers = [], self._ownBuffers | {"gradInput"}
            for gradient in self._resizeTable("gradInput", [array.shape for array in input], mustNotOverlap=gradOutput):
                blocks.copy(gradient.reshape(gradOutput.shape), gradOutput)
        return self.gradInput
