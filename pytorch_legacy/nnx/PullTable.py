"""An entry that comes back into a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from pytorch_legacy.errors import IndexRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module

if TYPE_CHECKING:
    from pytorch_legacy.nnx.PushTable import PushTable


class PullTable(Module):
    """Puts the entry that a `PushTable` took out of its table into another one::

        output    = input with the entry inserted at index
        gradInput = gradOutput without gradOutput[index], which goes to the PushTable

    Parameters
    ----------
    push : PushTable
        The layer that has the entry; its method ``pull`` makes layers of this kind and tells them the entry.
    index : int
        Index at which to insert the entry, counted from 0.

    Raises
    ------
    IndexRangeError
        If the place would be beyond the end of the table.

    Notes
    -----
    An input that is no table counts as one with one entry, and gradInput is then no table either. Entries are not copied.
    Source: nnx ``PullTable``.

    Examples
    --------
    >>> push = nnx.PushTable(1)  # 2 in Lua
    >>> net = nn.Sequential(push, push.pull(0))
    >>> net.forward([np.float32([1]), np.float32([2]), np.float32([3])])  # the second entry comes first
    [array([2.], dtype=float32), array([1.], dtype=float32), array([3.], dtype=float32)]
    """

    _takesAnyType = True
    _output: Any = None
    _file = Form(
        oneBased=("_index",),
        private=("_output",),
        renamed={"_index": "_index", "_push": "_push"},
        kinds={"_index": "a whole number", "_push": "a module"},
    )

    def __init__(self, push: PushTable, index: int) -> None:
        super().__init__()
        self._push = push
        self._index = check.count(self, "index", index, 0)
        self.output, self.gradInput = [], []
        self._output: Any = None

    def updateOutput(self, input: Any) -> list[Any]:
        entries = self._entries(input)
        self.output = [*entries[: self._index], self._output, *entries[self._index :]]
        return self.output

    def updateGradInput(self, input: Any, gradOutput: list[Any]) -> Any:
        check.table(self, "gradOutput", gradOutput, len(self._entries(input)) + 1)
        self._push._updateGradInput(gradOutput[self._index])
        rest = [*gradOutput[: self._index], *gradOutput[self._index + 1 :]]
        self.gradInput = rest if isinstance(input, list) else rest[0]
        return self.gradInput

    def clearState(self) -> Self:
        self._output = None
        self.output, self.gradInput = [], []
        return super().clearState()

    def _entries(self, input: Any) -> list[Any]:
        entries = input if isinstance(input, list) else [input]
        if not 0 <= self._index <= len(entries):
            text = f"{self._typename}: index: {{}} is out of range for a table of {len(entries) + 1}"
            raise IndexRangeError.of(text, self._index)
        return entries

    def _toTorch7(self) -> dict[str, Any]:
        # It holds no tensors: only a file, or a conversion there, gives it a type.
        fields = super()._toTorch7()
        if self._fileFields and "_type" not in self._fileFields:
            fields.pop("_type", None)
        return fields
