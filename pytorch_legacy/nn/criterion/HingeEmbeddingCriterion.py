"""A loss of distances between pairs that are alike or not."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class HingeEmbeddingCriterion(Criterion):
    """The loss of distances: those of pairs that are alike shall be small, the others at least a margin.

    .. math:: loss = \\frac{1}{n} \\sum_i x_i \\text{ if } t_i = 1, \\ \\max(0, margin - x_i) \\text{ if } t_i = -1

    over all n elements, or their sum without ``sizeAverage``.

    Parameters
    ----------
    margin : float
        The distance that is enough.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by the number of elements: True, until set.

    Raises
    ------
    ValueRangeError
        If a target is neither 1 nor -1.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, or is one number. An empty input costs 0.
    Source: Torch7 ``nn.HingeEmbeddingCriterion``.

    Examples
    --------
    >>> loss, x, t = nn.HingeEmbeddingCriterion(2), np.float32([1, 0.5, 3, 0]), np.float32([1, -1, -1, -1])
    >>> loss.forward(x, t)  # (1 + 1.5 + 0 + 2) / 4
    1.125
    >>> loss.backward(x, t)
    array([ 0.25, -0.25,  0.  , -0.25], dtype=float32)
    """

    sizeAverage = True

    _file = Form(defaults={"margin": 1})

    def __init__(self, margin: float = 1) -> None:
        super().__init__()
        self.margin = margin
        self.sizeAverage = True

    def updateOutput(self, input: Tensor, target: Any) -> float:
        alike = self._alike(input, target)
        part = np.subtract(self.margin, input, out=self._resize("buffer", input.shape))
        compute.maximum(part, 0, out=part)
        np.copyto(part, input, where=alike)
        self.output = self._mean(compute.number(compute.sum(part, dtype=np.float64)), part.size)
        return self.output

    def updateGradInput(self, input: Tensor, target: Any) -> Tensor:
        alike = self._alike(input, target)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=input)
        gradInput[...] = self._mean(-1.0, input.size)
        np.copyto(gradInput, 0, where=input > self.margin)
        np.copyto(gradInput, self._mean(1.0, input.size), where=alike)
        return gradInput

    def _alike(self, input: Tensor, target: Any) -> Tensor:
        """Returns a mask of the elements in pairs that are alike."""
        shape = check.tensor(self, "input", input).shape
        signs = check.signs(self, "target", target)
        alike: Tensor = check.matching(self, "target", signs, () if signs.size == 1 else shape) == 1
        return alike
