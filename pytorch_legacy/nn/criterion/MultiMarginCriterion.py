"""The hinge loss of many classes."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class MultiMarginCriterion(NativeCriterion):
    """The hinge loss of many classes: the right one shall lead every other one by the margin.

    .. math:: loss = \\frac{1}{N C} \\sum_n \\sum_{c \\ne t_n} w_{t_n} \\max(0, margin - x_{n, t_n} + x_{n, c})^p

    Parameters
    ----------
    p : {1, 2}
        The power of what a class lacks.
    weights : array of C, optional
        A factor for each right class; 1 if not given.
    margin : float
        By how much the right class shall lead.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by the number of samples N: True, until set. The number of classes C always divides.

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
    Source: Torch7 ``nn.MultiMarginCriterion``; C: ``THNN/criterion/MultiMarginCriterion.c``.

    Examples
    --------
    >>> loss, x = nn.MultiMarginCriterion(), np.float32([0.5, 1, 0, 2])
    >>> loss.forward(x, 1)  # (0.5 + 0 + 2) / 4; classes count from 0, so 2 in Lua
    0.625
    >>> loss.backward(x, 1)
    array([ 0.25, -0.5 ,  0.  ,  0.25], dtype=float32)
    >>> nn.MultiMarginCriterion(2).forward(x, 1)  # (0.25 + 0 + 4) / 4
    1.0625
    """

    _layer = "MultiMarginCriterion"
    p = 1
    weights: Tensor | None = None
    margin: float = 1
    sizeAverage = True

    _file = Form(defaults={"p": 1, "weights": None, "margin": 1})
    _lua = Lua(targets="labels")

    def __init__(self, p: int = 1, weights: Any = None, margin: float = 1) -> None:
        super().__init__()
        if p not in (1, 2):
            raise ValueRangeError(f"{self._typename}: p: expected 1 or 2, got {p}")
        self.p = p
        self.weights = None if weights is None else self._constant("weights", weights)
        self.margin = margin
        self.sizeAverage = True

    def _goal(self, target: Any) -> Tensor:
        return check.labels(self, "target", target)
