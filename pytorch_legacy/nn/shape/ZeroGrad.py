"""The end of the way back."""

from typing import Any

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class ZeroGrad(Module):
    """Passes its input on, not a copy of it, and lets no gradient through::

        output    = input
        gradInput = 0

    Notes
    -----
    Arrays of any shape, or tables of them. Source: Torch7 nn.ZeroGrad.

    Examples
    --------
    >>> layer, x = nn.ZeroGrad(), np.float32([1, 2])
    >>> layer.forward(x)
    array([1., 2.], dtype=float32)
    >>> layer.backward(x, np.float32([3, 4]))
    array([0., 0.], dtype=float32)
    """

    _takesAnyType = True

    def updateOutput(self, input: Any) -> Any:
        self.output = check.arrays(self, "input", input)
        return input

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        if is_tensor(input) and gradOutput is not None:
            check.gradient(self, gradOutput, input)
        elif gradOutput is not None:
            check.like(self, "gradOutput", gradOutput, input)
        return self._zeros("gradInput", input)
