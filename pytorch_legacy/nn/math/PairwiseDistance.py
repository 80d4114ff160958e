"""Distances between vectors."""

from math import inf

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.math.RowPairs import RowPairs


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
    nn.PairwiseDistance; C: ``THNN/math/PairwiseDistance.c``.

    Examples
    --------
    >>> a, b = np.float32([[1, 2], [0, 0]]), np.float32([[4, 6], [6, 8]])
    >>> nn.PairwiseDistance().forward([a, b])
    array([ 5., 10.], dtype=float32)
    >>> nn.PairwiseDistance(1).forward([a, b])
    array([ 7., 14.], dtype=float32)
    """

    _layer = "PairwiseDistance"
    _names = {"p": "norm"}
    _file = Form(scratch={"diff": None}, kinds={"norm": "a number", "p": "a number"})

    def __init__(self, p: float = 2) -> None:
        super().__init__()
        if not 0 < p < inf:
            raise ValueRangeError(f"{self._typename}: p: expected a positive, finite number, got {p}")
        self.norm = p
