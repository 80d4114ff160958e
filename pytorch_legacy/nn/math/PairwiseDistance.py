"""Distances between vectors."""

import numpy as np

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn.math.RowPairs import RowPairs
from pytorch_legacy.storage import Tensor


class PairwiseDistance(RowPairs):
    """The p-norm of the difference of two vectors, or of the vectors of two batches.

    .. math:: y = \\Big(\\sum_i |d_i|^p\\Big)^{1/p}, \\quad d = x_0 - x_1, \\quad
              \\frac{dy}{dx_0} = -\\frac{dy}{dx_1} = d\\,|d|^{p-2} / (y + \\epsilon)^{p-1}

    Parameters
    ----------
    p : float
        The norm, positive and finite.

    Notes
    -----
    Shapes: a list of two ``(N x) D`` to ``N``, which is 1 for single vectors. The constant, 1e-6, keeps the gradient of
    equal vectors finite. Torch7 left out the factor with p - 2 for p between 1 and 2. Source: Torch7
    nn.PairwiseDistance.
    """

    EPS = 1e-6

    _scratch = {"diff": None}

    def __init__(self, p: float = 2) -> None:
        super().__init__()
        if not 0 < p < np.inf:
            raise ValueRangeError(f"{self._typename}: p: expected a positive, finite number, got {p}")
        self.norm = p

    def _values(self, x: Tensor, y: Tensor) -> Tensor:
        d = np.abs(x - y)
        if self.norm == 1:
            return d.sum(1)
        if self.norm == 2:
            return np.sqrt((d * d).sum(1))
        return (d**self.norm).sum(1) ** (1 / self.norm)

    def _gradients(self, x: Tensor, y: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        d = x - y
        if self.norm == 1:
            slope = g * np.sign(d)
        else:
            if self.norm != 2:
                d = np.sign(d) * np.abs(d) ** (self.norm - 1)
            slope = d * (g / (self._values(x, y)[:, None] + self.EPS) ** (self.norm - 1))
        return slope, -slope
