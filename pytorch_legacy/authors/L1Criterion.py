"""The mean absolute error."""

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form


class L1Criterion(nn.AbsCriterion):
    """``nn.AbsCriterion`` as waifu2x calls it: the mean of the absolute differences.

    .. math:: loss = \\frac{1}{n} \\sum_i |x_i - t_i|

    Notes
    -----
    Shapes: any; the target has as many elements as the input, and its dtype.
    Source: waifu2x ``L1Criterion``; C: ``THNN/criterion/AbsCriterion.c``.

    Examples
    --------
    >>> authors.L1Criterion().forward(np.float32([[1, 5]]), np.float32([[2, 2]]))
    2.0
    """

    _typename = "w2nn.L1Criterion"
    _file = Form(dropped=("diff", "linear_loss_buff"), private=("sizeAverage",))

    def __init__(self) -> None:
        super().__init__()
