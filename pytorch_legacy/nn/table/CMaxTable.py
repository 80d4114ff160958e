"""The largest of several arrays, element by element."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import on_device
from pytorch_legacy.nn import blocks, check
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

    # Says where an array beats those before it, and what is left of both; a NaN does not beat a number.
    _better: Any = np.greater
    _best: Any = np.fmax
    _winner = np.empty(0, np.uint8)

    _scratch = dict.fromkeys(("maxVals", "maxIdx", "mask", "gradMaxVals"))

    def __init__(self) -> None:
        super().__init__()
        self.gradInput = []

    def updateOutput(self, input: list[Tensor]) -> Tensor:
        first, *others = check.alike(self, "input", input)
        small = np.uint8 if len(others) < 256 else np.int32
        output, winner = self._resize("output", first.shape), self._resize("_winner", first.shape, small)
        return blocks.elements(self._compare, output, winner, first, *others)

    @classmethod
    def _compare(cls, output: Tensor, winner: Tensor, first: Tensor, *others: Tensor) -> None:
        np.copyto(output, first)
        winner.fill(0)
        for i, other in enumerate(others, 1):
            better = cls._better(other, output)
            np.maximum(winner, better.astype(winner.dtype) * winner.dtype.type(i), out=winner)
            cls._best(output, other, out=output)
        unknown = np.isnan(first)
        if on_device(unknown) or unknown.any():  # nothing beats a NaN
            np.copyto(output, np.nan, where=unknown)

    def updateGradInput(self, input: list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        first = check.alike(self, "input", input)[0]
        check.like(self, "gradOutput", gradOutput, first)
        check.shape(self, "input of the last forward", self._winner, first.shape)
        gradInput = self._resizeTable("gradInput", [first.shape] * len(input))
        for i, gradient in enumerate(gradInput):
            blocks.elements(lambda part, g, winner, i=i: blocks.masked(part, g, winner == i), gradient, gradOutput, self._winner)
        return gradInput

    def clearState(self) -> "CMaxTable":
        clear(self, "_winner")
        super().clearState()
        return self
