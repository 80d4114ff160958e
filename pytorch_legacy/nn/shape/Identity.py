"""A layer that does nothing."""

from typing import Any

from pytorch_legacy.nn.Module import Module


class Identity(Module):
    """Passes an array or a table on, not a copy of it::

        output    = input
        gradInput = gradOutput

    Notes
    -----
    Any shape, any dtype. Source: Torch7 nn.Identity.

    Examples
    --------
    >>> nn.Identity().forward(np.float32([1, 2]))
    array([1., 2.], dtype=float32)
    """

    _takesAnyType = True

    def updateOutput(self, input: Any) -> Any:
        self.output = input
        return input

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        self.gradInput = gradOutput
        return gradOutput
