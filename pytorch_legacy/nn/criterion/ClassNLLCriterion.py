"""The negative log likelihood of the right classes."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class ClassNLLCriterion(NativeCriterion):
    """The negative log likelihood of the right classes, for an input of log probabilities (see LogSoftMax).

    .. math:: loss = -\\frac{\\sum_n w_{t_n} x_{n, t_n}}{\\sum_n w_{t_n}}

    Without `sizeAverage`, or where the weights sum to 0, nothing is divided.

    Parameters
    ----------
    weights : array of C, optional
        A factor for each class; 1 if not given.
    sizeAverage : bool
        Whether to divide by the total weight.
    ignoreIndex : int
        Samples with this label count nowhere.

    Attributes
    ----------
    total_weight : float
        Sum of the weights of the samples that the last ``forward`` counted.

    Raises
    ------
    IndexRangeError
        If a label is neither in 0 .. C-1 nor `ignoreIndex`.
    DtypeError
        If the target is no label and no array of labels.

    Notes
    -----
    Shapes: input ``N x C`` with a target of N labels, or ``C`` with one. Labels count from 0: a Python integer, or an
    array of any integer dtype, or of whole numbers in floating point.
    Torch7 counted labels from 1: ``ignoreIndex`` of a .t7 file is made one less, but for the -100 that means none.
    Source: Torch7 ``nn.ClassNLLCriterion``; C: ``THNN/criterion/ClassNLLCriterion.c``.

    Examples
    --------
    >>> loss, x = nn.ClassNLLCriterion(), np.log(np.float32([[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]]))
    >>> t = np.array([0, 1])  # classes count from 0; {1, 2} in Lua
    >>> round(loss.forward(x, t), 4)  # -(log(0.5) + log(0.125)) / 2
    1.3863
    >>> loss.backward(x, t)
    array([[-0.5,  0. ,  0. ],
           [ 0. , -0.5,  0. ]], dtype=float32)
    """

    _layer = "ClassNLLCriterion"
    _scalars = "output_tensor", "total_weight_tensor"
    _names = {"total_weight": "total_weight_tensor", "ignore_index": "ignoreIndex"}
    NOTHING = -100

    weights: Tensor | None = None
    sizeAverage = True
    ignoreIndex = NOTHING

    _file = Form(
        scratch={"target": lambda criterion: np.zeros(1, np.int64)},
        defaults={"weights": None, "sizeAverage": True, "ignoreIndex": lambda fields: -100},
    )
    _lua = Lua(targets="labels", fields={"ignoreIndex": "labels"})

    def __init__(self, weights: Any = None, sizeAverage: bool = True, ignoreIndex: int = NOTHING) -> None:
        super().__init__()
        self.weights = None if weights is None else self._constant("weights", weights)
        self.sizeAverage = sizeAverage
        self.output_tensor, self.total_weight_tensor = np.zeros(1, self._dtype), np.ones(1, self._dtype)
        self.ignoreIndex = ignoreIndex

    @property
    def total_weight(self) -> float:
        return float(self._resize("total_weight_tensor", (1,))[0])

    def _goal(self, target: Any) -> Tensor:
        return check.labels(self, "target", target)
