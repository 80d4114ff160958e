"""Convolution of sequences."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.convolution.Convolution import Convolution
from pytorch_legacy.nn.Module import Module


class TemporalConvolution(Convolution):
    """Convolves a sequence of frames with a bank of learned filters.

    .. math:: y_{t,o} = b_o + \\sum_{k,f} W_{o,\\; k F + f} \\, x_{t dW + k,\\; f}

    where F is the inputFrameSize.

    Parameters
    ----------
    inputFrameSize, outputFrameSize : int
        Number of features of a frame, before and after.
    kW : int
        Number of frames that a filter sees.
    dW : int, optional
        Steps of the filters.

    Attributes
    ----------
    weight, gradWeight : array of outputFrameSize x (kW * inputFrameSize)
    bias, gradBias : array of outputFrameSize, or None after ``noBias()``, which Torch7 did not have here

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D with frames of inputFrameSize, has fewer than kW of them, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputFrame x inputFrameSize`` to ``(N x) nOutputFrame x outputFrameSize`` with
    nOutputFrame = floor((nInputFrame - kW) / dW) + 1.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kW inputFrameSize).
    Source: Torch7 ``nn.TemporalConvolution``; C: ``THNN/convolution/Convolution.c``.

    Examples
    --------
    >>> layer = nn.TemporalConvolution(2, 1, 2)  # one number of two frames, of two features each
    >>> layer.weight[...], layer.bias[...] = [[1, 10, 100, 1000]], 0
    >>> layer.forward(np.float32([[1, 2], [3, 4], [5, 6]]))  # 1 * 1 + 10 * 2 + 100 * 3 + 1000 * 4, ...
    array([[4321.],
           [6543.]], dtype=float32)
    """

    _axes = ""
    _layer = "TemporalConvolution"

    _file = Form(defaults={"dW": 1}, without=("dH", "padW", "padH"))

    def __init__(self, inputFrameSize: int, outputFrameSize: int, kW: int, dW: int = 1) -> None:
        Module.__init__(self)  # there are no planes
        self.inputFrameSize = check.count(self, "inputFrameSize", inputFrameSize)
        self.outputFrameSize = check.count(self, "outputFrameSize", outputFrameSize)
        self.kW, self.dW = check.count(self, "kW", kW), dW
        self._makeParameters(self._weightShape(), self.outputFrameSize)

    def _weightShape(self) -> tuple[int, ...]:
        return self.outputFrameSize, self.kW * self.inputFrameSize

    def __repr__(self) -> str:
        return self._typename
