"""The only entry of a table."""

from typing import Any

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class JustElement(Module):
    """Takes the entry out of a table that has one: ``[x]`` becomes ``x``.

    Notes
    -----
    Source: Torch7 nngraph.JustElement, which ``node:split(1)`` uses.

    Examples
    --------
    >>> nngraph.JustElement().forward([np.float32([1, 2])])
    array([1., 2.], dtype=float32)
    """

    def updateOutput(self, input: list[Any]) -> Any:
        (self.output,) = check.table(self, "input", input, 1)
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: Any) -> list[Any]:
        self.gradInput = [gradOutput]
        return self.gradInput
