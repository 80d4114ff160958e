"""Sums of windows with a weight and a bias."""

from math import sqrt
from typing import Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.Native import Learner
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SpatialSubSampling(Learner, WindowedPooling, PlaneFields):
    """Sum of each window, scaled and shifted by learned numbers of its plane.

    .. math:: y_o = w_c \\sum_{i \\in R_o} x_i + b_c

    Parameters
    ----------
    nInputPlane : int
        Number of planes.
    kW, kH : int
        Width and height of a window.
    dW, dH : int
        Distance of windows.

    Attributes
    ----------
    weight, bias, gradWeight, gradBias : array of nInputPlane

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nInputPlane x oH x oW``; no padding, ``ceil()`` is not supported.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kW * kH).
    Source: Torch7 ``nn.SpatialSubSampling``; C: ``THNN/pooling/SubSampling.c``.

    Examples
    --------
    >>> pool = nn.SpatialSubSampling(1, 2, 2, 2, 2)
    >>> pool.weight[...], pool.bias[...] = 0.5, 100
    >>> pool.forward(np.arange(16, dtype=np.float32).reshape(1, 4, 4))  # 0.5 * (0 + 1 + 4 + 5) + 100, ...
    array([[[105., 109.],
            [121., 125.]]], dtype=float32)
    """

    weight: Tensor
    bias: Tensor
    _layer = "SpatialSubSampling"

    _file = Form(implied={"padW": 0, "padH": 0, "ceil_mode": False})

    def __init__(self, nInputPlane: int, kW: int, kH: int, dW: int = 1, dH: int = 1) -> None:
        super().__init__((kW, kH), (dW, dH))
        self.nInputPlane = check.count(self, "nInputPlane", nInputPlane)
        self._makeParameters(self.nInputPlane)

    def _makeParameters(self, count: int) -> None:
        self._newParameters(weight=count, bias=count)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given."""
        cells = int(np.prod(self._sizes("k")))
        limit = 1 / sqrt(cells) if stdv is None else stdv * sqrt(3)
        for parameter in (self.weight, self.bias):
            parameter[...] = random.uniform(-limit, limit, parameter.shape, self._dtype, self._onDevice)
        return self

    def __repr__(self) -> str:
        return self._typename
