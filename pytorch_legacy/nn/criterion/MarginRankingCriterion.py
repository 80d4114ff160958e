"""The hinge loss of which of two numbers is larger."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


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

    Raises
    ------
    ValueRangeError
        If a target is neither 1 nor -1.

    Notes
    -----
    Shapes: the input is a list of two arrays with as many elements, the first dimension of the target, or of the input where this
    is one number, is N. The target has as many elements, or is one number for all.
    Source: Torch7 ``nn.MarginRankingCriterion``.

    Examples
    --------
    >>> loss, x = nn.MarginRankingCriterion(), [np.float32([5, 2]), np.float32([3, 2.5])]
    >>> loss.forward(x, np.float32([1, 1]))  # (0 + 1.5) / 2: the first pair is far enough apart
    0.75
    >>> loss.backward(x, np.float32([1, 1]))[1]
    array([0. , 0.5], dtype=float32)
    """

    sizeAverage = True

    _file = Form(defaults={"margin": 1})

    def __init__(self, margin: float = 1) -> None:
        super().__init__()
        self.margin = margin
        self.sizeAverage = True
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, self._dtype)]

    def updateOutput(self, input: list[Tensor], target: Any) -> float:
        missing, _ = self._missing(input, target)
        compute.maximum(missing, 0, out=missing)
        self.output = self._mean(compute.number(compute.sum(missing, dtype=np.float64)), _pairs(missing, target))
        return self.output

    def updateGradInput(self, input: list[Tensor], target: Any) -> list[Tensor]:
        missing, signs = self._missing(input, target)
        first, second = self._resizeTable("gradInput", [array.shape for array in input[:2]])
        slope = np.multiply(signs, self._mean(1.0, _pairs(missing, target)), out=second.reshape(missing.shape))
        np.copyto(slope, 0, where=missing < 0)
        np.negative(slope, out=first.reshape(missing.shape))
        return self.gradInput

    def _missing(self, input: list[Tensor], target: Any) -> tuple[Tensor, Tensor]:
        """Returns what each pair's difference lacks to the margin, in a buffer (negative: nothing), and the targets."""
        first, second = check.terms(self, "input", check.leading(self, "input", input, 2))
        signs = check.signs(self, "target", target).astype(self._dtype)
        signs = check.matching(self, "target", signs, () if signs.size == 1 else first.shape)
        missing = np.subtract(second, first, out=self._resize("_buffer", first.shape))
        np.multiply(missing, signs, out=missing)
        return np.add(missing, self.margin, out=missing), signs


def _pairs(missing: Tensor, target: Any) -> int:
    """Returns the number of pairs. As in Torch7 the target has this number, unless the target is one number for all."""
    shape = np.shape(target) if np.size(target) == missing.size else missing.shape
    return shape[0] if shape else 1
