"""The mean squared error of weighted differences."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.objects import ArrayField


class W2nnWeightedMSECriterion(Criterion):
    """The mean of the squares of differences that are multiplied by weights.

    .. math:: loss = \\frac{1}{n} \\sum_i (w_i (x_i - t_i))^2

    Parameters
    ----------
    w : array
        A factor for each element of a sample.

    Raises
    ------
    ShapeError
        If the target has not as many elements as the input, or the weights do not fit to the samples.

    Notes
    -----
    Shapes: ``N x ...``; the target has as many elements, and the weights as many as a sample. An empty input costs 0.
    The original returned the weighted differences in the place of the gradient, without the factor ``2 w_i / n``. Here it
    is the gradient.
    Source: waifu2x ``WeightedMSECriterion``.

    Examples
    --------
    >>> loss, x, t = authors.W2nnWeightedMSECriterion(np.float32([1, 2])), np.float32([[3, 1]]), np.float32([[0, 0]])
    >>> loss.forward(x, t)  # (3**2 + (2 * 1)**2) / 2
    6.5
    >>> loss.backward(x, t)
    array([[3., 4.]], dtype=float32)
    """

    _typename = "w2nn.WeightedMSECriterion"
    _file = Form(dropped=("diff", "loss"), kinds={"weight": "a tensor of floating-point numbers"})
    _arrayFields = (ArrayField("weight"),)
    weight: Tensor

    def __init__(self, w: Any) -> None:
        super().__init__()
        self.weight = self._constant("w", w)

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        difference, _ = self._difference(input, target)
        self.output = compute.number(compute.sum(np.square(difference).ravel(), dtype=np.float64)) / max(difference.size, 1)
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> Tensor:
        difference, weight = self._difference(input, target)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=[input, target])
        gradInput[...] = difference * weight * self._dtype.type(2 / max(difference.size, 1))
        return gradInput

    def _difference(self, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the weighted differences, and their weights."""
        goal = check.goal(self, target, check.tensor(self, "input", input).shape)
        weight = check.weighing(self, "weight", self.weight, input, target)
        return (input - goal) * weight, weight
