"""The hinge loss of samples that have several labels."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.nn import check
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class MultiLabelMarginCriterion(NativeCriterion):
    """The hinge loss of samples that have several labels: every label shall lead every class that is none by 1.

    .. math:: loss = \\frac{1}{N C} \\sum_n \\sum_{t \\in T_n} \\sum_{c \\notin T_n} \\max(0, 1 - x_{n, t} + x_{n, c})

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by the number of samples N: True, until set. The number of classes C always divides.
    isTarget : array
        As the input: 1 for the labels of the last ``forward``, else 0. ``backward`` reads it.

    Raises
    ------
    IndexRangeError
        If a label is not in -1 .. C-1.
    DtypeError
        If the target is no array of labels.

    Notes
    -----
    Shapes: input ``N x C`` or ``C``; the target has the same. A row of the target lists the labels of its sample, ends
    at the first -1, and may hold any other labels after it. In Torch7 labels counted from 1 and 0 was the end.
    Source: Torch7 ``nn.MultiLabelMarginCriterion``; C: ``THNN/criterion/MultiLabelMarginCriterion.c``.

    Examples
    --------
    >>> loss, x = nn.MultiLabelMarginCriterion(), np.float32([0.5, 2, 1, 0])
    >>> t = np.array([1, 2, -1, -1])  # labels 1 and 2, from 0; {2, 3, 0, 0} in Lua
    >>> loss.forward(x, t)  # (1 - 1 + 0.5) / 4: only class 0 comes too near to label 2
    0.125
    >>> loss.backward(x, t)
    array([ 0.25,  0.  , -0.25,  0.  ], dtype=float32)
    """

    _lua = Lua(targets="indices")

    _layer = "MultiLabelMarginCriterion"
    sizeAverage = True

    def __init__(self) -> None:
        super().__init__()
        self.sizeAverage = True
        self.isTarget = np.empty(0, self._dtype)

    def updateOutput(self, input: Tensor, target: Any) -> float:
        self._resize("isTarget", check.tensor(self, "input", input).shape)
        return super().updateOutput(input, target)

    def _goal(self, target: Any) -> Tensor:
        return check.labels(self, "target", target)
