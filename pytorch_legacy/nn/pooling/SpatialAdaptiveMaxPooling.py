"""Maxima of adaptive windows."""

from pytorch_legacy.nn.pooling.AdaptivePooling import AdaptivePooling
from pytorch_legacy.nn.pooling.Indexed import Indexed


class SpatialAdaptiveMaxPooling(Indexed, AdaptivePooling):
    """Maximum of windows that share each plane as evenly as they can, so that the output has the size you ask for.

    .. math:: y_o = \\max_{i \\in R_o} x_i, \\qquad
              R_o = [\\lfloor o I / O \\rfloor, \\lceil (o + 1) I / O \\rceil)

    along height and along width, for an input of I and an output of O cells. Windows overlap if O does not divide I;
    O may exceed I. The gradient goes to the cell that the maximum came from: the first of equal ones in row-major order,
    and the first NaN before every number.

    Parameters
    ----------
    W, H : int or None
        Width and height of the output; None keeps the input's.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum within its plane: row * width + column. (Torch7 kept two arrays, counted from the
        beginning of the window; ``pooling.indices`` converts.)

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, or a size is below 1.

    Notes
    -----
    Shapes: ``(N x) C x H_in x W_in`` to ``(N x) C x H x W``.
    Bounds are exact integers. Torch7 computed ``o / O * I`` in single precision, which gives other windows at small
    sizes, such as 13 to 13 cells and 21 to 7.
    Source: Torch7 ``nn.SpatialAdaptiveMaxPooling``; C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.SpatialAdaptiveMaxPooling(2, 2), np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    >>> pool.forward(x)  # windows of 2 x 2; rows 0 and 1, and 1 and 2
    array([[[ 5.,  7.],
            [ 9., 11.]]], dtype=float32)
    >>> pool.indices  # counted from 0; otherwise in Lua
    array([[[ 5,  7],
            [ 9, 11]]])
    """

    _layer = "SpatialAdaptiveMaxPooling"

    def __init__(self, W: int | None, H: int | None) -> None:
        super().__init__(W, H)
