"""The mean squared error."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.NativeCriterion import NativeCriterion


class MSECriterion(NativeCriterion):
    """The mean of the squared differences between input and target.

    .. math:: loss = \\frac{1}{n} \\sum_i (x_i - t_i)^2

    over all n elements, or their sum without `sizeAverage`.

    Parameters
    ----------
    sizeAverage : bool
        Whether to divide by the number of elements.

    Notes
    -----
    Shapes: any; the target has as many elements as the input, and its dtype. An empty input costs 0.
    Source: Torch7 ``nn.MSECriterion``; C: ``THNN/criterion/MSECriterion.c``.

    Examples
    --------
    >>> loss, x, t = nn.MSECriterion(), np.float32([1, 2, 3, 4]), np.float32([1, 4, 3, 0])
    >>> loss.forward(x, t)  # (0 + 4 + 0 + 16) / 4
    5.0
    >>> loss.backward(x, t)
    array([ 0., -1.,  0.,  2.], dtype=float32)
    >>> nn.MSECriterion(sizeAverage=False).forward(x, t)
    20.0
    """

    _layer = "MSECriterion"
    sizeAverage = True

    _file = Form(defaults={"sizeAverage": True})

    def __init__(self, sizeAverage: bool = True) -> None:
        super().__init__()
        self.sizeAverage = sizeAverage
