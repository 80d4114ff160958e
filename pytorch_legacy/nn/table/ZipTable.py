"""Tables side by side made a table of tuples."""

from typing import Any

from pytorch_legacy.files.counting import Lua
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class ZipTable(Module):
    """Turns a list of lists of equal length inside out::

        input     = [[a0, a1, ...], [b0, b1, ...], ...]
        output    = [[a0, b0, ...], [a1, b1, ...], ...]
        gradInput = gradOutput, turned back

    The entries are passed on, not copied.

    Notes
    -----
    Source: Torch7 nn.ZipTable.

    Examples
    --------
    >>> a, b, c, d = (np.float32([i]) for i in range(4))
    >>> output = nn.ZipTable().forward([[a, b], [c, d]])
    >>> output[0]  # what stood first in each
    [array([0.], dtype=float32), array([2.], dtype=float32)]
    """

    _takesAnyType = True

    _lua = Lua(renewed=("output", "gradInput"))

    def __init__(self) -> None:
        super().__init__()
        self.output, self.gradInput = [], []

    def updateOutput(self, input: list[list[Any]]) -> list[list[Any]]:
        self.output = self._zipped(input)
        check.arrays(self, "input", input)
        return self.output

    def updateGradInput(self, input: list[list[Any]], gradOutput: list[list[Any]]) -> list[list[Any]]:
        check.like(self, "gradOutput", gradOutput, self._zipped(input))
        self.gradInput = [list(entries) for entries in zip(*gradOutput, strict=True)]
        return self.gradInput

    def _zipped(self, input: list[list[Any]]) -> list[list[Any]]:
        check.table(self, "input", input)
        length = len(check.table(self, "input[0]", input[0]))
        for i, entry in enumerate(input):
            check.table(self, f"input[{i}]", entry, length)
        return [list(entries) for entries in zip(*input, strict=True)]
