"""Sums of neighbouring frames with a weight and a bias."""

from typing import ClassVar

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.pooling.SpatialSubSampling import SpatialSubSampling
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class TemporalSubSampling(SpatialSubSampling):
    """Sums of kW neighbouring frames, each feature scaled and shifted by learned numbers of its own.

    .. math:: y_{t,f} = w_f \\sum_{k < kW} x_{t \\cdot dW + k, f} + b_f

    Parameters
    ----------
    inputFrameSize : int
        Number of features of a frame.
    kW : int
        Number of frames in a sum.
    dW : int
        Distance between the first frames of neighbouring sums.

    Attributes
    ----------
    weight, bias, gradWeight, gradBias : array of inputFrameSize

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D with inputFrameSize features and at least kW frames, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) T x inputFrameSize`` to ``(N x) oT x inputFrameSize`` with ``oT = (T - kW) / dW + 1``.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kW). Torch7 took no batches.
    Source: Torch7 ``nn.TemporalSubSampling``; C: ``THNN/pooling/SubSampling.c``.

    Examples
    --------
    >>> pool = nn.TemporalSubSampling(2, 2, 2)
    >>> pool.weight[...], pool.bias[...] = [1, 0.5], [0, 1]
    >>> pool.forward(np.float32([[1, 10], [3, 30], [5, 50], [7, 70]]))  # four frames of two features
    array([[ 4., 21.],
           [12., 61.]], dtype=float32)
    """

    _axes: ClassVar[str] = "W"
    _file = Form(without=("dH", "padH"))
    _layer = "TemporalSubSampling"

    def __init__(self, inputFrameSize: int, kW: int, dW: int = 1) -> None:
        WindowedPooling.__init__(self, (kW,), (dW,))
        self.inputFrameSize = check.count(self, "inputFrameSize", inputFrameSize)
        self._makeParameters(self.inputFrameSize)
