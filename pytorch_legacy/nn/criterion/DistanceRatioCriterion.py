"""The loss of triplets: two distances and which is the smaller."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class DistanceRatioCriterion(Criterion):
    """The loss of pairs of distances, the first of which shall be the smaller. There is no target.

    .. math:: loss = \\frac{1}{N} \\sum_n -\\log \\frac{\\exp(-x^1_n)}{\\exp(-x^1_n) + \\exp(-x^2_n)}

    or the sum without `sizeAverage`. In a triplet of samples, :math:`x^1` is the distance between the two that are
    alike, and :math:`x^2` that of one of them from the third.

    Parameters
    ----------
    sizeAverage : bool
        Whether to divide by the number of pairs N.

    Attributes
    ----------
    loss : array
        The losses of all pairs in the last ``forward``.

    Notes
    -----
    Shapes: the input is a list of two arrays of one shape, whose first dimension is N.
    The loss is computed as log(1 + exp(x1 - x2)), which stays a number where exp(-x1) is 0.
    Source: Torch7 ``nn.DistanceRatioCriterion``.

    Examples
    --------
    >>> loss, alike, other = nn.DistanceRatioCriterion(), np.float32([1, 1]), np.float32([1, 3])
    >>> round(loss.forward([alike, other]), 4)
    0.41
    >>> loss.loss.round(4)  # log(1 + exp(1 - 1)), log(1 + exp(1 - 3))
    array([0.6931, 0.1269], dtype=float32)
    """

    sizeAverage = True

    _file = Form(defaults={"sizeAverage": True})

    def __init__(self, sizeAverage: bool = True) -> None:
        super().__init__()
        self.sizeAverage = sizeAverage
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, self._dtype)]

    def updateOutput(self, input: list[Tensor], target: Any = None) -> float:
        first, second = check.pair(self, "input", input)
        loss = np.subtract(first, second, out=self._resize("loss", first.shape))
        compute.softplus(loss, out=loss)
        self.output = self._mean(compute.number(compute.sum(loss, dtype=np.float64)), len(loss) if loss.ndim else 1)
        return self.output

    def updateGradInput(self, input: list[Tensor], target: Any = None) -> list[Tensor]:
        shape = check.pair(self, "input", input)[0].shape
        first, second = self._resizeTable("gradInput", [shape, shape])
        # The sigmoid of x1 - x2, as exp(-log(1 + exp(x2 - x1))), which never overflows.
        np.subtract(input[1], input[0], out=first)
        compute.softplus(first, out=first)
        compute.exp(np.negative(first, out=first), out=first)
        first *= self._mean(1.0, shape[0] if shape else 1)
        np.negative(first, out=second)
        return self.gradInput
