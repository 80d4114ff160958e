"""The mean squared error of an input in a range."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class ClippedMSECriterion(Criterion):
    """The mean squared error of an input that is limited to a range first.

    .. math:: loss = \\frac{1}{n} \\sum_i (\\mathrm{clip}(x_i) - t_i)^2

    Parameters
    ----------
    min, max : float
        The lowest and the highest number.

    Attributes
    ----------
    instance_loss : list of float
        The losses of the samples in the last ``forward``; an array in a recorded pass.

    Raises
    ------
    ShapeError
        If the target has not as many elements as the input.
    ValueRangeError
        If min is above max.

    Notes
    -----
    Shapes: ``N x ...``; the target has as many elements. An empty input costs 0.
    As in the original, the gradient passes the limits, as if the input had not been limited: else elements that left the
    range would never come back. The original returned half of this gradient.
    Source: waifu2x ``ClippedMSECriterion``.

    Examples
    --------
    >>> loss, x, t = authors.ClippedMSECriterion(0, 1), np.float32([[0.5], [9]]), np.float32([[0], [1]])
    >>> loss.forward(x, t), loss.instance_loss  # 9 counts as 1
    (0.125, [0.25, 0.0])
    >>> loss.backward(x, t).tolist()
    [[0.5], [0.0]]
    """

    _typename = "w2nn.ClippedMSECriterion"
    _file = Form(dropped=("diff", "diff_pow2"), defaults={"min": 0, "max": 1}, kinds={"min": "a number", "max": "a number"})

    def __init__(self, min: float = 0, max: float = 1) -> None:
        super().__init__()
        self.min, self.max = min, max
        self.instance_loss: Any = []
        self._checkLimits()

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        difference = self._difference(input, target)
        squares = (difference * difference).reshape(len(difference) if difference.ndim else 1, -1)
        losses = compute.mean(squares, 1, np.float64) if squares.size else np.zeros(len(squares))
        self.instance_loss = losses if isinstance(losses, Recorded) else losses.tolist()
        self.output = compute.number(compute.sum(losses)) / max(len(squares), 1)
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> Tensor:
        difference = self._difference(input, target)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=[input, target])
        return np.multiply(difference, self._dtype.type(2 / max(difference.size, 1)), out=gradInput)

    def _difference(self, input: Tensor, target: Tensor) -> Tensor:
        goal = check.goal(self, target, check.tensor(self, "input", input).shape)
        self._checkLimits()
        return compute.clip(input, self.min, self.max) - goal

    def _checkLimits(self) -> None:
        if not self.min <= self.max:
            raise ValueRangeError(f"{self._typename}: min: expected no more than max, {self.max}, got {self.min}")
