"""A nested table made a flat one."""

import operator
from itertools import count
from typing import Any

from pytorch_legacy.arrays import tree
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class FlattenTable(Module):
    """Gathers the arrays of lists within lists in one list, from left to right::

        input     = [a, [b, [c, d]]]
        output    = [a, b, c, d]
        gradInput = gradOutput, nested as the input

    The arrays are passed on, not copied. The output is the same list again as long as the input has the same arrays at the same
    places.

    Attributes
    ----------
    input_map : list
        The input with the place of each array in the output instead of it: places count from 1, as in Torch7.

    Notes
    -----
    Unlike Torch7's, the method ``type`` returns the module as that of all modules does. Entries of dicts are gathered too, in the
    dict's order; Torch7's lost them. Source: Torch7 nn.FlattenTable.

    Examples
    --------
    >>> a, b, c = np.float32([1]), np.float32([2]), np.float32([3])
    >>> nn.FlattenTable().forward([a, [b, [c]]])
    [array([1.], dtype=float32), array([2.], dtype=float32), array([3.], dtype=float32)]
    """

    _takesAnyType = True
    _file = Form(scratch={"input_map": lambda module: {}})
    _lua = Lua(renewed=("output", "input_map"))
    input_map: Any = ()

    def __init__(self) -> None:
        super().__init__()
        self.output, self.gradInput, self.input_map = [], [], []

    def updateOutput(self, input: Any) -> list[Any]:
        check.arrays(self, "input", input)
        leaves, places = [*tree.leaves(input)], count(1)
        input_map = tree.map(lambda leaf: next(places), input)
        if input_map != self.input_map or not _areSame(self.output, leaves):
            self.output, self.input_map = leaves, input_map
        output: list[Any] = self.output
        return output

    def updateGradInput(self, input: Any, gradOutput: list[Any]) -> Any:
        check.like(self, "gradOutput", gradOutput, [*tree.leaves(input)])
        gradients = iter(gradOutput)
        self.gradInput = tree.paired(lambda leaf, _: next(gradients), input, None)
        return self.gradInput


def _areSame(one: Any, other: list[Any]) -> bool:
    """True for a list of the same objects."""
    return isinstance(one, list) and len(one) == len(other) and all(map(operator.is_, one, other))
