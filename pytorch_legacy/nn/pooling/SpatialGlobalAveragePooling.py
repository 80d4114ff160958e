"""Means of whole planes."""

from pytorch_legacy.nn.Native import Native


class SpatialGlobalAveragePooling(Native):
    """Mean of each plane, whatever its size.

    .. math:: y = \\frac{1}{H W} \\sum_i x_i, \\qquad \\frac{\\partial y}{\\partial x_i} = \\frac{1}{H W}

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, or its planes have no cells.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x 1 x 1``.
    Source: Lin, Chen, Yan, "Network in network" (2014); C: ``THNN/pooling/AveragePooling.c``.

    Examples
    --------
    >>> nn.SpatialGlobalAveragePooling().forward(np.arange(12, dtype=np.float32).reshape(2, 2, 3)).tolist()
    [[[2.5]], [[8.5]]]
    """

    _layer = "SpatialGlobalAveragePooling"
