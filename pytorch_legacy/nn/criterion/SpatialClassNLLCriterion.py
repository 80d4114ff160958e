"""The negative log likelihood of the right class at every place of an image."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class SpatialClassNLLCriterion(NativeCriterion):
    """The negative log likelihood of the right class at every place, for an input of log probabilities.

    .. math:: loss = -\\frac{\\sum_{n,h,w} w_t x_{n,t,h,w}}{\\sum_{n,h,w} w_t}, \\quad t = t_{n,h,w}

    Without `sizeAverage`, or where the weights sum to 0, nothing is divided.

    Parameters
    ----------
    weights : array of C, optional
        A factor for each class; 1 if not given.
    sizeAverage : bool
        Whether to divide by the total weight.

    Attributes
    ----------
    total_weight : float
        Sum of the weights of the places that the last ``forward`` counted.

    Raises
    ------
    IndexRangeError
        If a label is not in 0 .. C-1.
    DtypeError
        If the target is no array of labels.

    Notes
    -----
    Shapes: input ``N x C x H x W``, target ``N x H x W``. Labels count from 0 (in Torch7 from 1), in any integer dtype,
    or in whole numbers in floating point.
    Source: Torch7 ``nn.SpatialClassNLLCriterion``; C: ``THNN/criterion/ClassNLLCriterion.c``.

    Examples
    --------
    >>> x = np.log(np.float32([[[[0.5, 0.25]], [[0.5, 0.75]]]]))  # two classes at two places
    >>> loss, t = nn.SpatialClassNLLCriterion(), np.array([[[0, 1]]])  # classes count from 0; {1, 2} in Lua
    >>> round(loss.forward(x, t), 4)  # -(log(0.5) + log(0.75)) / 2
    0.4904
    >>> loss.backward(x, t).tolist()
    [[[[-0.5, 0.0]], [[0.0, -0.5]]]]
    """

    _layer = "SpatialClassNLLCriterion"
    _scalars = "output_tensor", "total_weight_tensor"
    _names = {"total_weight": "total_weight_tensor"}
    weights: Tensor | None = None
    sizeAverage = True

    _file = Form(scratch={"target": lambda criterion: np.zeros(1, np.int64)}, defaults={"weights": None, "sizeAverage": True})
    _lua = Lua(targets="labels")

    def __init__(self, weights: Any = None, sizeAverage: bool = True) -> None:
        super().__init__()
        self.weights = None if weights is None else self._constant("weights", weights)
        self.sizeAverage = sizeAverage
        self.output_tensor, self.total_weight_tensor = np.zeros(1, self._dtype), np.ones(1, self._dtype)

    @property
    def total_weight(self) -> float:
        return float(self._resize("total_weight_tensor", (1,))[0])

    def _goal(self, target: Any) -> Tensor:
        return check.labels(self, "target", target)
