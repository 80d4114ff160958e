"""Absolute values."""

from pytorch_legacy.nn.Native import Native


class Abs(Native):
    """The absolute value of each element.

    .. math:: y = |x|

    The gradient at 0 is 1.

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Abs``; C: ``THNN/activation/Abs.c``.

    Examples
    --------
    >>> nn.Abs().forward(np.float32([-2, 0, 3]))
    array([2., 0., 3.], dtype=float32)
    """

    _layer = "Abs"
