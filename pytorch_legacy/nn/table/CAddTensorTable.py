"""One array added to every array of a table."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import recursiveSum


class CAddTensorTable(Module):
    """Adds the first entry of its input, an array, to each array of the second, a list::

        input     = [x, [a, b, ...]]
        output    = [x + a, x + b, ...]
        gradInput = [sum(gradOutput), gradOutput]

    Notes
    -----
    All arrays have as many elements; as in Torch7, the others are read in row-major order if their shape is not that of x.
    Source: Torch7 nn.CAddTensorTable.

    Examples
    --------
    >>> x, others = np.float32([1, 2]), [np.float32([10, 20]), np.float32([30, 40])]
    >>> nn.CAddTensorTable().forward([x, others])
    [array([11., 22.], dtype=float32), array([31., 42.], dtype=float32)]
    """

    _gradFirst: Any = None

    def __init__(self) -> None:
        super().__init__()
        self.output, self.gradInput = [], []

    def updateOutput(self, input: list[Any]) -> list[Tensor]:
        first, others = self._parts(input)
        outputs = self._resizeTable("output", [first.shape] * len(others), mustNotOverlap=input)
        for target, other in zip(outputs, others, strict=True):
            np.add(first, other.reshape(first.shape), out=target)
        return self.output

    def updateGradInput(self, input: list[Any], gradOutput: list[Tensor]) -> list[Any]:
        first, others = self._parts(input)
        check.like(self, "gradOutput", gradOutput, [first] * len(others))
        self._gradFirst = recursiveSum(self._gradFirst, gradOutput)
        self.gradInput = [self._gradFirst, [g.reshape(other.shape) for g, other in zip(gradOutput, others, strict=True)]]
        return self.gradInput

    def clearState(self) -> "CAddTensorTable":
        self._gradFirst = None
        super().clearState()
        return self

    def _parts(self, input: list[Any]) -> tuple[Tensor, list[Tensor]]:
        first, others = check.leading(self, "input", input, 2)
        check.tensor(self, "input[0]", first)
        for i, other in enumerate(check.tensors(self, "input[1]", others)):
            if other.size != first.size:
                check.shape(self, f"input[1][{i}]", other, first.shape)
        return first, others
