"""The Huber loss of weighted differences."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.huber import huber, huberSlope
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.objects import ArrayField


class WeightedHuberCriterion(Criterion):
    """The mean Huber loss of differences that are multiplied by weights.

    .. math:: loss = \\frac{1}{n} \\sum_i f(w_i (x_i - t_i)), \\quad
        f(d) = d^2 / 2 \\text{ if } |d| < \\gamma \\text{ else } \\gamma (|d| - \\gamma / 2)

    Parameters
    ----------
    w : array
        A factor for each element of a sample.
    gamma : float
        Differences from which on the loss is linear.

    Raises
    ------
    ShapeError
        If the target has not as many elements as the input, or the weights do not fit to the samples.

    Notes
    -----
    Shapes: ``N x ...``; the target has as many elements, and the weights as many as a sample. An empty input costs 0.
    The gradient of the original lacked the factor w_i of the chain rule, which is here.
    Source: waifu2x ``WeightedHuberCriterion``.

    Examples
    --------
    >>> loss = authors.WeightedHuberCriterion(np.float32([1, 2]), 1)
    >>> x, t = np.float32([[0.5, 2]]), np.float32([[0, 0]])
    >>> loss.forward(x, t)  # (0.5**2 / 2 + 1 * (4 - 0.5)) / 2
    1.8125
    >>> loss.backward(x, t)
    array([[0.25, 1.  ]], dtype=float32)
    """

    _typename = "w2nn.WeightedHuberCriterion"
    _file = Form(
        dropped=("diff", "diff_abs", "square_loss_buff", "linear_loss_buff"),
        defaults={"gamma": 1.0},
        kinds={"weight": "a tensor of floating-point numbers", "gamma": "a number"},
    )
    _arrayFields = (ArrayField("weight"),)
    weight: Tensor

    def __init__(self, w: Any, gamma: float = 1.0) -> None:
        super().__init__()
        self.weight = self._constant("w", w)
        self.gamma = gamma

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        difference, _ = self._difference(input, target)
        self.output = huber(difference, self.gamma) / max(difference.size, 1)
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> Tensor:
        difference, weight = self._difference(input, target)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=[input, target])
        gradInput[...] = huberSlope(difference, self.gamma) * weight / self._dtype.type(max(difference.size, 1))
        return gradInput

    def _difference(self, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the weighted differences, and their weights."""
        goal = check.goal(self, target, check.tensor(self, "input", input).shape)
        weight = check.weighing(self, "weight", self.weight, input, target)
        return (self._limited(input) - goal) * weight, np.broadcast_to(weight, input.shape)

    def _limited(self, input: Tensor) -> Tensor:
        """Returns what is compared with the target."""
        return input
