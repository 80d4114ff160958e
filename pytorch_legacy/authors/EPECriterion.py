"""The endpoint error between two optical flows."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import sizes


class EPECriterion(Criterion):
    """The mean length of the difference of two flows (average endpoint error).

    .. math:: loss = \\frac{1}{N H W} \\sum_{n,h,w} \\sqrt{(u - u')^2 + (v - v')^2}

    Raises
    ------
    ShapeError
        If the input is not ``N x 2 x ...``, or the target has another number of elements.

    Notes
    -----
    Shapes: ``N x 2 x H x W``, or any other sizes after the 2. The gradient is zero where the flows are equal.
    An empty input costs 0.
    Source: SPyNet ``EPECriterion``.

    Examples
    --------
    >>> loss = authors.EPECriterion()
    >>> x = np.float32([3, 4]).reshape(1, 2, 1, 1)
    >>> loss.forward(x, np.zeros_like(x))
    5.0
    >>> loss.backward(x, np.zeros_like(x)).ravel()
    array([0.6, 0.8], dtype=float32)
    """

    sizeAverage = True

    def __init__(self) -> None:
        super().__init__()
        self.sizeAverage = True

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        lengths = self._lengths(self._difference(input, target))
        self.output = compute.number(compute.mean(lengths.ravel(), dtype=np.float64)) if lengths.size else 0.0
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> Tensor:
        difference = self._difference(input, target)
        lengths = self._lengths(difference)
        divisor = np.where(lengths == 0, self._dtype.type(1), lengths) * self._dtype.type(max(lengths.size, 1))
        return np.divide(difference, divisor, out=self._resize("gradInput", input.shape, mustNotOverlap=[input, target]))

    def _lengths(self, difference: Tensor) -> Tensor:
        return compute.hypot(difference[:, :1], difference[:, 1:])

    def _difference(self, input: Tensor, target: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        if len(shape) < 2 or shape[1] != 2:
            raise ShapeError(f"{self._typename}: input: expected N x 2 x ..., got {sizes(shape)}")
        return input - check.goal(self, target, shape)
