"""Some entries of a table."""

from typing import Any

from pytorch_legacy.errors import IndexRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import recursiveCopy


class NarrowTable(Module):
    """Passes neighbouring entries of a list on, counted from 0: Lua's ``nn.NarrowTable(2, 3)`` is ``nn.NarrowTable(1, 3)``::

        output       = input[offset : offset + length]
        gradInput[i] = gradOutput[i - offset] where there is one, else zeros

    Parameters
    ----------
    offset : int
        The first entry.
    length : int
        Number of entries; 1 by default.

    Notes
    -----
    Entries are arrays, of every type, or tables of arrays. Past the end of the table there are none: the output is shorter
    then, as in Torch7. Source: Torch7 nn.NarrowTable.

    Examples
    --------
    >>> a, b, c = np.float32([1]), np.float32([2]), np.float32([3])
    >>> nn.NarrowTable(1, 2).forward([a, b, c])  # nn.NarrowTable(2, 2) in Lua
    [array([2.], dtype=float32), array([3.], dtype=float32)]
    """

    _takesAnyType = True
    _file = Form(oneBased=("offset",), defaults={"length": 1}, kinds={"length": "a whole number", "offset": "a whole number"})

    def __init__(self, offset: int, length: int = 1) -> None:
        super().__init__()
        self.offset = check.count(self, "offset", offset, 0)
        self.length = check.count(self, "length", length)
        self.output, self.gradInput = [], []

    def updateOutput(self, input: list[Any]) -> list[Any]:
        self.output = check.arrays(self, "input", self._narrowed(input))
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: list[Any]) -> list[Any]:
        check.like(self, "gradOutput", gradOutput, self._narrowed(input))
        gradInput: list[Any] = self._zeros("gradInput", input, mustNotOverlap=gradOutput)
        for i, gradient in enumerate(gradOutput, self.offset):
            gradInput[i] = recursiveCopy(gradInput[i], gradient)
        return gradInput

    def _narrowed(self, input: list[Any]) -> list[Any]:
        check.table(self, "input", input, len(input) if isinstance(input, list) else None)  # the table may be empty
        if self.offset < 0:
            raise IndexRangeError(f"{self._typename}: offset: expected 0 or more, got {self.offset}")
        return input[self.offset : self.offset + self.length]
