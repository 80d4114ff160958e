"""One array repeated to the shape of another."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class ExpandAs(Module):
    """Repeats the second of two arrays, along dimensions where its size is 1, to the shape of the first::

        output    = [input[0], input[1] as large as input[0]]
        gradInput = [gradOutput[0], the sums of gradOutput[1] over what was repeated]

    Raises
    ------
    ShapeError
        If the arrays differ in rank, or in a size where the second one's is not 1.

    Notes
    -----
    The outputs are views of the inputs. Source: Element-Research rnn ``ExpandAs``.

    Examples
    --------
    >>> layer, x = rnn.ExpandAs(), [np.zeros((2, 3), np.float32), np.float32([[1], [2]])]
    >>> layer.forward(x)[1].tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    >>> layer.backward(x, [x[0], np.ones((2, 3), np.float32)])[1].tolist()  # summed over the columns
    [[3.0], [3.0]]
    """

    _file = Form(scratch={"sum1": None, "sum2": None})

    def __init__(self) -> None:
        super().__init__()
        self.output, self.gradInput = [], []

    def updateOutput(self, input: list[Tensor]) -> list[Tensor]:
        first, second = check.tensors(self, "input", input, 2)
        self._repeated(first, second)
        self.output = [first, np.broadcast_to(second, first.shape)]
        return self.output

    def updateGradInput(self, input: list[Tensor], gradOutput: list[Tensor]) -> list[Tensor]:
        first, second = check.tensors(self, "input", input, 2)
        check.like(self, "gradOutput", gradOutput, [first, first])
        self.gradInput = [gradOutput[0], compute.sum(gradOutput[1], self._repeated(first, second), keepdims=True)]
        return self.gradInput

    def _repeated(self, first: Tensor, second: Tensor) -> tuple[int, ...]:
        """The dimensions along which the second array is repeated."""
        found = tuple(d for d, (ours, wanted) in enumerate(zip(second.shape, first.shape, strict=False)) if ours != wanted)
        if first.ndim != second.ndim or any(second.shape[d] != 1 for d in found):
            raise ShapeError(
                f"{self._typename}: input[1]: expected {sizes(first.shape)}, or 1 instead of any of these, "
                f"got {sizes(second.shape)}"
            )
        return found
