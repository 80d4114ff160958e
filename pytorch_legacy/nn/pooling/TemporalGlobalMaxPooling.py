"""Maxima of whole sequences."""

from pytorch_legacy.nn.pooling.Indexed import Indexed
from pytorch_legacy.nn.pooling.Sequences import Sequences


class TemporalGlobalMaxPooling(Sequences, Indexed):
    """Maximum of each feature over all frames, however many.

    .. math:: y = \\max_i x_i

    The gradient goes to the frame that the maximum came from: the first of equal ones, and the first NaN before every
    number.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum in the sample: ``frame * frameSize + feature``.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, or has no frames or features.

    Notes
    -----
    Shapes: ``(N x) nFrame x frameSize`` to ``(N x) 1 x frameSize``. Version 1 had ``(N x) frameSize x nFrame``; layers of files
    of that version still have.
    C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> pool = nn.TemporalGlobalMaxPooling()
    >>> pool.forward(np.float32([[1, 2, 3], [9, 4, 7]])).tolist()
    [[9.0, 4.0, 7.0]]
    >>> pool.indices.tolist()
    [[3, 4, 5]]
    """

    _layer = "TemporalGlobalMaxPooling"
