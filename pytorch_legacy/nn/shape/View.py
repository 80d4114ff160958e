"""The same elements, with other sizes."""

from math import prod
from typing import Any, Self

from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files import migration
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes


class View(Module):
    """Gives the elements of the input new sizes, and keeps a batch a batch::

        output    = input.reshape(batch, *sizes)  or  input.reshape(*sizes)
        gradInput = gradOutput.reshape(input.shape)

    The result is a view of the input unless that is not contiguous. With `n` elements in `sizes` and no -1 among
    them, an input of ``batch * n`` elements is a batch, but a batch of one counts as a single sample unless
    ``setNumInputDims`` says how many dimensions a sample has.

    Parameters
    ----------
    sizes : int
        Positive sizes; one may be -1 and stands for what is left.

    Raises
    ------
    ShapeError
        If the elements of the input do not fill the sizes.

    Notes
    -----
    Arrays of integers (indices) pass too. Source: Torch7 nn.View.

    Examples
    --------
    >>> x = np.arange(12, dtype=np.float32).reshape(2, 2, 3)  # two samples of 2 x 3
    >>> nn.View(6).forward(x)
    array([[ 0.,  1.,  2.,  3.,  4.,  5.],
           [ 6.,  7.,  8.,  9., 10., 11.]], dtype=float32)
    >>> nn.View(-1, 3).forward(x).shape
    (4, 3)
    """

    _takesAnyType = True
    _file = Form(kinds={"numElements": "a whole number", "size": "sizes"})
    numInputDims: int | None = None

    def __init__(self, *sizes: int | tuple[int, ...]) -> None:
        super().__init__()
        self.resetSize(*sizes)

    def resetSize(self, *sizes: Any) -> Self:
        """Sets other sizes, given one by one or as a tuple, and returns self."""
        sizes = check.integers(self, "sizes", sizes[0] if len(sizes) == 1 else sizes)
        if any(size < 1 and size != -1 for size in sizes) or sizes.count(-1) > 1:
            raise ValueRangeError(f"{self._typename}: sizes: expected positive ones and at most one -1, got {sizes}")
        self.size = sizes
        self.numElements = prod(size for size in sizes if size != -1)
        return self

    @checked
    def setNumInputDims(self, numInputDims: int | None) -> Self:
        """Says how many dimensions a sample has: those before are the batch. Returns self."""
        self.numInputDims = numInputDims
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        check.array(self, "input", input)
        self.output = self._contiguous("_input", input).reshape(self._sizes(input.shape))
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = self._sizes(check.array(self, "input", input).shape)
        gradOutput = check.gradient(self, gradOutput, input, shape)
        self.gradInput = self._contiguous("_gradOutput", gradOutput).reshape(input.shape)
        return self.gradInput

    def clearState(self) -> Self:
        clear(self, "_input", "_gradOutput")
        return super().clearState()

    def _sizes(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The sizes of the output for an input of that shape."""
        rank = len(shape)
        outer = 0 if self.numInputDims is None else max(rank - self.numInputDims, 0)
        batch, rest = prod(shape[:outer]), prod(shape[outer:])
        if rest % self.numElements:
            raise ShapeError(f"{self._typename}: input: {sizes(shape)} does not fill {sizes(self.size)}")
        rest //= self.numElements
        if -1 not in self.size:
            batch *= rest
        sample = tuple(rest if size == -1 else size for size in self.size)
        return sample if batch == 1 and outer == 0 else (batch, *sample)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        if fields.get("numElements") is None:
            migration.note(self, "numElements", "missing: from the sizes")
        self.resetSize(self.size)

    def __repr__(self) -> str:
        return f"{self._typename}({', '.join(map(str, self.size))})"
