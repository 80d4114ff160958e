"""One entry of a table."""

from typing import Any

from pytorch_legacy.errors import DtypeError, IndexRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.files.stored import counted
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described, recursiveCopy


class SelectTable(Module):
    """Passes one entry of a table on, counted from 0: Lua's ``nn.SelectTable(2)`` is ``nn.SelectTable(1)``::

        output       = input[index]
        gradInput[i] = gradOutput  if i is the index, else zeros

    Parameters
    ----------
    index : int or str
        Index of the entry: its place in a list, where negative ones count from the end, or its key in a dict.

    Notes
    -----
    Entries are arrays, of every type, or tables of arrays. An index is printed as Torch7 prints it, counted from 1. Source:
    Torch7 nn.SelectTable.

    Examples
    --------
    >>> a, b = np.float32([1]), np.float32([2])
    >>> nn.SelectTable(0).forward([a, b])  # nn.SelectTable(1) in Lua
    array([1.], dtype=float32)
    >>> nn.SelectTable("b").forward({"a": a, "b": b})
    array([2.], dtype=float32)
    >>> nn.SelectTable(0).backward([a, b], np.float32([5]))
    [array([5.], dtype=float32), array([0.], dtype=float32)]
    """

    _takesAnyType = True
    _file = Form(oneBased=("index",), kinds={"index": "a number or text"})

    def __init__(self, index: int | str) -> None:
        super().__init__()
        self.index = index
        self.gradInput = []

    def updateOutput(self, input: Any) -> Any:
        check.arrays(self, "input", input)
        self.output = input[self._place(input)]
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        place = self._place(input)
        check.like(self, "gradOutput", gradOutput, input[place])
        gradInput = self._zeros("gradInput", input, mustNotOverlap=gradOutput)
        gradInput[place] = recursiveCopy(gradInput[place], gradOutput)
        return gradInput

    def _place(self, input: Any) -> int | str:
        """The key or the index in `input`."""
        if isinstance(input, dict):
            if self.index in input:
                return self.index
        elif not isinstance(input, list):
            raise DtypeError(f"{self._typename}: input: expected a table, got {described(input)}")
        elif not isinstance(self.index, str) and -len(input) <= self.index < len(input):
            return self.index
        if isinstance(self.index, str):
            raise IndexRangeError(f"{self._typename}: index: {self.index!r} is not in {described(input)}")
        raise IndexRangeError.of(f"{self._typename}: index: {{}} is not in {described(input)}", self.index)

    def __repr__(self) -> str:
        return f"{self._typename}({counted(self.index, 1)})"
