"""OpenNMT's join of arrays of which some are repeated."""

from itertools import accumulate
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class OnmtJoinReplicateTable(Module):
    """Joins arrays along one dimension, after it repeats those whose size is 1 along another dimension.

    Parameters
    ----------
    dimensionReplicate : int
        The dimension along which arrays of size 1 are repeated until they have the size of the others. Counts from 0.
    dimensionJoin : int
        The dimension along which the arrays are joined. Counts from 0.
    nInputDims : int, optional
        The rank of one sample. Inputs with one dimension more are batches, and the dimensions do not count theirs.

    Raises
    ------
    ShapeError
        If the sizes along dimensionReplicate are neither 1 nor equal, or others than those along dimensionJoin differ.

    Notes
    -----
    Negative dimensions count from the end. The gradient of a repeated array is the sum over its copies.
    Source: OpenNMT ``onmt.JoinReplicateTable``.

    Examples
    --------
    >>> a, b = np.float32([[1]]), np.float32([[2], [3]])
    >>> authors.OnmtJoinReplicateTable(0, 1).forward([a, b])
    array([[1., 2.],
           [1., 3.]], dtype=float32)
    """

    _typename = "onmt.JoinReplicateTable"
    _file = Form(
        oneBased=("dimensionReplicate", "dimensionJoin"),
        scratch={"size": lambda module: t7.longs([])},
        defaults={"nInputDims": None},
        kinds={"dimensionReplicate": "a whole number", "dimensionJoin": "a whole number"},
    )
    nInputDims: int | None = None

    def __init__(self, dimensionReplicate: int, dimensionJoin: int, nInputDims: int | None = None) -> None:
        super().__init__()
        self.dimensionReplicate = dimensionReplicate
        self.dimensionJoin = dimensionJoin
        self.nInputDims = nInputDims
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        arrays, axis, _ = self._repeated(input)
        shape = check.joint_shape(self, "input", arrays, axis)
        return np.concatenate(arrays, axis, out=self._resize("output", shape, mustNotOverlap=input))

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        arrays, axis, across = self._repeated(input)
        shape = check.joint_shape(self, "input", arrays, axis)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        ends = [*accumulate(array.shape[axis] for array in arrays)]
        gradInput = self._resizeTable("gradInput", [array.shape for array in input], mustNotOverlap=gradOutput)
        for gradient, part in zip(gradInput, np.split(gradOutput, ends[:-1], axis), strict=True):
            gradient[...] = part if gradient.shape == part.shape else compute.sum(part, across, keepdims=True)
        return gradInput

    def _repeated(self, input: Any) -> tuple[list[Tensor], int, int]:
        """Returns the arrays after repetition, and the dimensions along which they are joined and were repeated."""
        rank = check.tensors(self, "input", input)[0].ndim
        batch = check.batched(rank, self.nInputDims)
        axis = check.axis(self, self.dimensionJoin, rank, "dimensionJoin", batch)
        across = check.axis(self, self.dimensionReplicate, rank, "dimensionReplicate", batch)
        for i, array in enumerate(input):
            check.tensor(self, f"input[{i}]", array, rank)
        size = next((array.shape[across] for array in input if array.shape[across] != 1), 1)
        arrays = []
        for i, array in enumerate(input):
            if array.shape[across] not in (1, size):
                wanted = f"1 or {size} in dimension {across}"
                raise ShapeError(f"{self._typename}: input[{i}]: expected {wanted}, got {sizes(array.shape)}")
            arrays.append(np.broadcast_to(array, (*array.shape[:across], size, *array.shape[across + 1 :])))
        return arrays, axis, across
