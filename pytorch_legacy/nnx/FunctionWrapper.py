"""A module of functions."""

from collections.abc import Callable
from typing import Any

from pytorch_legacy.nn.Module import Module


class FunctionWrapper(Module):
    """Calls functions of its owner::

        output    = updateOutput(self, input)
        gradInput = updateGradInput(self, input, gradOutput)

    Parameters
    ----------
    init : callable
        Called once with the module, whose fields it may set.
    updateOutput, updateGradInput : callable
        What the passes call, with the module first.

    Notes
    -----
    Source: nnx ``FunctionWrapper``. Functions are no part of .t7 files.

    Examples
    --------
    >>> def reverse(self, input, gradOutput=None):
    ...     return (input if gradOutput is None else gradOutput)[::-1]
    >>> layer = nnx.FunctionWrapper(lambda self: None, reverse, reverse)
    >>> layer.forward(np.array([1.0, 2.0])), layer.backward(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    (array([2., 1.]), array([4., 3.]))
    """

    changesDtype = True

    def __init__(self, init: Callable[..., Any], updateOutput: Callable[..., Any], updateGradInput: Callable[..., Any]) -> None:
        super().__init__()
        init(self)
        self.fn_updateOutput, self.fn_updateGradInput = updateOutput, updateGradInput

    def updateOutput(self, input: Any) -> Any:
        self.output = self.fn_updateOutput(self, input)
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        self.gradInput = self.fn_updateGradInput(self, input, gradOutput)
        return self.gradInput
