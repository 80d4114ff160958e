"""The mean absolute error."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class AbsCriterion(NativeCriterion):
    """The mean of the absolute differences between input and target.

    .. math:: loss = \\frac{1}{n} \\sum_i |x_i - t_i|

    over all n elements, or their sum without `sizeAverage`.

    Parameters
    ----------
    sizeAverage : bool
        Whether to divide by the number of elements.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, and its dtype. An empty input costs 0. Where
    input and target agree the gradient is that of a larger input.
    Source: Torch7 ``nn.AbsCriterion``; C: ``THNN/criterion/AbsCriterion.c``.

    Examples
    --------
    >>> loss, x, t = nn.AbsCriterion(), np.float32([1, 2, 3, 4]), np.float32([1, 4, 3, 0])
    >>> loss.forward(x, t)  # (0 + 2 + 0 + 4) / 4
    1.5
    >>> loss.backward(x, t)
    array([ 0.25, -0.25,  0.25,  0.25], dtype=float32)
    """

    _layer = "AbsCriterion"
    sizeAverage = True

    _file = Form(defaults={"sizeAverage": True})

    def __init__(self, sizeAverage: bool = True) -> None:
        super().__init__()
        self.sizeAverage = sizeAverage
