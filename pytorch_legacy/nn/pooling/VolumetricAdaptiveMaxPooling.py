"""Maxima of adaptive windows."""

from pytorch_legacy.nn.pooling.AdaptivePooling import AdaptivePooling
from pytorch_legacy.nn.pooling.Indexed import Indexed


class VolumetricAdaptiveMaxPooling(Indexed, AdaptivePooling):
    """Maximum of windows that share each volume as evenly as they can, so that the output has the size you ask for.

    .. math:: y_o = \\max_{i \\in R_o} x_i, \\qquad
              R_o = [\\lfloor o I / O \\rfloor, \\lceil (o + 1) I / O \\rceil)

    along time, height and width, for an input of I and an output of O cells. Windows overlap if O does not divide
    I; O may exceed I. The gradient goes to the cell that the maximum came from: the first of equal ones in row-major
    order, and the first NaN before every number.

    Parameters
    ----------
    T, W, H : int or None
        Length in time, width and height of the output; None keeps the input's.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum within its volume: (t * H + row) * W + column.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, or a size is below 1.

    Notes
    -----
    Shapes: ``(N x) C x T_in x H_in x W_in`` to ``(N x) C x T x H x W``.
    Bounds are exact integers.
    The form that Torch7 lacked of its SpatialAdaptiveMaxPooling. C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.VolumetricAdaptiveMaxPooling(2, 1, 2), np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2)
    >>> pool.forward(x).tolist()  # of two times, one row and both columns each
    [[[[5.0], [7.0]], [[13.0], [15.0]]]]
    """

    _layer = "VolumetricAdaptiveMaxPooling"
    _axes = "TWH"

    def __init__(self, T: int | None, W: int | None, H: int | None) -> None:
        super().__init__(T, W, H)
