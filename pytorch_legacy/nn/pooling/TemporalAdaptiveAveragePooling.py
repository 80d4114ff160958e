"""Means over adaptive windows."""

from pytorch_legacy.nn.pooling.AdaptivePooling import AdaptivePooling
from pytorch_legacy.nn.pooling.Sequences import Sequences


class TemporalAdaptiveAveragePooling(Sequences, AdaptivePooling):
    """Mean of each feature over windows that share the frames as evenly as they can: as many as you ask for.

    .. math:: y_o = \\frac{1}{|R_o|} \\sum_{i \\in R_o} x_i, \\qquad
              R_o = [\\lfloor o I / O \\rfloor, \\lceil (o + 1) I / O \\rceil)

    for an input of I and an output of O frames. Windows overlap where O does not divide I;
    O may exceed I.

    Parameters
    ----------
    W : int or None
        Frames of the output; None keeps the input's.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, or a size is below 1.

    Notes
    -----
    Shapes: ``(N x) nFrame x frameSize`` to ``(N x) W x frameSize``. Version 1 had ``(N x) frameSize x nFrame``; layers of files
    of that version still have.
    Bounds are exact integers.
    The form that Torch7 lacked of its SpatialAdaptiveAveragePooling. C:
    ``THNN/pooling/AveragePooling.c``.

    Examples
    --------
    >>> frames = np.float32([[1], [2], [3], [4], [5]])
    >>> nn.TemporalAdaptiveAveragePooling(2).forward(frames).tolist()  # of [1, 2, 3] and [3, 4, 5]
    [[2.0], [4.0]]
    """

    _layer = "TemporalAdaptiveAveragePooling"
    _axes = "W"
    _last = -2

    def __init__(self, W: int | None) -> None:
        super().__init__(W)
