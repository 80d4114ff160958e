"""Squares."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class Square(Module):
    """The square of each element.

    .. math:: y = x^2

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Square``; C: ``THNN/activation/Square.c``.

    Examples
    --------
    >>> layer, x = nn.Square(), np.float32([-2, 1, 3])
    >>> layer.forward(x)
    array([4., 1., 9.], dtype=float32)
    >>> layer.backward(x, np.float32([1, 1, 1]))
    array([-4.,  2.,  6.], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "Square_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "Square_updateGradInput", input, gradOutput, gradInput)
        return gradInput
