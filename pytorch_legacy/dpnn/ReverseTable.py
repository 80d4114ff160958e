"""A table turned round."""

from typing import Any

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class ReverseTable(Module):
    """Gives the entries of a table in reverse order::

        output[i]    = input[n - 1 - i]
        gradInput[i] = gradOutput[n - 1 - i]

    Notes
    -----
    The entries may be anything and are not copied. Source: Element-Research dpnn ``ReverseTable``.

    Examples
    --------
    >>> dpnn.ReverseTable().forward([np.float32([1]), np.float32([2, 3])])
    [array([2., 3.], dtype=float32), array([1.], dtype=float32)]
    """

    _takesAnyType = True

    def __init__(self) -> None:
        super().__init__()
        self.output, self.gradInput = [], []

    def updateOutput(self, input: list[Any]) -> list[Any]:
        self.output = check.table(self, "input", input, len(input) if isinstance(input, list) else None)[::-1]
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: list[Any]) -> list[Any]:
        check.table(self, "input", input, len(input) if isinstance(input, list) else None)
        self.gradInput = check.table(self, "gradOutput", gradOutput, len(input))[::-1]
        return self.gradInput
