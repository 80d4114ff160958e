"""A layer that does nothing, with a gradient of its own."""

from typing import Any

from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.utils import recursiveCopy


class CopyGrad(Identity):
    """Passes its input on, and a copy of the gradient back::

        output    = input
        gradInput = gradOutput

    Notes
    -----
    Any shape, any dtype. Source: Element-Research rnn ``CopyGrad``.

    Examples
    --------
    >>> layer, x, gradient = rnn.CopyGrad(), np.float32([1, 2]), np.float32([3, 4])
    >>> layer.forward(x) is x
    True
    >>> layer.backward(x, gradient)
    array([3., 4.], dtype=float32)
    >>> layer.gradInput is gradient
    False
    """

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        self.gradInput = recursiveCopy(self.gradInput, gradOutput)
        return self.gradInput
