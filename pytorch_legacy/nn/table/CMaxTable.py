"""The largest of several arrays, element by element."""

from typing import Any

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.storage import Tensor


class CMaxTable(Module):
    """Takes the largest of the elements in each place of the arrays of a list::

        output       = max(input[0], input[1], ...)
        gradInput[i] = gradOutput where input[i] was the first of the largest, else 0

    Notes
    -----
    All inputs have one shape. As in Torch7, a NaN counts only in the first array. Source: Torch7 nn.CMaxTable.
    """

    # Says where an array beats those before it.
    _better: Any = np.greater
    _winner = np.empty(0, np.intp)

    _scratch = dict.fromkeys(("maxVals", "maxIdx", "mask", "gradMaxVals"))

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        first, *others = check.alike(self, "input", input)
        output, winner = self._resize("output", first.shape), self._resize("_winner", first.shape, np.intp)
        output[...] = first
        winner.fill(0)
        for i, other in enumerate(others, 1):
            better = type(self)._better(other, output)
            np.copyto(output, other, where=better)
            np.copyto(winner, i, where=better)
        return output

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        first = check.alike(self, "input", input)[0]
        check.like(self, "gradOutput", gradOutput, first)
        check.shape(self, "input of the last forward", self._winner, first.shape)
        gradInput: list[Tensor] = self._zeros("gradInput", input)
        for i, gradient in enumerate(gradInput):
            np.copyto(gradient, gradOutput, where=self._winner == i)
        return gradInput

    def clearState(self) -> "CMaxTable":
        clear(self, "_winner")
        super().clearState()
        return self
