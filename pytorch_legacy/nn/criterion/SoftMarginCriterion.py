"""The logistic loss of two classes."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class SoftMarginCriterion(NativeCriterion):
    """The logistic loss of two classes.

    .. math:: loss = \\frac{1}{n} \\sum_i \\log(1 + \\exp(-t_i x_i))

    over all n elements, or their sum without `sizeAverage`. A target is 1 or -1, the class; other numbers are factors in the
    formula, as in Torch7.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by the number of elements: True, until set.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, of its dtype or integers. An empty input costs 0.
    Torch7's loss became infinite where the exponential did; this one stays a number.
    Source: Torch7 ``nn.SoftMarginCriterion``; C: ``THNN/criterion/SoftMarginCriterion.c``.

    Examples
    --------
    >>> loss, x, t = nn.SoftMarginCriterion(), np.float32([0, np.log(3)]), np.float32([1, -1])
    >>> round(loss.forward(x, t), 4)  # (log(1 + 1) + log(1 + 3)) / 2
    1.0397
    >>> loss.backward(x, t)
    array([-0.25 ,  0.375], dtype=float32)
    """

    _layer = "SoftMarginCriterion"
    sizeAverage = True

    def __init__(self) -> None:
        super().__init__()
        self.sizeAverage = True

    def _goal(self, target: Any) -> Tensor:
        return check.marks(self, target)
