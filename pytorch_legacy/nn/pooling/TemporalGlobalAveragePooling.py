"""Means of whole sequences."""

from pytorch_legacy.nn.pooling.Sequences import Sequences


class TemporalGlobalAveragePooling(Sequences):
    """Mean of each feature over all frames, however many.

    .. math:: y = \\frac{1}{L} \\sum_i x_i, \\qquad \\frac{\\partial y}{\\partial x_i} = \\frac{1}{L}

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, or has no frames or features.

    Notes
    -----
    Shapes: ``(N x) nFrame x frameSize`` to ``(N x) 1 x frameSize``. Version 1 had ``(N x) frameSize x nFrame``; layers of files
    of that version still have.
    Source: Lin, Chen, Yan, "Network in network" (2014); C: ``THNN/pooling/AveragePooling.c``.

    Examples
    --------
    >>> nn.TemporalGlobalAveragePooling().forward(np.float32([[1, 2, 3], [4, 4, 7]]))
    array([[2.5, 3. , 5. ]], dtype=float32)
    """

    _layer = "TemporalGlobalAveragePooling"
