"""Blends of maxima and means of windows that decide on the blend themselves."""

from math import sqrt
from typing import Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check, utils
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.Native import Learner
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SpatialGatedPooling(Learner, WindowedPooling, PlaneFields):
    """A blend of the maximum and the mean of each window, in a proportion that a learned mask finds in the window.

    .. math::

        y_o = \\sigma_o \\max_{i \\in R_o} x_i + (1 - \\sigma_o) \\frac{1}{n_o} \\sum_{i \\in R_o} x_i, \\quad
        \\sigma_o = \\frac{1}{1 + e^{-w \\cdot x_{R_o}}}

    where :math:`n_o` counts the cells of the window on the input, and cells outside add nothing to the product with w.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, at most half a kernel. They take no part.
    nInputPlane : int
        Number of planes that have a mask of their own; 1 means one for all planes.

    Attributes
    ----------
    weight, gradWeight : array of nInputPlane x kH x kW
        The masks.
    gate : array, as output
        The proportion of each maximum.
    indices : int64 array, as output
        Position of each maximum within its plane: row * width + column.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, the number of planes or the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``. Ties and NaN are as in ``nn.SpatialMaxPooling``.
    Masks start uniform in [-s, s) with s = 1 / sqrt(kW * kH).
    Not in Torch7; after C.-Y. Lee, P. Gallagher and Z. Tu, 2016. C: ``THNN/pooling/SpatialGatedPooling.c``.

    Examples
    --------
    >>> pool = nn.SpatialGatedPooling(2, 2)
    >>> pool.weight[...] = [[0, 0], [0, 1]]  # the last cell opens the gate
    >>> pool.forward(np.float32([[[2, 4, 2, 4], [6, 0, 6, 100]]]))  # half of 6 and half of 3; the maximum
    array([[[  4.5, 100. ]]], dtype=float32)
    >>> pool.gate
    array([[[0.5, 1. ]]], dtype=float32)
    """

    _layer = "SpatialGatedPooling"
    kW: int
    kH: int
    weight: Tensor

    _file = Form(dropped=("gate", "indices"))  # results of an earlier pass
    gate: Tensor = np.empty(0, np.float32)
    indices: Tensor = np.empty(0, np.int64)

    def __init__(
        self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0,
        nInputPlane: int = 1,
    ) -> None:  # fmt: skip
        super().__init__((kW, kH), (dW, dH), (padW, padH))
        sizes = {"nInputPlane": nInputPlane, "kH": kH, "kW": kW}
        shape = tuple(check.count(self, name, size) for name, size in sizes.items())
        self._newParameters(weight=shape)
        self.gate = np.empty(0, self._dtype)
        self.indices = np.empty(0, np.int64)
        self.reset()

    @property
    def nInputPlane(self) -> int | None:
        """The number of planes that the input must have; None if it may be any."""
        return len(self.weight) if len(self.weight) > 1 else None

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new masks, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.kW * self.kH) if stdv is None else stdv * sqrt(3)
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        return self

    def clearState(self) -> Self:
        utils.clear(self, "gate", "indices")
        return super().clearState()
