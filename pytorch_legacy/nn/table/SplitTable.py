"""An array made a table."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class SplitTable(Module):
    """Cuts an array along a dimension, counted from 0, into a list: Lua's ``nn.SplitTable(2)`` is ``nn.SplitTable(1)``::

        output[i] = input[..., i, ...]
        gradInput = stack(gradOutput, axis=dimension)

    The slices are views of the input.

    Parameters
    ----------
    dimension : int
        Dimension along which to cut. Negative ones count from the end.
    nInputDims : int, optional
        The rank of one sample. An input with one dimension more is a batch, and `dimension` does not count its first.

    Raises
    ------
    ShapeError
        If the input has fewer than two dimensions.

    Notes
    -----
    Arrays of every type pass, in their own type. Source: Torch7 nn.SplitTable.

    Examples
    --------
    >>> x = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> nn.SplitTable(0).forward(x)  # nn.SplitTable(1) in Lua
    [array([0., 1., 2.], dtype=float32), array([3., 4., 5.], dtype=float32)]
    >>> nn.SplitTable(-1).forward(x)
    [array([0., 3.], dtype=float32), array([1., 4.], dtype=float32), array([2., 5.], dtype=float32)]
    """

    _takesAnyType = True
    _file = Form(oneBased=("dimension",), defaults={"nInputDims": None})
    _lua = Lua(renewed=("output",))
    nInputDims: int | None = None

    def __init__(self, dimension: int, nInputDims: int | None = None) -> None:
        super().__init__()
        self.dimension = dimension
        self.nInputDims = nInputDims
        self.output = []

    def updateOutput(self, input: Tensor) -> list[Tensor]:
        self.output = self._slices(input)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: list[Tensor]) -> Tensor | None:
        check.like(self, "gradOutput", gradOutput, self._slices(input))
        if self.gradInput is None:
            return None
        gradInput = self._resize("gradInput", input.shape, check.gradientDtype(self, input), mustNotOverlap=gradOutput)
        for target, gradient in zip(self._slices(gradInput), gradOutput, strict=True):
            target[...] = gradient
        return gradInput

    def _slices(self, array: Tensor) -> list[Tensor]:
        if check.array(self, "input", array).ndim < 2:
            raise ShapeError(f"{self._typename}: input: expected 2 or more dimensions, got {sizes(array.shape)}")
        axis = check.axis(self, self.dimension, array.ndim, batch=check.batched(array.ndim, self.nInputDims))
        return list(np.moveaxis(array, axis, 0))
