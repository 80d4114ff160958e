"""Means over adaptive windows."""

from pytorch_legacy.nn.pooling.AdaptivePooling import AdaptivePooling


class SpatialAdaptiveAveragePooling(AdaptivePooling):
    """Mean of windows that share each plane as evenly as they can, so that the output has the size you ask for.

    .. math:: y_o = \\frac{1}{|R_o|} \\sum_{i \\in R_o} x_i, \\qquad
              R_o = [\\lfloor o I / O \\rfloor, \\lceil (o + 1) I / O \\rceil)

    along height and along width, for an input of I and an output of O cells. Windows overlap if O does not divide I;
    O may exceed I.

    Parameters
    ----------
    W, H : int or None
        Width and height of the output; None keeps the input's.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, or a size is below 1.

    Notes
    -----
    Shapes: ``(N x) C x H_in x W_in`` to ``(N x) C x H x W``.
    Bounds are exact integers. The last release of Torch7 computed ``o * I / O`` in single precision, which gives the
    same windows as long as I * O is below 2**24.
    Source: Torch7 ``nn.SpatialAdaptiveAveragePooling``; C: ``THNN/pooling/AveragePooling.c``.

    Examples
    --------
    >>> x = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    >>> nn.SpatialAdaptiveAveragePooling(2, 1).forward(x)  # two columns, one row
    array([[[4.5, 6.5]]], dtype=float32)
    >>> nn.SpatialAdaptiveAveragePooling(2, None).forward(x)  # all rows
    array([[[ 0.5,  2.5],
            [ 4.5,  6.5],
            [ 8.5, 10.5]]], dtype=float32)
    """

    _layer = "SpatialAdaptiveAveragePooling"

    def __init__(self, W: int | None, H: int | None) -> None:
        super().__init__(W, H)
