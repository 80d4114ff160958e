"""Maxima of adaptive windows."""

from pytorch_legacy.nn.pooling.AdaptivePooling import AdaptivePooling
from pytorch_legacy.nn.pooling.Indexed import Indexed
from pytorch_legacy.nn.pooling.Sequences import Sequences


class TemporalAdaptiveMaxPooling(Sequences, Indexed, AdaptivePooling):
    """Maximum of each feature over windows that share the frames as evenly as they can: as many as you ask for.

    .. math:: y_o = \\max_{i \\in R_o} x_i, \\qquad
              R_o = [\\lfloor o I / O \\rfloor, \\lceil (o + 1) I / O \\rceil)

    for an input of I and an output of O frames. Windows overlap where O does not divide I;
    O may exceed I. The gradient goes to the frame that the maximum came from: the first of equal ones, and the
    first NaN before every number.

    Parameters
    ----------
    W : int or None
        Frames of the output; None keeps the input's.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum in the sample: ``frame * frameSize + feature``.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, or a size is below 1.

    Notes
    -----
    Shapes: ``(N x) nFrame x frameSize`` to ``(N x) W x frameSize``. Version 1 had ``(N x) frameSize x nFrame``; layers of files
    of that version still have.
    Bounds are exact integers.
    The form that Torch7 lacked of its SpatialAdaptiveMaxPooling. C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> frames = np.float32([[1], [7], [3], [4], [5]])
    >>> nn.TemporalAdaptiveMaxPooling(2).forward(frames).tolist()  # of [1, 7, 3] and [3, 4, 5]
    [[7.0], [5.0]]
    """

    _layer = "TemporalAdaptiveMaxPooling"
    _axes = "W"
    _last = -2

    def __init__(self, W: int | None) -> None:
        super().__init__(W)
