"""The hinge loss of two classes."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class MarginCriterion(NativeCriterion):
    """The hinge loss of two classes.

    .. math:: loss = \\frac{1}{n} \\sum_i \\max(0, margin - t_i x_i)

    over all n elements, or their sum without `sizeAverage`. A target is 1 or -1, the class; other numbers are factors in the
    formula, as in Torch7.

    Parameters
    ----------
    margin : float
        Distance from the border between the classes that is far enough; 1 by default.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by the number of elements: True, until set.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, of its dtype or integers. An empty input costs 0.
    Source: Torch7 ``nn.MarginCriterion``; C: ``THNN/criterion/MarginCriterion.c``.

    Examples
    --------
    >>> loss, x, t = nn.MarginCriterion(), np.float32([2, 0.5, 3, 0]), np.float32([1, 1, -1, -1])
    >>> loss.forward(x, t)  # (0 + 0.5 + 4 + 1) / 4
    1.375
    >>> loss.backward(x, t)
    array([ 0.  , -0.25,  0.25,  0.25], dtype=float32)
    """

    _layer = "MarginCriterion"
    sizeAverage = True
    margin: float = 1

    _file = Form(defaults={"margin": 1})

    def __init__(self, margin: float = 1) -> None:
        super().__init__()
        self.margin = margin
        self.sizeAverage = True

    def _goal(self, target: Any) -> Tensor:
        return check.marks(self, target)
