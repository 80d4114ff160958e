"""All dimensions of a sample made one."""

from math import prod

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class Collapse(Module):
    """Turns its input, or each sample of a batch, into a vector::

        output    = input.reshape(-1)  or  input.reshape(len(input), -1)
        gradInput = gradOutput.reshape(input.shape)

    The result is a view of the input unless that is not contiguous.

    Parameters
    ----------
    nInputDim : int
        The rank of one sample: an input with more dimensions is a batch.

    Notes
    -----
    Arrays of every type pass, in their own type. Source: Torch7 nn.Collapse.

    Examples
    --------
    >>> nn.Collapse(3).forward(np.zeros((5, 2, 3, 4), np.float32)).shape  # five samples of three dimensions
    (5, 24)
    >>> nn.Collapse(3).forward(np.zeros((2, 3, 4), np.float32)).shape  # one
    (24,)
    """

    _takesAnyType = True

    def __init__(self, nInputDim: int) -> None:
        super().__init__()
        self.nInputDim = check.count(self, "nInputDim", nInputDim, 0)

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = self._shape(input)
        self.output = self._contiguous("_input", input).reshape(shape)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, input, self._shape(input))
        self.gradInput = self._contiguous("_gradOutput", gradOutput).reshape(input.shape)
        return self.gradInput

    def clearState(self) -> "Collapse":
        clear(self, "_input", "_gradOutput")
        super().clearState()
        return self

    def _shape(self, input: Tensor) -> tuple[int, ...]:
        shape = check.array(self, "input", input).shape
        return (shape[0], prod(shape[1:])) if len(shape) > self.nInputDim else (prod(shape),)
