"""The mean squared error, with outliers that count less."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class SmoothL1Criterion(NativeCriterion):
    """Half the squared difference if it is below 1, else the absolute difference less one half.

    .. math:: loss = \\frac{1}{n} \\sum_i f(x_i - t_i), \\quad
        f(d) = d^2 / 2 \\text{ if } |d| < 1 \\text{ else } |d| - 1/2

    over all n elements, or their sum without `sizeAverage`. It is the Huber loss with a threshold of 1.

    Parameters
    ----------
    sizeAverage : bool
        Whether to divide by the number of elements.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, and its dtype. An empty input costs 0.
    Source: Torch7 ``nn.SmoothL1Criterion``; C: ``THNN/criterion/SmoothL1Criterion.c``.

    Examples
    --------
    >>> loss, x, t = nn.SmoothL1Criterion(), np.float32([1.5, 4]), np.float32([1, 1])
    >>> loss.forward(x, t)  # (0.5**2 / 2 + 3 - 0.5) / 2
    1.3125
    >>> loss.backward(x, t)
    array([0.25, 0.5 ], dtype=float32)
    """

    _layer = "SmoothL1Criterion"
    sizeAverage = True

    _file = Form(defaults={"sizeAverage": True})

    def __init__(self, sizeAverage: bool = True) -> None:
        super().__init__()
        self.sizeAverage = sizeAverage
