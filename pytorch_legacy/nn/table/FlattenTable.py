"""A nested table made a flat one."""

from typing import Any

from pytorch_legacy.arrays import tree
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class FlattenTable(Module):
    """Gathers the arrays of lists within lists in one list, from left to right::

        input     = [a, [b, [c, d]]]
        output    = [a, b, c, d]
        gradInput = gradOutput, nested as the input

    The arrays are passed on, not copied.

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

    def __init__(self) -> None:
        super().__init__()
        self.output, self.gradInput = [], []

    def updateOutput(self, input: Any) -> list[Any]:
        check.arrays(self, "input", input)
        self.output = [*tree.leaves(input)]
        return self.output

    def updateGradInput(self, input: Any, gradOutput: list[Any]) -> Any:
        check.like(self, "gradOutput", gradOutput, [*tree.leaves(input)])
        gradients = iter(gradOutput)
        self.gradInput = tree.paired(lambda leaf, _: next(gradients), input, None)
        return self.gradInput
