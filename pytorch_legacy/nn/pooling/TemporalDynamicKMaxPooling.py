"""The largest frames of each feature."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.pooling.Indexed import Indexed


class TemporalDynamicKMaxPooling(Indexed):
    """Keeps the k largest numbers of each feature over time, in the order in which they came.

    .. math:: y_{jf} = x_{i_{jf} f}, \\qquad k = \\max(minK, \\lceil factor \\cdot L \\rceil),

    where :math:`i_{1f} < \\dots < i_{kf}` are the frames of the k largest of feature f.

    The gradient goes to the places that they came from. NaN counts as larger than every number; of equals the earlier is
    taken first.

    Parameters
    ----------
    minK : int
        Least number of frames to keep.
    factor : float
        From 0 to 1: the part of the input's frames to keep. For layer m of l such layers the source takes (l - m) / l.

    Attributes
    ----------
    indices : int64 array, as output
        The frames that were kept.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D or has fewer than k frames, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) L x F`` to ``(N x) k x F``.
    In Torch7 it was left open which of several equal numbers are kept.
    Source: Torch7 ``nn.TemporalDynamicKMaxPooling``; Kalchbrenner et al., "A Convolutional Neural Network for Modelling
    Sentences" (2014); C: ``THNN/pooling/TemporalDynamicKMaxPooling.c``.

    Examples
    --------
    >>> x = np.float32([[4, 1], [9, 2], [5, 3], [7, 0]])  # four frames of two features
    >>> nn.TemporalDynamicKMaxPooling(2).forward(x)
    array([[9., 2.],
           [7., 3.]], dtype=float32)
    >>> nn.TemporalDynamicKMaxPooling(1, 0.75).forward(x)  # three of four
    array([[9., 1.],
           [5., 2.],
           [7., 3.]], dtype=float32)
    """

    _layer = "TemporalDynamicKMaxPooling"

    _file = Form(defaults={"factor": 0})

    def __init__(self, minK: int, factor: float = 0) -> None:
        super().__init__()
        self.minK = minK
        self.factor = factor
