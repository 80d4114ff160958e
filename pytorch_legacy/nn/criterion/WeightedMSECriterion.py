"""The mean squared error with weights."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.nn import check
from pytorch_legacy.nn.criterion.MSECriterion import MSECriterion
from pytorch_legacy.objects import ArrayField


class WeightedMSECriterion(MSECriterion):
    """The mean of the squared differences, each with a weight.

    .. math:: loss = \\frac{1}{n} \\sum_i w_i (x_i - t_i)^2

    over all n elements, or their sum without ``sizeAverage``.

    Parameters
    ----------
    weight : array
        A factor for each element, or for each element of a sample.

    Raises
    ------
    ShapeError
        If the target has not as many elements as the input, or the weights are not as the last dimensions of the input.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, and its dtype. An empty input costs 0.
    Torch7 multiplied the target by the weights, not the squared difference, which is not done here.
    Source: Torch7 ``nn.WeightedMSECriterion``.

    Examples
    --------
    >>> loss, x, t = nn.WeightedMSECriterion(np.float32([1, 0.5])), np.float32([1, 2]), np.float32([3, 4])
    >>> loss.forward(x, t)  # (1 * 4 + 0.5 * 4) / 2
    3.0
    >>> loss.backward(x, t)
    array([-2., -1.], dtype=float32)
    """

    _arrayFields = (ArrayField("weight"),)

    def __init__(self, weight: Any) -> None:
        super().__init__()
        self.weight = self._constant("weight", weight)

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        difference, weight = self._difference(input, target)
        np.multiply(difference, difference, out=difference)
        np.multiply(difference, weight, out=difference)
        self.output = self._mean(compute.number(compute.sum(difference, dtype=np.float64)), difference.size)
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> Tensor:
        difference, weight = self._difference(input, target)
        gradInput = self._resize("gradInput", difference.shape)
        return np.multiply(difference, weight * self._mean(2.0, difference.size), out=gradInput)

    def _difference(self, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Input minus target, in a buffer, and the weights of its elements."""
        goal = check.goal(self, target, check.tensor(self, "input", input).shape)
        weight = check.weighing(self, "weight", self.weight, input, target)
        return np.subtract(input, goal, out=self._resize("buffer", input.shape)), weight
