"""Small elements removed."""

from pytorch_legacy.nn.activation.Shrink import Shrink


class HardShrink(Shrink):
    """Sets small elements to 0.

    .. math:: y = x \\text{ if } |x| > \\lambda \\text{ else } 0

    The gradient passes where the element did.

    Parameters
    ----------
    lambda_ : float
        Threshold that the absolute value must exceed; 0.5 by default.

    Notes
    -----
    Shapes: any; the output has that of the input. NaN stays NaN; in Torch7 it became 0.
    Source: Torch7 ``nn.HardShrink``; C: ``THNN/activation/HardShrink.c``.

    Examples
    --------
    >>> nn.HardShrink(2).forward(np.float32([-3, -1, 2, 5]))
    array([-3.,  0.,  0.,  5.], dtype=float32)
    """

    _layer = "HardShrink"
