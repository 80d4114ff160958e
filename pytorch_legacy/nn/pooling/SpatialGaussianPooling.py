"""Means of windows under a learned Gaussian."""

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


class SpatialGaussianPooling(Learner, WindowedPooling, PlaneFields):
    """Mean of each window, weighted by a Gaussian whose mean and precision are learned for each plane.

    .. math::

        y_o = \\sum_{i \\in R_o} w_i x_i, \\quad w_i = \\frac{e^{E_i}}{\\sum_{j \\in R_o} e^{E_j}}, \\quad
        E_i = -\\tfrac{1}{2} \\big(\\gamma_x (u_i - \\mu_x)^2 + \\gamma_y (v_i - \\mu_y)^2\\big)

    where u and v are column and row of a cell, counted from the middle of the window. With several kernels each plane
    gives as many: plane ``c * nKernel + m`` of the output is that of kernel m on plane c.

    Precision 0 is average pooling, a large one takes the cell nearest to the mean; none overflows, and neither do means
    far outside of the window. A negative precision favours the cells far from the mean.

    Parameters
    ----------
    nInputPlane : int
        Number of planes.
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, at most half a kernel. They have no weight; after ``setCountIncludePad()`` they
        have theirs and count as 0.
    nKernel : int
        Gaussians for each plane.

    Attributes
    ----------
    mean, gradMean : array of nInputPlane x nKernel x 2
        Along W and H.
    precision, gradPrecision : array of nInputPlane x nKernel x 2
        1 / variance along W and H.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) (C * nKernel) x oH x oW``.
    Standard deviations start at half a window; the mean is in its middle, or uniform in its inner half if there are
    several kernels.
    Not in Torch7; after M. Zeiler and R. Fergus, 2012. C: ``THNN/pooling/SpatialGaussianPooling.c``.

    Examples
    --------
    >>> pool = nn.SpatialGaussianPooling(1, 3, 1)
    >>> pool.mean[...], pool.precision[...] = 0, 2 * np.log(2)  # a cell beside the middle weighs half
    >>> pool.forward(np.float32([[[1, 2, 7]]])).round(4)  # (1 / 2 + 2 + 7 / 2) / 2
    array([[[3.]]], dtype=float32)
    """

    _layer = "SpatialGaussianPooling"
    mean: Tensor
    gradMean: Tensor
    precision: Tensor
    gradPrecision: Tensor
    count_include_pad = False

    _file = Form(
        defaults={
            "nKernel": 1,
            "gradMean": lambda fields: np.zeros_like(fields["mean"]),
            "gradPrecision": lambda fields: np.zeros_like(fields["precision"]),
        },
        kinds=dict.fromkeys(("mean", "precision", "gradMean", "gradPrecision"), "a tensor of floating-point numbers"),
    )

    def __init__(
        self, nInputPlane: int, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0,
        padH: int = 0, nKernel: int = 1,
    ) -> None:  # fmt: skip
        super().__init__((kW, kH), (dW, dH), (padW, padH))
        shape = check.count(self, "nInputPlane", nInputPlane), check.count(self, "nKernel", nKernel), 2
        self.nInputPlane, self.nKernel = shape[:2]
        self._newParameters(mean=shape, precision=shape)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Starts again; with `stdv` the means are uniform with this standard deviation."""
        for axis, kernel in enumerate(self._sizes("k")):
            limit = (kernel - 1) / 4 * (self.nKernel > 1) if stdv is None else stdv * sqrt(3)
            self.mean[..., axis] = random.uniform(-limit, limit, self.mean.shape[:2], self._dtype, self._onDevice)
            self.precision[..., axis] = (2 / kernel) ** 2
        return self

    def setCountIncludePad(self) -> Self:
        """Gives the padding weight, and returns self."""
        self.count_include_pad = True
        return self

    def setCountExcludePad(self) -> Self:
        """Gives weight to the cells on the input alone, and returns self."""
        self.count_include_pad = False
        return self

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """Mean and precision, and their gradients."""
        return [self.mean, self.precision], [self.gradMean, self.gradPrecision]
