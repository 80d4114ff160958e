"""The hinge loss of which of two numbers is larger."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.storage import Tensor


class MarginRankingCriterion(Criterion):
    """The hinge loss of pairs of numbers, the first of which shall be larger (target 1) or smaller (-1) by a margin.

    .. math:: loss = \\frac{1}{N} \\sum_n \\max(0, margin - t_n (x^1_n - x^2_n))

    or the sum without ``sizeAverage``.

    Parameters
    ----------
    margin : float
        By how much the one shall be larger.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by the number of pairs N: True, until set.

    Notes
    -----
    Shapes: the input is a list of two arrays of one shape, whose first dimension is N; the target has that shape, or is
    one number. Source: Torch7 ``nn.MarginRankingCriterion``.
    """

    sizeAverage = True

    def __init__(self, margin: float = 1) -> None:
        super().__init__()
        self.margin = margin
        self.sizeAverage = True
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, self._dtype)]

    def updateOutput(self, input: list[Tensor], target: Any) -> float:
        missing = self._missing(input, target)
        np.maximum(missing, 0, out=missing)
        self.output = self._mean(float(missing.sum(dtype=np.float64)), _length(missing))
        return self.output

    def updateGradInput(self, input: list[Tensor], target: Any) -> list[Tensor]:
        missing = self._missing(input, target)
        first, second = self._resizeTable("gradInput", [missing.shape] * 2)
        np.multiply(target, self._mean(1.0, _length(missing)), out=second)
        np.copyto(second, 0, where=missing < 0)
        np.negative(second, out=first)
        return self.gradInput

    def _missing(self, input: list[Tensor], target: Any) -> Tensor:
        """What each pair's difference lacks, in a buffer; less than 0 where it lacks nothing."""
        first, second = check.pair(self, "input", input)
        if np.ndim(target) or not (is_tensor(target) or isinstance(target, (int, float, np.generic))):
            check.shape(self, "target", check.tensor(self, "target", target), first.shape)
        missing = np.subtract(second, first, out=self._resize("_buffer", first.shape))
        np.multiply(missing, target, out=missing)
        return np.add(missing, self.margin, out=missing)


def _length(array: Tensor) -> int:
    return len(array) if array.ndim else 1
