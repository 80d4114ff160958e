"""Convolution of each feature of a sequence by itself."""

from math import sqrt
from typing import Self

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Learner


class TemporalRowConvolution(Learner):
    """Convolves each feature of a sequence with a filter of its own.

    .. math:: y_{t,c} = b_c + \\sum_k W_{c,0,k} \\, x_{t dW + k,\\; c}

    It lets a recurrent network see a few frames ahead (lookahead convolution).

    Parameters
    ----------
    inputFrameSize : int
        Number of features.
    kW : int
        Number of frames that a filter sees.
    dW : int
        Step of the filters.
    featFirst : bool
        Whether features stand before frames in the shapes of input and output.

    Attributes
    ----------
    weight, gradWeight : array of inputFrameSize x 1 x kW
    bias, gradBias : array of inputFrameSize, or None after ``noBias()``

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D with inputFrameSize features, has fewer frames than the filter, or a number is
        out of range.

    Notes
    -----
    Shapes: ``(N x) nFrame x inputFrameSize`` to ``(N x) oFrame x inputFrameSize`` with
    oFrame = floor((nFrame - kW) / dW) + 1; with `featFirst`, the last two are exchanged.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kW inputFrameSize). In Torch7 ``reset`` failed after
    ``noBias``.
    Source: Torch7 ``nn.TemporalRowConvolution``; C: ``THNN/convolution/TemporalRowConvolution.c``.

    Examples
    --------
    >>> layer = nn.TemporalRowConvolution(2, 2)
    >>> layer.weight[:, 0], layer.bias[...] = [[1, 10], [1, -1]], 0
    >>> layer.forward(np.float32([[1, 7], [2, 8], [3, 0]]))  # 1 + 10 * 2, 7 - 8, ...
    array([[21., -1.],
           [32.,  8.]], dtype=float32)
    """

    _layer = "TemporalRowConvolution"
    _names = {"padW": "_padW"}
    _padW = 0  # Torch7's layer has none
    weight: Tensor
    gradWeight: Tensor
    _file = Form(dropped=("finput", "fgradInput", "_input", "_gradOutput"), defaults={"dW": 1, "featFirst": False})

    def __init__(self, inputFrameSize: int, kW: int, dW: int = 1, featFirst: bool = False) -> None:
        super().__init__()
        self.inputFrameSize = check.count(self, "inputFrameSize", inputFrameSize)
        self.kW, self.dW = check.count(self, "kW", kW), check.count(self, "dW", dW)
        self.featFirst = bool(featFirst)
        self._newParameters(weight=(self.inputFrameSize, 1, self.kW), bias=self.inputFrameSize)
        self.reset()

    def noBias(self) -> Self:
        """Drops the bias and returns self."""
        self.bias = self.gradBias = None
        return self

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.kW * self.inputFrameSize) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        if self.bias is not None:
            self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice)
        return self

    def __repr__(self) -> str:
        step = f", {self.dW}" if self.dW != 1 else ""
        return f"{self._typename}({self.inputFrameSize}, {self.kW}{step})" + (" without bias" if self.bias is None else "")
