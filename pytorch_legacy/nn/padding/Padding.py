"""Constants put into one dimension."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import IndexRangeError
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module

Part = tuple[slice, ...]


class Padding(Module):
    """Lengthens one dimension, counted from 0, by constant slices: Lua's ``nn.Padding(2, 3)`` is ``nn.Padding(1, 3)``::

        output    = concatenate([input before the place, |pad| slices of value, input after it], axis=dim)
        gradInput = gradOutput without these slices

    Parameters
    ----------
    dim : int
        The dimension. Negative ones count from the end.
    pad : int
        Number of slices. Negative: the place counts from the beginning. Positive: it counts from the end.
    nInputDim : int, optional
        The rank of one sample. An input of another rank is a batch, and `dim` does not count its first dimension.
    value : float
        Value of all elements of the slices; 0 by default.
    index : int
        The place: 0, at the beginning or at the end, up to the size of the dimension.

    Raises
    ------
    IndexRangeError
        If the dimension or the place is out of range.

    Notes
    -----
    Source: Torch7 nn.Padding.

    Examples
    --------
    >>> x = np.float32([[1, 2], [3, 4]])
    >>> nn.Padding(1, 2, value=9).forward(x)  # nn.Padding(2, 2, 2, 9) in Lua
    array([[1., 2., 9., 9.],
           [3., 4., 9., 9.]], dtype=float32)
    >>> nn.Padding(1, -1).forward(x)
    array([[0., 1., 2.],
           [0., 3., 4.]], dtype=float32)
    """

    _file = Form(
        oneBased=("dim", "index"),
        scratch={"outputSize": lambda module: t7.longs([])},
        defaults={"nInputDim": None, "value": 0, "index": 0},
        kinds={"dim": "a whole number", "pad": "a whole number", "index": "a whole number"},
    )

    nInputDim: int | None = None
    value = 0.0
    index = 0

    def __init__(self, dim: int, pad: int, nInputDim: int | None = None, value: float = 0, index: int = 0) -> None:
        super().__init__()
        self.dim = dim
        self.pad = pad
        self.nInputDim = nInputDim
        self.value = value
        self.index = check.count(self, "index", index, 0)

    def updateOutput(self, input: Tensor) -> Tensor:
        shape, filled, parts = self._layout(input)
        output = self._resize("output", shape, mustNotOverlap=input)
        output[filled].fill(self.value)
        for source, target in parts:
            blocks.copy(output[target], input[source])
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape, _, parts = self._layout(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        for source, target in parts:
            blocks.copy(gradInput[source], gradOutput[target])
        return gradInput

    def _layout(self, input: Tensor) -> tuple[tuple[int, ...], Part, list[tuple[Part, Part]]]:
        """The shape of the output, its constants, and where the parts before and after them lie in input and output."""
        shape = check.tensor(self, "input", input).shape
        batch = self.nInputDim is not None and len(shape) != self.nInputDim
        axis = check.axis(self, self.dim, len(shape), "dim", batch)
        size, count = shape[axis], abs(self.pad)
        if not 0 <= self.index <= size:
            raise IndexRangeError.of(f"{self._typename}: index: {{}} is out of range for a dimension of size {size}", self.index)
        place = size - self.index if self.pad > 0 else self.index
        before = (slice(None),) * axis
        parts = [
            ((*before, slice(0, place)), (*before, slice(0, place))),
            ((*before, slice(place, size)), (*before, slice(place + count, size + count))),
        ]
        return (*shape[:axis], size + count, *shape[axis + 1 :]), (*before, slice(place, place + count)), parts
