"""The binary cross entropy of scores, for samples that have several labels."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.activation.Sigmoid import Sigmoid
from pytorch_legacy.nn.Criterion import Criterion


class MultiLabelSoftMarginCriterion(Criterion):
    """The binary cross entropy of scores, whose sigmoids are the probabilities of the classes.

    .. math:: loss = -\\frac{1}{n} \\sum_i w_i (t_i \\log \\sigma(x_i) + (1 - t_i) \\log(1 - \\sigma(x_i)))

    over all n elements, or their sum without `sizeAverage`.

    Parameters
    ----------
    weights : array, optional
        A factor for each class; 1 if not given.
    sizeAverage : bool
        Whether to divide by the number of elements.

    Raises
    ------
    ShapeError
        If the target has not as many elements as the input, or the weights are not as the last dimensions of the input.

    Notes
    -----
    Shapes: ``(N x) C``, or any other; the target has as many elements as the input: 1 for the
    classes that a sample has, else 0. The logarithms are computed from the scores, so that none is infinite.
    Source: Torch7 ``nn.MultiLabelSoftMarginCriterion``.

    Examples
    --------
    >>> loss, x, t = nn.MultiLabelSoftMarginCriterion(), np.float32([0, np.log(3)]), np.float32([1, 0])
    >>> round(loss.forward(x, t), 4)  # probabilities 1/2 and 3/4: (-log(1/2) - log(1/4)) / 2
    1.0397
    >>> loss.backward(x, t)
    array([-0.25 ,  0.375], dtype=float32)
    """

    weights: Tensor | None = None
    sizeAverage = True

    _file = Form(defaults={"weights": None, "sizeAverage": True}, kinds={"sigmoid": "a module"})

    def __init__(self, weights: Any = None, sizeAverage: bool = True) -> None:
        super().__init__()
        self.weights = None if weights is None else self._constant("weights", weights)
        self.sizeAverage = sizeAverage
        self.sigmoid = Sigmoid()

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        goal = self._goal(input, target)
        # -log sigmoid(x) = log(1 + exp(-x)), and -log(1 - sigmoid(x)) = log(1 + exp(x))
        part, rest = self._resize("_part", input.shape), self._resize("_rest", input.shape)
        compute.softplus(np.negative(input, out=part), out=part)
        np.multiply(part, goal, out=part)
        compute.softplus(input, out=rest)
        np.multiply(rest, 1 - goal, out=rest)
        np.add(part, rest, out=part)
        if self.weights is not None:
            np.multiply(part, check.weighing(self, "weights", self.weights, input, target), out=part)
        self.output = self._mean(compute.number(compute.sum(part, dtype=np.float64)), part.size)
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> Tensor:
        goal = self._goal(input, target)
        gradInput = self._resize("gradInput", input.shape)
        np.subtract(self.sigmoid.updateOutput(input), goal, out=gradInput)
        if self.weights is not None:
            np.multiply(gradInput, check.weighing(self, "weights", self.weights, input, target), out=gradInput)
        gradInput *= self._mean(1.0, input.size)
        return gradInput

    def _goal(self, input: Tensor, target: Tensor) -> Tensor:
        return check.goal(self, check.marks(self, target, "biu"), check.tensor(self, "input", input).shape)
