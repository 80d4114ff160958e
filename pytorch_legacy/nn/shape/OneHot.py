"""Indices made vectors."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described


class OneHot(Module):
    """Turns each index into a vector that is 1 at that index and 0 elsewhere::

        output[..., j] = 1 if j == input[...] else 0
        gradInput      = 0

    Parameters
    ----------
    outputSize : int
        The length of the vectors: indices go from 0 to outputSize - 1.

    Raises
    ------
    IndexRangeError
        If an index is out of range.

    Notes
    -----
    The input is an array of any shape, of integers or of whole floating-point numbers, or one number; the output has
    one dimension more. Source: Torch7 nn.OneHot.

    Examples
    --------
    >>> nn.OneHot(3).forward(np.array([2, 0]))  # classes count from 0; from 1 in Lua
    array([[0., 0., 1.],
           [1., 0., 0.]], dtype=float32)
    """

    _file = Form(kinds={"outputSize": "a whole number"})
    _lua = Lua(inputs="indices")

    def __init__(self, outputSize: int) -> None:
        super().__init__()
        self.outputSize = check.count(self, "outputSize", outputSize)

    def updateOutput(self, input: Any) -> Tensor:
        indices = self._indices(input)
        output = self._resize("output", (*indices.shape, self.outputSize))
        np.equal(indices[..., None], np.arange(self.outputSize, like=output), out=output, casting="unsafe")
        return output

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Tensor:
        shape = self._indices(input).shape
        if gradOutput is not None:
            check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), (*shape, self.outputSize))
        gradInput: Tensor = self._zeros("gradInput", input if is_tensor(input) else np.empty(0, self._dtype))
        return gradInput

    def _indices(self, input: Any) -> Tensor:
        indices = check.numbers(self, "input", input, "an index or an array of indices")
        if check.looks(self) and not check.areWhole(indices):
            raise DtypeError(f"{self._typename}: input: expected an index or an array of indices, got {described(input)}")
        return check.below(self, "input", indices, self.outputSize, "indices from ")
