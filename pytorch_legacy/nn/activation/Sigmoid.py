"""The logistic function."""

from pytorch_legacy.nn.Native import Native


class Sigmoid(Native):
    """The logistic function of each element.

    .. math:: y = \\frac{1}{1 + e^{-x}}, \\qquad \\frac{\\partial y}{\\partial x} = y (1 - y)

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Sigmoid``; C: ``THNN/activation/Sigmoid.c``.

    Examples
    --------
    >>> np.round(nn.Sigmoid().forward(np.float32([-1, 0, 100])), 4)
    array([0.2689, 0.5   , 1.    ], dtype=float32)
    """

    _layer = "Sigmoid"
