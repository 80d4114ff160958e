"""Logarithms of the logistic function."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Native import Native


class LogSigmoid(Native):
    """The logarithm of the logistic function of each element.

    .. math:: y = \\log \\frac{1}{1 + e^{-x}}, \\qquad \\frac{\\partial y}{\\partial x} = \\frac{1}{1 + e^x}

    computed without overflow and without loss of digits.

    Notes
    -----
    Shapes: any; the output has that of the input. That of -inf is -inf; in Torch7 it was NaN. There is no
    field ``buffer``: the gradient needs nothing but the input.
    Source: Torch7 ``nn.LogSigmoid``; C: ``THNN/activation/LogSigmoid.c``.

    Examples
    --------
    >>> np.round(nn.LogSigmoid().forward(np.float32([-100, -1, 0])), 4)
    array([-100.    ,   -1.3133,   -0.6931], dtype=float32)
    """

    _layer = "LogSigmoid"
    _file = Form(dropped=("buffer",))
