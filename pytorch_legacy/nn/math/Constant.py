"""The same output for every input."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import ArrayField


class Constant(Module):
    """Gives a constant array, whatever its input::

        output    = value, once for each sample
        gradInput = 0

    Parameters
    ----------
    value : float or array
        A number stands for an array of one element.
    nInputDim : int, optional
        The rank of one sample. An input with more dimensions is a batch, and the output has one value for each sample.

    Notes
    -----
    Source: Torch7 nn.Constant.

    Examples
    --------
    >>> nn.Constant(np.float32([7, 8]), 1).forward(np.float32([[1, 2, 3], [4, 5, 6]]))
    array([[7., 8.],
           [7., 8.]], dtype=float32)
    """

    nInputDim: int | None = None

    _file = Form(defaults={"nInputDim": None}, kinds={"value": "a tensor"})
    _arrayFields = (ArrayField("value"),)

    def __init__(self, value: Any, nInputDim: int | None = None) -> None:
        super().__init__()
        self.value = np.atleast_1d(self._constant("value", value))
        self.nInputDim = nInputDim

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", self._shape(input))
        output[...] = self.value
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Any = None) -> Tensor:
        shape = self._shape(input)
        if gradOutput is not None:
            check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput: Tensor = self._zeros("gradInput", input)
        return gradInput

    def _shape(self, input: Tensor) -> tuple[int, ...]:
        check.array(self, "input", input)
        batch = input.shape[:1] if self.nInputDim is not None and input.ndim > self.nInputDim else ()
        return batch + self.value.shape
