"""One thing paired with every entry of a table."""

from typing import Any

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import recursiveAdd, recursiveCopy


class ZipTableOneToMany(Module):
    """Pairs the first entry of its input with every entry of the second, a list::

        input     = [x, [a, b, ...]]
        output    = [[x, a], [x, b], ...]
        gradInput = [sum(gradOutput[i][0]), [gradOutput[0][1], gradOutput[1][1], ...]]

    The entries are passed on, not copied.

    Notes
    -----
    Source: Torch7 nn.ZipTableOneToMany.
    """

    _scratch = {"gradInputEl": None}

    def __init__(self) -> None:
        super().__init__()
        self.output, self.gradInput = [], []
        self._gradFirst: Any = None

    def updateOutput(self, input: list[Any]) -> list[list[Any]]:
        self.output = self._pairs(input)
        check.arrays(self, "input", input)
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: list[list[Any]]) -> list[Any]:
        check.like(self, "gradOutput", gradOutput, self._pairs(input))
        self._gradFirst = recursiveCopy(self._gradFirst, gradOutput[0][0])
        for gradient, _ in gradOutput[1:]:
            recursiveAdd(self._gradFirst, gradient)
        self.gradInput = [self._gradFirst, [gradient for _, gradient in gradOutput]]
        return self.gradInput

    def clearState(self) -> "ZipTableOneToMany":
        self._gradFirst = None
        super().clearState()
        return self

    def _pairs(self, input: list[Any]) -> list[list[Any]]:
        first, others = check.table(self, "input", input, 2)
        return [[first, other] for other in check.table(self, "input[1]", others)]

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        self._gradFirst = None
