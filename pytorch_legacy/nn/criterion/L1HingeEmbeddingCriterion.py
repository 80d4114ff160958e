"""A loss of the L1 distance of two vectors that are alike or not."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import sizes


class L1HingeEmbeddingCriterion(Criterion):
    """The L1 distance of two arrays, which shall be small if they are alike, and at least a margin if not.

    .. math::
        loss = d \\text{ if } t = 1, \\ \\max(0, margin - d) \\text{ if } t = -1, \\quad d = \\sum_i |x^1_i - x^2_i|

    Parameters
    ----------
    margin : float
        The distance that is enough.

    Raises
    ------
    ValueRangeError
        If the target is neither 1 nor -1.

    Notes
    -----
    Shapes: the input is a list of two arrays of any shape with as many elements, together one pair; the target is a number.
    Torch7 drew a random sign for the gradient where the arrays agree; here it is 0.
    Source: Torch7 ``nn.L1HingeEmbeddingCriterion``.

    Examples
    --------
    >>> loss, x = nn.L1HingeEmbeddingCriterion(4), [np.float32([1, 2]), np.float32([2, 4])]
    >>> loss.forward(x, 1), loss.forward(x, -1)  # the distance is 1 + 2
    (3.0, 1.0)
    >>> [gradient.tolist() for gradient in loss.backward(x, -1)]
    [[1.0, 1.0], [-1.0, -1.0]]
    """

    _file = Form(defaults={"margin": 1})

    def __init__(self, margin: float = 1) -> None:
        super().__init__()
        self.margin = margin
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, self._dtype)]

    def updateOutput(self, input: list[Tensor], target: Any) -> float:
        alike = self._alike(target)
        distance = self._distance(input)
        self.output = compute.number(np.where(alike, distance, compute.maximum(0, self.margin - distance)))
        return self.output

    def updateGradInput(self, input: list[Tensor], target: Any) -> list[Tensor]:
        alike = self._alike(target)
        distance = self._distance(input)
        first, second = self._resizeTable("gradInput", [array.shape for array in input[:2]])
        one, other = check.terms(self, "input", check.leading(self, "input", input, 2))
        slope = np.subtract(one, other, out=first.reshape(one.shape))
        np.sign(slope, out=slope)
        if not alike:
            slope *= 0 if distance > self.margin else -1
        np.negative(slope, out=second.reshape(one.shape))
        return self.gradInput

    def _distance(self, input: list[Tensor]) -> Any:
        first, second = check.terms(self, "input", check.leading(self, "input", input, 2))
        difference = np.subtract(first, second, out=self._resize("_buffer", first.shape))
        return compute.number(compute.sum(np.abs(difference, out=difference), dtype=np.float64))

    def _alike(self, target: Any) -> Any:
        signs = check.signs(self, "target", target)
        if signs.size != 1:
            raise ShapeError(f"{self._typename}: target: expected one number, got {sizes(signs.shape)}")
        return signs.reshape(()) == 1
