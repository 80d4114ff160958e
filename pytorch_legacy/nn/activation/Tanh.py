"""The hyperbolic tangent."""

from pytorch_legacy.nn.Native import Native


class Tanh(Native):
    """The hyperbolic tangent of each element.

    .. math:: y = \\tanh(x) = \\frac{e^x - e^{-x}}{e^x + e^{-x}}, \\qquad
              \\frac{\\partial y}{\\partial x} = 1 - y^2

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Tanh``; C: ``THNN/activation/Tanh.c``.

    Examples
    --------
    >>> np.round(nn.Tanh().forward(np.float32([-1, 0, 2])), 4)
    array([-0.7616,  0.    ,  0.964 ], dtype=float32)
    """

    _layer = "Tanh"
