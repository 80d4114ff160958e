"""Means of whole volumes."""

from pytorch_legacy.nn.Native import Native


class VolumetricGlobalAveragePooling(Native):
    """Mean of each volume, whatever its size.

    .. math:: y = \\frac{1}{T H W} \\sum_i x_i, \\qquad \\frac{\\partial y}{\\partial x_i} = \\frac{1}{T H W}

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, or its volumes have no cells.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x 1 x 1 x 1``.
    Source: Lin, Chen, Yan, "Network in network" (2014); C: ``THNN/pooling/AveragePooling.c``.

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)
    >>> nn.VolumetricGlobalAveragePooling().forward(x).ravel()
    array([ 3.5, 11.5], dtype=float32)
    """

    _layer = "VolumetricGlobalAveragePooling"
