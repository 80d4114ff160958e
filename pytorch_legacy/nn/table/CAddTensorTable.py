"""One array added to every array of a table."""

from typing import Any

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class CAddTensorTable(Module):
    """Adds the first entry of its input, an array, to each array of the second, a list::

        input     = [x, [a, b, ...]]
        output    = [x + a, x + b, ...]
        gradInput = [sum(gradOutput), gradOutput]

    Notes
    -----
    All arrays have one shape. Source: Torch7 nn.CAddTensorTable.
    """

    def __init__(self) -> None:
        super().__init__()
        self.output, self.gradInput = [], []
        self._gradFirst = np.empty(0, np.float32)

    def updateOutput(self, input: list[Any]) -> list[Tensor]:
        first, others = self._parts(input)
        for target, other in zip(self._resizeTable("output", [first.shape] * len(others)), others, strict=True):
            np.add(first, other, out=target)
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: list[Tensor]) -> list[Any]:
        _, others = self._parts(input)
        check.like(self, "gradOutput", gradOutput, others)
        total = self._resize("_gradFirst", others[0].shape)
        total[...] = gradOutput[0]
        for gradient in gradOutput[1:]:
            np.add(total, gradient, out=total)
        self.gradInput = [total, list(gradOutput)]
        return self.gradInput

    def clearState(self) -> "CAddTensorTable":
        self._gradFirst = np.empty(0, self._dtype)
        super().clearState()
        return self

    def _parts(self, input: list[Any]) -> tuple[Tensor, list[Tensor]]:
        first, others = check.table(self, "input", input, 2)
        check.tensor(self, "input[0]", first)
        for i, other in enumerate(check.tensors(self, "input[1]", others)):
            check.shape(self, f"input[1][{i}]", other, first.shape)
        return first, others
