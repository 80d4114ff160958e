"""A table of one entry."""

from typing import Any

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class JustTable(Module):
    """Makes a table with one entry of its input: ``x`` becomes ``[x]``.

    Notes
    -----
    Source: Torch7 nngraph.JustTable, which ``nngraph.nest`` uses.

    Examples
    --------
    >>> nngraph.JustTable().forward(np.float32([1, 2]))
    [array([1., 2.], dtype=float32)]
    """

    def updateOutput(self, input: Any) -> list[Any]:
        self.output = [input]
        return self.output

    def updateGradInput(self, input: Any, gradOutput: list[Any]) -> Any:
        (self.gradInput,) = check.table(self, "gradOutput", gradOutput, 1)
        return self.gradInput
