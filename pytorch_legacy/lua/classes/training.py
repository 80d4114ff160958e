"""``nn.StochasticGradient:train``, whose data are a table of Lua: ``dataset:size()`` and ``dataset[i]``, with all metamethods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytorch_legacy.nn import StochasticGradient

from .. import counting
from ..language.errors import raise_error
from ..language.table import first
from .border import Object
from .errors import failing

if TYPE_CHECKING:
    from ..language.state import State


class Examples:
    """The examples of a script as a sequence of Python.

    Parameters
    ----------
    state : State
        The session's state.
    dataset : object
        A value of Lua.
    """

    def __init__(self, state: State, dataset: Any) -> None:
        self.state, self.dataset = state, dataset

    def __len__(self) -> int:
        return int(self.state.border.run(self._size))

    def _size(self) -> Any:
        size = self.state.index(self.dataset, "size")
        if not callable(size):
            raise_error("bad argument #1 to 'train' (expected a dataset with a method size)")
        found = first(size(self.dataset))
        if found.__class__ is not float or found < 1 or not found.is_integer():
            raise_error(f"dataset:size(): expected a whole number from 1 on, got {first(self.state.tostring(found))}")
        return found

    def __getitem__(self, place: int) -> list[Any]:
        found = self.state.border.run(lambda index: first(self.state.index(self.dataset, index)), place + 1)
        if not isinstance(found, list) or len(found) < 2:
            raise_error(f"dataset[{place + 1}]: expected a table of input and target")
        return found


def train(state: State) -> Callable[..., Any]:
    """Returns the method."""
    border = state.border

    def train(self: Any = None, dataset: Any = None, *_: Any) -> tuple[()]:
        if not isinstance(self, Object) or not isinstance(self.python, StochasticGradient):
            raise_error("calling 'train' on bad self")
        with failing(border, self.python):
            border.call(counting.invoke, self.python, StochasticGradient.train, Examples(state, dataset))
        return ()

    return train
