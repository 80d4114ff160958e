"""The same array several times."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class Replicate(Module):
    """Repeats its input along a new dimension, counted from 0: Lua's ``nn.Replicate(3, 2)`` is ``nn.Replicate(3, 1)``::

        output    = input, nFeature times
        gradInput = sum(gradOutput, axis=dim)

    The output is a read-only view of the input: its elements are not repeated in memory.

    Parameters
    ----------
    nFeature : int
        How often.
    dim : int
        Position of the new dimension in the output; 0 by default. Negative ones count from the output's end.
    ndim : int, optional
        The rank of one sample. If the input has more dimensions, `dim` does not count the first, that of the batch.

    Notes
    -----
    Any shape; arrays of integers pass too. Source: Torch7 nn.Replicate.

    Examples
    --------
    >>> nn.Replicate(2).forward(np.float32([1, 2, 3]))
    array([[1., 2., 3.],
           [1., 2., 3.]], dtype=float32)
    >>> nn.Replicate(2, 1).forward(np.float32([1, 2, 3])).shape  # nn.Replicate(2, 2) in Lua
    (3, 2)
    """

    _takesAnyType = True
    _file = Form(oneBased=("dim",), defaults={"dim": 0, "ndim": None}, kinds={"dim": "a whole number"})
    dim = 0
    ndim: int | None = None

    def __init__(self, nFeature: int, dim: int = 0, ndim: int | None = None) -> None:
        super().__init__()
        self.nfeatures = check.count(self, "nFeature", nFeature)
        self.dim = dim
        self.ndim = ndim

    def updateOutput(self, input: Tensor) -> Tensor:
        axis, shape = self._layout(input)
        self.output = self._made("output", shape, np.broadcast_to, np.expand_dims(input, axis), shape)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        axis, shape = self._layout(input)
        check.shape(self, "gradOutput", check.slopes(self, "gradOutput", gradOutput, input), shape)
        gradInput = self._resize("gradInput", input.shape, gradOutput.dtype, mustNotOverlap=gradOutput)
        gradInput.fill(0)
        blocks.addUp(np.expand_dims(gradInput, axis), gradOutput)
        return gradInput

    def _layout(self, input: Tensor) -> tuple[int, tuple[int, ...]]:
        """The dimension of the copies, and the shape of the output."""
        rank = check.array(self, "input", input).ndim
        axis = check.axis(self, self.dim, rank + 1, "dim", int(self.ndim is not None and rank > self.ndim))
        copies = check.count(self, "nfeatures", self.nfeatures)
        return axis, (*input.shape[:axis], copies, *input.shape[axis:])
