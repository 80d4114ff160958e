"""Dimensions swapped."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arguments import checked
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import FieldError, ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described


class Transpose(Module):
    """Swaps dimensions, counted from 0, pair after pair: Lua's ``nn.Transpose({1, 2})`` is ``nn.Transpose((0, 1))``::

        output    = input.swapaxes(*pairs[0]).swapaxes(*pairs[1])...
        gradInput = gradOutput, swapped back

    Parameters
    ----------
    pairs : pairs of int
        ``Transpose((0, 1), (1, 2))``: each pair names two dimensions as they are after the swaps before. Negative ones
        count from the end.

    Notes
    -----
    Arrays of every type pass, in their own type. The field of the pairs is called ``permutations``. Source: Torch7 nn.Transpose.

    Examples
    --------
    >>> x = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> nn.Transpose((0, 1)).forward(x)  # nn.Transpose({1, 2}) in Lua
    array([[0., 3.],
           [1., 4.],
           [2., 5.]], dtype=float32)
    """

    _takesAnyType = True
    _file = Form(oneBased=("permutations",))
    _lua = Lua(arguments={"pairs": "positions"})
    numInputDims: int | None = None

    def __init__(self, *pairs: Any) -> None:
        super().__init__()
        self.permutations = [list(check.integers(self, "pairs", pair)) for pair in pairs]
        for pair in self.permutations:
            if len(pair) != 2:
                raise ShapeError(f"{self._typename}: pairs: expected pairs of dimensions, got {pair}")

    @checked
    def setNumInputDims(self, numInputDims: int | None) -> Self:
        """Says how many dimensions a sample has; pairs do not count those before. Returns self."""
        self.numInputDims = numInputDims
        return self

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        pairs = fields.get("permutations", [])
        pairs = [] if isinstance(pairs, dict) and not pairs else pairs
        if not isinstance(pairs, list) or not all(map(_is_pair, pairs)):
            raise FieldError(f"permutations: expected pairs of dimensions, got {described(pairs)}")
        # Torch7 looked at the first two of each. A storage is a pair, too.
        super()._fromTorch7(fields | {"permutations": [[*pair[:2]] for pair in pairs]}, version)

    def updateOutput(self, input: Tensor) -> Tensor:
        return self._copied("output", input, self._order(input))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        order = self._order(input)
        check.like(self, "gradOutput", gradOutput, input.transpose(order))
        return self._copied("gradInput", gradOutput, [int(d) for d in np.argsort(order)])

    def _order(self, input: Tensor) -> list[int]:
        """Returns, for each dimension of the output, the dimension of the input that it is."""
        rank = check.array(self, "input", input).ndim
        batch = 0 if self.numInputDims is None else rank - self.numInputDims
        order = list(range(rank))
        for pair in self.permutations:
            a, b = (check.axis(self, d, rank, batch=batch) for d in pair)
            order[a], order[b] = order[b], order[a]
        return order

    def _copied(self, name: str, array: Tensor, order: list[int]) -> Tensor:
        view = array.transpose(order)
        return blocks.elements(np.copyto, self._resize(name, view.shape, view.dtype), view)


def _is_pair(value: Any) -> bool:
    isLong = isinstance(value, (list, np.ndarray)) and np.ndim(value) < 2 and len(value) > 1
    return isLong and all(isinstance(d, (int, float, np.integer)) for d in value[:2])
