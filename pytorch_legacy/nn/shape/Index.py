"""Slices picked by their indices."""

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor, take
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described


class Index(Module):
    """Picks slices along one dimension by a vector of indices; both count from 0: Lua's ``nn.Index(2)`` is ``nn.Index(1)``::

        output       = input[0].take(input[1], axis=dimension)
        gradInput[0] = the sum of the gradients of every copy of a slice
        gradInput[1] = 0

    Parameters
    ----------
    dimension : int
        Negative ones count from the end.

    Raises
    ------
    IndexRangeError
        If an index is out of range.

    Notes
    -----
    Indices are a vector of integers that count from 0. Source: Torch7 nn.Index.

    Examples
    --------
    >>> x, indices = np.float32([[1, 2], [3, 4], [5, 6]]), np.array([2, 0])
    >>> nn.Index(0).forward([x, indices])  # nn.Index(1) in Lua, and indices from 1
    array([[5., 6.],
           [1., 2.]], dtype=float32)
    """

    _file = Form(oneBased=("dimension",))
    _lua = Lua(inputs=(None, "indices"))

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.dimension = dimension
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        axis, shape = self._layout(input)
        return take(input[0], input[1], axis, self._resize("output", shape))

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        axis, shape = self._layout(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput: list[Tensor] = self._zeros("gradInput", input[:2], mustNotOverlap=gradOutput)
        np.add.at(np.moveaxis(gradInput[0], axis, 0), input[1], np.moveaxis(gradOutput, axis, 0))
        return gradInput

    def _layout(self, input: list[Tensor]) -> tuple[int, tuple[int, ...]]:
        array, indices = check.leading(self, "input", input, 2)
        axis = check.axis(self, self.dimension, check.tensor(self, "input[0]", array).ndim)
        if not is_tensor(indices) or indices.dtype.kind not in "iu" or indices.ndim != 1:
            raise DtypeError(f"{self._typename}: input[1]: expected a vector of integers, got {described(indices)}")
        check.below(self, "input[1]", indices, array.shape[axis], "indices from ")
        return axis, (*array.shape[:axis], indices.size, *array.shape[axis + 1 :])
