"""Maxima of windows at random distances."""

from typing import ClassVar

from pytorch_legacy.nn.pooling.FractionalMaxPooling import FractionalMaxPooling


class SpatialFractionalMaxPooling(FractionalMaxPooling):
    """Maximum of windows of one size that lie at random distances: reduces planes by any factor, not only whole ones.

    .. math:: y_o = \\max_{i \\in R_o} x_i

    Windows are products of two intervals of ``poolSizeH`` and ``poolSizeW`` cells, which overlap if the steps between them
    are shorter. Where they begin is drawn for each plane, anew in each pass, in evaluation too. The gradient goes to the
    cell that the maximum came from: the first of equal ones in row-major order, and the first NaN before every number.

    Parameters
    ----------
    poolSizeW, poolSizeH : int
        Width and height of a window, at least 2.
    outW, outH : int or float
        Width and height of the output. Two numbers below 1 are ratios of output to input, rounded down.

    Attributes
    ----------
    randomSamples : array N x C x 2
        The u of each plane along width and height (see ``FractionalMaxPooling``), uniform in [0, 1).
    indices : int64 array, as output
        Position of each maximum within its plane: row * width + column.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, has no room for the windows (in < out + poolSize - 1), or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x outH x outW``.
    Bounds are computed in double precision for both element types, as Torch7 did for its double tensors. Torch7 refused
    windows that begin one cell after another (in = out + poolSize - 1), and failed on NaN.
    Source: Torch7 ``nn.SpatialFractionalMaxPooling``; Graham, "Fractional Max-Pooling" (2014);
    C: ``THNN/pooling/FractionalMaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.SpatialFractionalMaxPooling(2, 2, 3, 3), np.arange(25, dtype=np.float32).reshape(1, 5, 5)
    >>> pool.fixPoolingRegions().randomSamples = np.float32([[[0, 0.5]]])  # drawn without this line
    >>> pool.forward(x)  # windows begin at columns 0, 1 and 3, and at rows 0, 2 and 3
    array([[[ 6.,  7.,  9.],
            [16., 17., 19.],
            [21., 22., 24.]]], dtype=float32)
    """

    _layer = "SpatialFractionalMaxPooling"
    _axes: ClassVar[str] = "WH"
    _layout: ClassVar[str] = "HW"
    poolSizeW: int
    poolSizeH: int
    outW: int
    outH: int
    ratioW: float
    ratioH: float

    def __init__(self, poolSizeW: int, poolSizeH: int, outW: float, outH: float) -> None:
        super().__init__((poolSizeW, poolSizeH), (outW, outH))
