"""Elements limited to a range."""

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn.activation.Inplace import Inplace


class HardTanh(Inplace):
    """Limits each element to a range.

    .. math:: y = \\min(\\max(x, min), max)

    The gradient passes where the element lies inside the range, bounds excluded.

    Parameters
    ----------
    min_value, max_value : float
        The range.
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Raises
    ------
    ValueRangeError
        If `max_value` does not exceed `min_value`.

    Notes
    -----
    Shapes: any; the output has that of the input. NaN stays NaN; in Torch7 it became `max_value`.
    Source: Torch7 ``nn.HardTanh``; C: ``THNN/activation/HardTanh.c``.

    Examples
    --------
    >>> layer, x = nn.HardTanh(-1, 2), np.float32([-3, 0.5, 4])
    >>> layer.forward(x)
    array([-1. ,  0.5,  2. ], dtype=float32)
    >>> layer.backward(x, np.float32([7, 8, 9]))
    array([0., 8., 0.], dtype=float32)
    """

    _layer = "HardTanh"
    min_val = -1.0
    max_val = 1.0

    def __init__(self, min_value: float = -1, max_value: float = 1, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.min_val = min_value
        self.max_val = max_value
        if not min_value < max_value:
            raise ValueRangeError(f"{self._typename}: max_value: expected more than min_value {min_value}, got {max_value}")
