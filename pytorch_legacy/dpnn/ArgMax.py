"""The position of the largest element."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class ArgMax(Module):
    """Gives the index of the largest element along a dimension; both count from 0: Lua's ``nn.ArgMax(2)`` is ``nn.ArgMax(1)``::

        output    = argmax(input, axis=dim)
        gradInput = 0

    Parameters
    ----------
    dim : int
        Negative ones count from the end.
    nInputDim : int, optional
        The rank of one sample. An input with more dimensions is a batch, and `dim` does not count its first.
    asLong : bool
        Give integers (int64); otherwise numbers of the module's dtype.

    Raises
    ------
    IndexRangeError, ShapeError
        If the input has no such dimension, or no element along it.

    Notes
    -----
    Indices count from 0. Of equal elements the first one counts, and a NaN is larger than any number. A vector gives an
    array of one index. gradOutput is not looked at. Source: Element-Research dpnn ``ArgMax``.

    Examples
    --------
    >>> dpnn.ArgMax(1).forward(np.float32([[1, 9, 3], [7, 5, 6]]))  # nn.ArgMax(2), and 2 and 1, in Lua
    array([1, 0])
    """

    _file = Form(
        oneBased=("dim",),
        dropped=("_indices", "_value"),
        defaults={"dim": 0, "nInputDim": 9999, "asLong": True},
        kinds={"dim": "a whole number"},
    )
    _lua = Lua(outputs="indices")

    def __init__(self, dim: int = 0, nInputDim: int | None = None, asLong: bool = True) -> None:
        super().__init__()
        self.dim = dim
        self.nInputDim = 9999 if nInputDim is None else check.count(self, "nInputDim", nInputDim)
        self.asLong = asLong

    def updateOutput(self, input: Tensor) -> Tensor:
        rank = check.tensor(self, "input", input).ndim
        axis = check.axis(self, self.dim, rank, "dim", int(rank > self.nInputDim))
        if not input.shape[axis]:
            raise ShapeError(f"{self._typename}: input: expected elements along dimension {axis}, got none")
        found = input.argmax(axis)
        output = self._resize("output", found.shape or (1,), np.dtype(np.int64) if self.asLong else None)
        output[...] = found
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Any) -> Tensor:
        gradInput: Tensor = self._zeros("gradInput", check.tensor(self, "input", input))
        return gradInput
