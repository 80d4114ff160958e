"""The mean squared error against corners of a regular simplex."""

from math import sqrt
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, take
from pytorch_legacy.backend import compute
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.criterion.MSECriterion import MSECriterion
from pytorch_legacy.objects import ArrayField


class ClassSimplexCriterion(MSECriterion):
    """MSECriterion between the input and the corner of a regular simplex that stands for the right class.

    The corners lie on the unit sphere, as far from one another as they can: the product of any two is -1 / (C - 1).
    They have C coordinates, one more than they need, of which the last is 0.

    Parameters
    ----------
    nClasses : int
        The number of classes C, 2 or more.

    Attributes
    ----------
    simplex : array of C x C
        The corners, one in each row.

    Raises
    ------
    IndexRangeError
        If a label is not in 0 .. C-1.
    DtypeError
        If the target is no label and no array of labels.

    Notes
    -----
    Shapes: input ``N x C`` with a target of N labels, or ``C`` with one. Labels count from 0 (in Torch7 from 1): a
    Python integer, or an array of any integer dtype, or of whole numbers in floating point.
    Source: Torch7 ``nn.ClassSimplexCriterion``, after Mroueh, Poggio, Rosasco and Slotine, "Multiclass learning with
    simplex coding", 2012.

    Examples
    --------
    >>> loss = nn.ClassSimplexCriterion(3)
    >>> loss.simplex.round(4)
    array([[ 1.   ,  0.   ,  0.   ],
           [-0.5  ,  0.866,  0.   ],
           [-0.5  , -0.866,  0.   ]], dtype=float32)
    >>> loss.forward(np.float32([1, 0, 0]), 0)  # at the corner of class 0; 1 in Lua
    0.0
    >>> round(loss.forward(np.float32([1, 0, 0]), 1), 4)  # 3 / 3, as far as corners lie from one another
    1.0
    """

    _file = Form(
        scratch={"_target": lambda criterion: np.zeros(criterion.nClasses, criterion._dtype)},
        kinds={"simplex": "a tensor of floating-point numbers"},
    )
    _lua = Lua(targets="labels", methods={"transformTarget": {"target": "labels"}}, results={"getTopPrediction": "indices"})

    _arrayFields = (ArrayField("simplex", lambda criterion: (criterion.nClasses, criterion.nClasses)),)

    def __init__(self, nClasses: int) -> None:
        super().__init__()
        self.nClasses = check.count(self, "nClasses", nClasses, 2)
        self.simplex = self._constant("simplex", self._made("simplex", (nClasses, nClasses), corners, nClasses))

    def transformTarget(self, target: Any) -> Tensor:
        """The corners for labels: a vector for a single one, a row for each of an array."""
        labels = check.labels(self, "target", target)
        check.below(self, "target", labels, self.nClasses)
        shape = (*np.shape(target), self.nClasses)
        rows = labels.reshape(shape[:-1])
        return take(self.simplex, rows, 0, self._resize("_target", shape))

    def updateOutput(self, input: Tensor, target: Any) -> float:
        return super().updateOutput(input, self._corners(input, target))

    def updateGradInput(self, input: Tensor, target: Any) -> Tensor:
        return super().updateGradInput(input, self._corners(input, target))

    def getPredictions(self, input: Tensor) -> Tensor:
        """Returns the similarity of each sample of `input` to each class: ``N x C``, the products with all corners."""
        samples = check.tensor(self, "input", input, 1, 2)
        return compute.matmul(samples if samples.ndim == 2 else samples[None], self.simplex.T)

    def getTopPrediction(self, input: Tensor) -> Tensor:
        """The label of the class that each sample of `input` is most like."""
        return self.getPredictions(input).argmax(1)

    def _corners(self, input: Tensor, target: Any) -> Tensor:
        """The corners for the labels of an input, which may be one sample with an array of one label."""
        found = self.transformTarget(target)
        return found[0] if check.tensor(self, "input", input, 1, 2).ndim == 1 and found.shape[:-1] == (1,) else found


def corners(n: int) -> Tensor:
    """n unit vectors of n coordinates whose products with one another are all -1 / (n - 1).

    Coordinate k of corner k is what is missing to length 1; all later corners have one and the same coordinate k, which
    makes their product with corner k right.
    """
    simplex = np.zeros((n, n))
    for k in range(n - 1):
        done = simplex[k, :k]
        simplex[k, k] = sqrt(1 - done @ done)
        # Later corners have this one's coordinates before k: their product so far is that of `done` with itself.
        simplex[k + 1 :, k] = (-1 / (n - 1) - done @ done) / simplex[k, k]
    return simplex
