"""Elements moved towards 0."""

from pytorch_legacy.nn.activation.Shrink import Shrink


class SoftShrink(Shrink):
    """Moves each element towards 0, where it stops.

    .. math:: y = \\operatorname{sign}(x) \\max(|x| - \\lambda, 0)

    The gradient passes where the output is not 0.

    Parameters
    ----------
    lambda_ : float
        How far.

    Notes
    -----
    Shapes: any; the output has that of the input. NaN stays NaN; in Torch7 it became 0.
    Source: Torch7 ``nn.SoftShrink``; C: ``THNN/activation/SoftShrink.c``.

    Examples
    --------
    >>> nn.SoftShrink(2).forward(np.float32([-3, -1, 2, 5]))
    array([-1.,  0.,  0.,  3.], dtype=float32)
    """

    _layer = "SoftShrink"
