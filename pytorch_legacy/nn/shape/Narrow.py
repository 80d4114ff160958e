"""A stretch of a dimension."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import IndexRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class Narrow(Module):
    """Copies a stretch of its input; dimension and offset count from 0: Lua's ``nn.Narrow(2, 5, 3)`` is ``nn.Narrow(1, 4, 3)``::

        output    = input[..., offset : offset + length, ...]
        gradInput = gradOutput there, 0 elsewhere

    Parameters
    ----------
    dimension : int
        Negative ones count from the end.
    offset : int
        Index of the first element. A negative one, as in Torch7, means all but the last `length` elements.
    length : int
        Number of elements; 1 by default. Negative ones count from the end: -1 takes everything from `offset` on,
        -2 leaves one out.

    Raises
    ------
    IndexRangeError
        If the stretch does not lie within the input.

    Notes
    -----
    Arrays of every type pass, in their own type. The offset's field is called ``index``. Source: Torch7 nn.Narrow.

    Examples
    --------
    >>> x = np.arange(10, dtype=np.float32).reshape(2, 5)
    >>> nn.Narrow(1, 2, 3).forward(x)  # x[:, 2:5]; nn.Narrow(2, 3, 3) in Lua
    array([[2., 3., 4.],
           [7., 8., 9.]], dtype=float32)
    >>> nn.Narrow(1, 1, -2).forward(x).shape  # up to the second from the end
    (2, 3)
    """

    _takesAnyType = True
    _file = Form(
        oneBased=("dimension", "index"), defaults={"length": 1}, kinds=dict.fromkeys(("index", "length"), "a whole number")
    )
    _lua = Lua(arguments={"offset": "positions"})

    def __init__(self, dimension: int, offset: int, length: int = 1) -> None:
        super().__init__()
        self.dimension = dimension
        self.index = offset
        self.length = length

    def updateOutput(self, input: Tensor) -> Tensor:
        part = input[self._window(input)]
        output = self._resize("output", part.shape, part.dtype)
        output[...] = part
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        window = self._window(input)
        check.like(self, "gradOutput", gradOutput, input[window])
        gradInput: Tensor = self._zeros("gradInput", input, mustNotOverlap=gradOutput)
        gradInput[window] = gradOutput
        return gradInput

    def _window(self, input: Tensor) -> tuple[slice, ...]:
        axis = check.axis(self, self.dimension, check.array(self, "input", input).ndim)
        size, start, length = input.shape[axis], self.index, self.length
        if start < 0:
            start, length = 0, size - length
        elif length < 0:
            length += size - start + 1
        if length < 0 or start + length > size:
            raise IndexRangeError.of(
                f"{self._typename}: offset {{}}, length {self.length}: out of range for dimension {{}} of size {size}",
                self.index,
                axis,
            )
        return (*(slice(None),) * axis, slice(start, start + length))
