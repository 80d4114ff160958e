"""Maxima of whole volumes."""

from pytorch_legacy.nn.pooling.Indexed import Indexed


class VolumetricGlobalMaxPooling(Indexed):
    """Maximum of each volume, whatever its size.

    .. math:: y = \\max_i x_i

    The gradient goes to the cell that the maximum came from: the first of equal ones, and the first NaN before every
    number.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum within its volume: (t * H + row) * W + column.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, or its volumes have no cells.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x 1 x 1 x 1``.
    C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.VolumetricGlobalMaxPooling(), np.float32([[[[1, 5], [3, 2]], [[4, 0], [6, 8]]]])
    >>> pool.forward(x).tolist()
    [[[[8.0]]]]
    >>> pool.indices.item()  # time 1, row 1, column 1
    7
    """

    _layer = "VolumetricGlobalMaxPooling"
