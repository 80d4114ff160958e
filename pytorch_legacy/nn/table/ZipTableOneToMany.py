"""One thing paired with every entry of a table."""

from typing import Any

from pytorch_legacy.arrays import overlap
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import recursiveSum


class ZipTableOneToMany(Module):
    """Pairs the first entry of its input with every entry of the second, a list::

        input     = [x, [a, b, ...]]
        output    = [[x, a], [x, b], ...]
        gradInput = [sum(gradOutput[i][0]), [gradOutput[0][1], gradOutput[1][1], ...]]

    The entries are passed on, not copied.

    Notes
    -----
    Source: Torch7 nn.ZipTableOneToMany.

    Examples
    --------
    >>> x, a, b = (np.float32([i]) for i in range(3))
    >>> output = nn.ZipTableOneToMany().forward([x, [a, b]])
    >>> output[1]
    [array([0.], dtype=float32), array([2.], dtype=float32)]
    """

    _takesAnyType = True
    _file = Form(scratch={"gradInputEl": None})

    _gradFirst: Any = None

    _lua = Lua(renewed=("output", "gradInput"))

    def __init__(self) -> None:
        super().__init__()
        self.output, self.gradInput = [], []

    def updateOutput(self, input: list[Any]) -> list[list[Any]]:
        self.output = self._pairs(input)
        check.arrays(self, "input", input)
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: list[list[Any]]) -> list[Any]:
        check.like(self, "gradOutput", gradOutput, self._pairs(input))
        spare = None if overlap(self._gradFirst, gradOutput) else self._gradFirst  # the other gradients are handed on
        self._gradFirst = recursiveSum(spare, [gradient for gradient, _ in gradOutput])
        self.gradInput = [self._gradFirst, [gradient for _, gradient in gradOutput]]
        return self.gradInput

    def clearState(self) -> "ZipTableOneToMany":
        self._gradFirst = None
        super().clearState()
        return self

    def _pairs(self, input: list[Any]) -> list[list[Any]]:
        first, others = check.table(self, "input", input, 2)
        return [[first, other] for other in check.table(self, "input[1]", others)]
