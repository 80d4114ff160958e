"""Elements limited to a range that must be named."""

from pytorch_legacy.nn.activation.HardTanh import HardTanh


class Clamp(HardTanh):
    """Limits each element to a range: a HardTanh without default bounds, never in place.

    .. math:: y = \\min(\\max(x, min), max)

    Parameters
    ----------
    min_value, max_value : float
        The range.

    Notes
    -----
    Shapes: any; the output has that of the input. NaN stays NaN; in Torch7 it became `max_value`.
    Source: Torch7 ``nn.Clamp``.

    Examples
    --------
    >>> nn.Clamp(-1, 2).forward(np.float32([-3, -0.5, 1.5, 4]))
    array([-1. , -0.5,  1.5,  2. ], dtype=float32)
    """

    def __init__(self, min_value: float, max_value: float) -> None:
        super().__init__(min_value, max_value)
