"""A loss of the angle between two vectors that are alike or not."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion

# Added to squared lengths, so that a vector of zeros divides nothing by zero.
EPS = 1e-12


class CosineEmbeddingCriterion(Criterion):
    """The loss of the cosines of pairs of vectors: near 1 for pairs that are alike, at most a margin for the others.

    .. math::
        loss = \\frac{1}{N} \\sum_n 1 - c_n \\text{ if } t_n = 1, \\ \\max(0, c_n - margin) \\text{ if } t_n = -1,
        \\quad
        c = \\frac{x^1 \\cdot x^2}{\\sqrt{(|x^1|^2 + \\epsilon) (|x^2|^2 + \\epsilon)}}

    or the sum over the N pairs without ``sizeAverage``; :math:`\\epsilon` is 1e-12.

    Parameters
    ----------
    margin : float
        The cosine that is small enough.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by the number of pairs: True, until set.

    Raises
    ------
    ValueRangeError
        If a target is neither 1 nor -1.

    Notes
    -----
    Shapes: the input is a list of two arrays ``N x D`` with a target of N numbers, or of two of ``D`` with one.
    Torch7 could not go backward with a number for a target unless it had gone forward with one.
    Source: Torch7 ``nn.CosineEmbeddingCriterion``.

    Examples
    --------
    >>> loss, x = nn.CosineEmbeddingCriterion(0.5), [np.float32([[3, 4], [3, 4]]), np.float32([[5, 0], [0, 5]])]
    >>> round(loss.forward(x, np.float32([1, -1])), 4)  # cosines of 0.6 and 0.8: (1 - 0.6 + 0.8 - 0.5) / 2
    0.35
    """

    sizeAverage = True

    _file = Form(defaults={"margin": 0})

    def __init__(self, margin: float = 0) -> None:
        super().__init__()
        self.margin = margin
        self.sizeAverage = True
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, self._dtype)]

    def updateOutput(self, input: list[Tensor], target: Any) -> float:
        input = check.pair(self, "input", input, 1, 2)
        alike = self._alike(input, target)
        cosine = self._directions(input)[0]
        loss = np.where(alike, 1 - cosine, compute.maximum(cosine - self.margin, 0))
        self.output = self._mean(compute.number(compute.sum(loss)), len(loss))
        return self.output

    def updateGradInput(self, input: list[Tensor], target: Any) -> list[Tensor]:
        input = check.pair(self, "input", input, 1, 2)
        alike = self._alike(input, target)
        cosine, one, other, norms = self._directions(input)
        slope = self._mean(np.where(alike, -1.0, cosine > self.margin), len(cosine))[:, None]
        first, second = self._resizeTable("gradInput", [array.shape for array in input], mustNotOverlap=input)
        for gradient, own, partner, norm in ((first, one, other, norms[0]), (second, other, one, norms[1])):
            gradient.reshape(own.shape)[...] = slope * (partner - own * cosine[:, None]) / norm
        return self.gradInput

    def _directions(self, input: list[Tensor]) -> tuple[Tensor, Tensor, Tensor, list[Tensor]]:
        """The pairs' cosines, the vectors divided by their lengths, and these, in double precision."""
        # Rows that lie one after the other: the order of a sum must not depend on the strides of the input.
        pair = [(array if array.ndim == 2 else array[None]).astype(np.float64, order="C") for array in input]
        norms = [compute.vector_norms(rows, 1, EPS) for rows in pair]
        one, other = (rows / norm for rows, norm in zip(pair, norms, strict=True))
        return compute.sum(one * other, 1), one, other, norms

    def _alike(self, input: list[Tensor], target: Any) -> Tensor:
        """Returns a mask of the pairs that are alike."""
        signs = check.signs(self, "target", target)
        alike: Tensor = check.shape(self, "target", signs, input[0].shape[:-1] or (1,)) == 1
        return alike
