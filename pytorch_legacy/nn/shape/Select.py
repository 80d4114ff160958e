"""One slice of an array."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class Select(Module):
    """Copies one slice of its input; both numbers count from 0: Lua's ``nn.Select(2, 5)`` is ``nn.Select(1, 4)``::

        output    = input[..., index, ...]
        gradInput = gradOutput there, 0 elsewhere

    Parameters
    ----------
    dimension, index : int
        The dimension, batch included, and the place in it. Negative ones count from the end.

    Raises
    ------
    ShapeError
        If the input has fewer than two dimensions.
    IndexRangeError
        If dimension or index are out of range.

    Notes
    -----
    Arrays of every type pass, in their own type. Source: Torch7 nn.Select.

    Examples
    --------
    >>> x = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> layer = nn.Select(1, -1)  # the last column; nn.Select(2, -1) in Lua
    >>> layer.forward(x)
    array([2., 5.], dtype=float32)
    >>> layer.backward(x, np.float32([1, 2]))
    array([[0., 0., 1.],
           [0., 0., 2.]], dtype=float32)
    """

    _takesAnyType = True
    _file = Form(oneBased=("dimension", "index"), kinds={"index": "a whole number"})

    def __init__(self, dimension: int, index: int) -> None:
        super().__init__()
        self.dimension = dimension
        self.index = index

    def updateOutput(self, input: Tensor) -> Tensor:
        part = input[self._place(input)]
        output = self._resize("output", part.shape, part.dtype)
        output[...] = part
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        place = self._place(input)
        check.like(self, "gradOutput", gradOutput, input[place])
        gradInput: Tensor = self._zeros("gradInput", input, mustNotOverlap=gradOutput)
        gradInput[place] = gradOutput
        return gradInput

    def _place(self, input: Tensor) -> tuple[slice | int, ...]:
        if check.array(self, "input", input).ndim < 2:
            raise ShapeError(f"{self._typename}: input: expected 2 or more dimensions, got {sizes(input.shape)}")
        axis = check.axis(self, self.dimension, input.ndim)
        return (*(slice(None),) * axis, check.place(self, "index", self.index, input.shape[axis]))
