"""Maxima of successive frames."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.pooling.Indexed import Indexed


class TemporalMaxPooling(Indexed):
    """Maximum of successive frames, feature by feature.

    .. math:: y_{o, c} = \\max_{j < kW} x_{o \\, dW + j, c}

    The gradient goes to the frame that the maximum came from. Of equal frames the first one wins; the first NaN beats
    every number.

    Parameters
    ----------
    kW : int
        Frames of a window.
    dW : int, optional
        Distance of windows; kW if not given.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum: frame * frameSize + feature. (Torch7 kept the frame's number within the window.)

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, has too few frames, or a number is below 1.

    Notes
    -----
    Shapes: ``(N x) nFrame x frameSize`` to ``(N x) oFrame x frameSize`` with
    :math:`oFrame = \\lfloor (nFrame - kW) / dW \\rfloor + 1`.
    Source: Torch7 ``nn.TemporalMaxPooling``; C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> x = np.float32([[1, 80], [3, 70], [5, 60], [7, 50]])  # four frames of two features
    >>> pool = nn.TemporalMaxPooling(2)
    >>> pool.forward(x)
    array([[ 3., 80.],
           [ 7., 60.]], dtype=float32)
    >>> pool.indices  # frame * 2 + feature; otherwise in Lua
    array([[2, 1],
           [6, 5]])
    """

    _layer = "TemporalMaxPooling"

    _file = Form(defaults={"dW": None})

    def __init__(self, kW: int, dW: int | None = None) -> None:
        super().__init__()
        self.kW = kW
        self.dW = kW if dW is None else dW
