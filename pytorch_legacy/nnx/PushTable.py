"""An entry that leaves a table, to come back later."""

from typing import Any, Self

from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import recursiveAdd, recursiveCopy
from pytorch_legacy.nnx.PullTable import PullTable


class PushTable(Module):
    """Takes one entry, counted from 0 (Lua's 2 is 1), out of a table; the `PullTable` layers of ``pull`` put it back::

        output    = input without input[index]
        gradInput = gradOutput with the sum of what the pulls got, at index

    Parameters
    ----------
    index : int
        The entry; counts from 0.

    Raises
    ------
    DtypeError, IndexRangeError
        If the input is no table, or has no such entry.

    Notes
    -----
    The pulls run after this layer forward, and before it backward. Entries are not copied.
    Source: nnx ``PushTable``.

    Examples
    --------
    >>> push = nnx.PushTable(1)  # 2 in Lua
    >>> net = nn.Sequential(push, nn.ParallelTable(nn.Square()), push.pull(1))
    >>> net.forward([np.float32([3]), np.float32([5])])  # the second entry goes past the square
    [array([9.], dtype=float32), array([5.], dtype=float32)]
    >>> push.output
    [array([3.], dtype=float32)]
    """

    _takesAnyType = True
    _file = Form(
        oneBased=("_index",),
        renamed={name: name for name in ("_index", "_pulls", "_forward")},
        kinds={"_index": "a whole number", "_pulls": "a list of modules"},
    )
    _lua = Lua(methods={"pull": {"index": "positions"}})
    _pulls: list[PullTable]
    _gradInput: Any = None
    _forward = False

    def __init__(self, index: int) -> None:
        super().__init__()
        self._index = check.count(self, "index", index, 0)
        self._pulls = []
        self.output, self.gradInput = [], []
        self._gradInput = None
        self._forward = False

    def pull(self, index: int) -> PullTable:
        """A layer that puts the entry into a table, where it is then at `index`."""
        pull = PullTable(self, index)
        self._pulls.append(pull)
        return pull

    def updateOutput(self, input: list[Any]) -> list[Any]:
        place = self._place(input)
        self.output = [*input[:place], *input[place + 1 :]]
        for pull in self._pulls:
            pull._output = input[place]
        self._forward = True
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: list[Any]) -> list[Any]:
        place = self._place(input)
        check.table(self, "gradOutput", gradOutput, len(input) - 1)
        # No pull ran backward since the last forward.
        entry = self._zeros("_gradInput", input[place]) if self._forward else self._gradInput
        self.gradInput = [*gradOutput[:place], entry, *gradOutput[place:]]
        return self.gradInput

    def clearState(self) -> Self:
        self._gradInput = None
        self.output, self.gradInput = [], []
        return super().clearState()

    def _updateGradInput(self, gradient: Any) -> None:
        """Takes the gradient of one pull."""
        if self._forward:
            self._gradInput = recursiveCopy(self._gradInput, gradient)
        else:
            recursiveAdd(self._gradInput, gradient)
        self._forward = False

    def _place(self, input: list[Any]) -> int:
        return check.place(self, "index", self._index, len(check.table(self, "input", input, None)))
