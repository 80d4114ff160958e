"""The sign turned round."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class Minus(Module):
    """Negates each element::

        output    = -input
        gradInput = -gradOutput

    Notes
    -----
    Any shape. Source: nnx ``Minus``.

    Examples
    --------
    >>> nnx.Minus().forward(np.float32([1, -2]))
    array([-1.,  2.], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        return blocks.negate(input, self._resize("output", check.tensor(self, "input", input).shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        return blocks.negate(gradOutput, self._resize("gradInput", input.shape))
