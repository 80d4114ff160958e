"""Means over adaptive windows."""

from pytorch_legacy.nn.pooling.AdaptivePooling import AdaptivePooling


class VolumetricAdaptiveAveragePooling(AdaptivePooling):
    """Mean of windows that share each volume as evenly as they can, so that the output has the size you ask for.

    .. math:: y_o = \\frac{1}{|R_o|} \\sum_{i \\in R_o} x_i, \\qquad
              R_o = [\\lfloor o I / O \\rfloor, \\lceil (o + 1) I / O \\rceil)

    along time, height and width, for an input of I and an output of O cells. Windows overlap if O does not divide
    I; O may exceed I.

    Parameters
    ----------
    T, W, H : int or None
        Length in time, width and height of the output; None keeps the input's.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, or a size is below 1.

    Notes
    -----
    Shapes: ``(N x) C x T_in x H_in x W_in`` to ``(N x) C x T x H x W``.
    Bounds are exact integers.
    The form that Torch7 lacked of its SpatialAdaptiveAveragePooling. C:
    ``THNN/pooling/AveragePooling.c``.

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2)
    >>> nn.VolumetricAdaptiveAveragePooling(2, 1, 1).forward(x).tolist()  # of the first 8 and the last 8 numbers
    [[[[3.5]], [[11.5]]]]
    """

    _layer = "VolumetricAdaptiveAveragePooling"
    _axes = "TWH"

    def __init__(self, T: int | None, W: int | None, H: int | None) -> None:
        super().__init__(T, W, H)
