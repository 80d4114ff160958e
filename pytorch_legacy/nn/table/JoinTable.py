"""A table of arrays made one array."""

from itertools import accumulate

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class JoinTable(Module):
    """Joins the arrays of a list along one dimension, counted from 0: Lua's ``nn.JoinTable(2)`` is ``nn.JoinTable(1)``::

        output       = concatenate(input, axis=dimension)
        gradInput[i] = the part of gradOutput that came from input[i]

    Parameters
    ----------
    dimension : int
        Dimension along which to join; all other sizes agree. Negative ones count from the end.
    nInputDims : int, optional
        The rank of one sample. Inputs with one dimension more are batches, and `dimension` does not count theirs.

    Notes
    -----
    Source: Torch7 nn.JoinTable.

    Examples
    --------
    >>> a, b = np.zeros((2, 3), np.float32), np.ones((2, 1), np.float32)
    >>> nn.JoinTable(1).forward([a, b])  # nn.JoinTable(2) in Lua
    array([[0., 0., 0., 1.],
           [0., 0., 0., 1.]], dtype=float32)
    >>> nn.JoinTable(0, nInputDims=1).forward([a, b]).shape  # dimension 0 of each sample: the batch does not count
    (2, 4)
    """

    _file = Form(oneBased=("dimension",), scratch={"size": lambda module: t7.longs([])}, defaults={"nInputDims": None})
    nInputDims: int | None = None

    def __init__(self, dimension: int, nInputDims: int | None = None) -> None:
        super().__init__()
        self.dimension = dimension
        self.nInputDims = nInputDims
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        axis, shape = self._layout(input)
        output = self._resize("output", shape, mustNotOverlap=input)
        for part, array in zip(self._parts(output, input, axis), input, strict=True):
            blocks.copy(part, array)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        axis, shape = self._layout(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resizeTable("gradInput", [array.shape for array in input], mustNotOverlap=gradOutput)
        for gradient, part in zip(gradInput, self._parts(gradOutput, input, axis), strict=True):
            blocks.copy(gradient, part)
        return gradInput

    @staticmethod
    def _parts(joined: Tensor, input: list[Tensor], axis: int) -> list[Tensor]:
        """Returns the slice of the joined array that belongs to each array of the input."""
        ends = [*accumulate(array.shape[axis] for array in input)]
        return np.split(joined, ends[:-1], axis)

    def _layout(self, input: list[Tensor]) -> tuple[int, tuple[int, ...]]:
        rank = check.tensors(self, "input", input)[0].ndim
        axis = check.axis(self, self.dimension, rank, batch=check.batched(rank, self.nInputDims))
        return axis, check.joint_shape(self, "input", input, axis)
