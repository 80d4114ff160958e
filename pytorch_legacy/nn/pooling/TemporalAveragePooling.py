"""Means of successive frames."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Native import Native


class TemporalAveragePooling(Native):
    """Mean of successive frames, feature by feature.

    .. math:: y_{o, c} = \\frac{1}{kW} \\sum_{j < kW} x_{o \\, dW + j, c}

    Parameters
    ----------
    kW : int
        Frames of a window.
    dW : int, optional
        Distance of windows; kW if not given.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, has too few frames, or a number is below 1.

    Notes
    -----
    Shapes: ``(N x) nFrame x frameSize`` to ``(N x) oFrame x frameSize`` with
    :math:`oFrame = \\lfloor (nFrame - kW) / dW \\rfloor + 1`.
    Torch7 had no such layer; it is the mean to its TemporalMaxPooling. C: ``THNN/pooling/AveragePooling.c``.

    Examples
    --------
    >>> x = np.float32([[1, 10], [3, 30], [5, 50], [7, 70]])  # four frames of two features
    >>> nn.TemporalAveragePooling(2).forward(x)
    array([[ 2., 20.],
           [ 6., 60.]], dtype=float32)
    >>> nn.TemporalAveragePooling(2, 1).forward(x)
    array([[ 2., 20.],
           [ 4., 40.],
           [ 6., 60.]], dtype=float32)
    """

    _layer = "TemporalAveragePooling"

    _file = Form(defaults={"dW": None})

    def __init__(self, kW: int, dW: int | None = None) -> None:
        super().__init__()
        self.kW = kW
        self.dW = kW if dW is None else dW
