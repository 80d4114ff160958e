"""Maxima of whole planes."""

from pytorch_legacy.nn.pooling.Indexed import Indexed


class SpatialGlobalMaxPooling(Indexed):
    """Maximum of each plane, whatever its size.

    .. math:: y = \\max_i x_i

    The gradient goes to the cell that the maximum came from: the first of equal ones, and the first NaN before every
    number.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum within its plane: row * width + column.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, or its planes have no cells.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x 1 x 1``.
    C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.SpatialGlobalMaxPooling(), np.float32([[[1, 5], [3, 2]], [[4, 0], [6, 8]]])
    >>> pool.forward(x).tolist()
    [[[5.0]], [[8.0]]]
    >>> pool.indices.tolist()
    [[[1]], [[3]]]
    """

    _layer = "SpatialGlobalMaxPooling"
