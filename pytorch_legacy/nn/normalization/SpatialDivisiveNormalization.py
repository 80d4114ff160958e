"""Planes divided by the deviation around each cell."""

from math import sqrt
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.normalization.neighbourhood import LocalNormalization


class SpatialDivisiveNormalization(LocalNormalization):
    """Divides each cell by the weighted deviation of its neighbourhood in all planes.

    .. math:: y_{c,h,w} = \\frac{x_{c,h,w}}{t(d_{h,w})}, \\quad
              d_{h,w} = \\frac{\\sqrt{\\sum_{j,a,b} K_{a,b} \\, x_{j,h+a,w+b}^2}}{\\sum_{j,a,b} K_{a,b}}, \\quad
              t(d) = d \\text{ if } d > threshold \\text{ else } thresval

    where a and b count from the kernel's middle and both sums are over cells that exist. K is the given kernel divided by
    its sum and by nInputPlane; a vector is divided by the root of the latter.

    Parameters
    ----------
    nInputPlane : int
        Number of planes.
    kernel : array, optional
        The weights, with odd sizes; a vector stands for its product with itself. 9 x 9 ones if not given.
    threshold : float
        Value that a deviation must exceed to count; 1e-4 by default.
    thresval : float, optional
        Value that takes the place of others; the threshold itself by default.

    Attributes
    ----------
    kernel : array
        K. (Torch7 divided the array that it was given.)

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, or the kernel has an even size.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to the same. A deviation of 0 gets no gradient; a NaN stays one, where Torch7
    took thresval. The modules that Torch7 kept inside do nothing here: their weights are the kernel.
    Source: Torch7 nn.SpatialDivisiveNormalization.

    Examples
    --------
    >>> layer, x = nn.SpatialDivisiveNormalization(1, np.ones((1, 3))), np.float32([[[2, 2, 2, 2]]])
    >>> np.round(layer.forward(x), 4)
    array([[[0.8165, 1.    , 1.    , 0.8165]]], dtype=float32)
    >>> np.round(layer.forward(100 * x), 4)
    array([[[0.8165, 1.    , 1.    , 0.8165]]], dtype=float32)
    """

    _file = Form(
        scratch={
            "stdestimator": lambda module: module._estimator(module._fileLayer("nn.Square"), module._fileLayer("nn.Sqrt", eps=0)),
            "normalizer": lambda module: module._fileLayer("nn.CDivTable"),
            "thresholder": lambda module: module._fileLayer(
                "nn.Threshold", threshold=module.threshold, val=module.thresval, inplace=False
            ),
        },
        defaults={"threshold": 0.0001, "thresval": None},
    )

    _estimators = 2

    def __init__(self, nInputPlane: int = 1, kernel: Any = None, threshold: float = 1e-4, thresval: float | None = None) -> None:
        super().__init__(nInputPlane, kernel)
        self.threshold = threshold
        self.thresval = threshold if thresval is None else thresval

    def _divisor(self, rank: int) -> float:
        return sqrt(self.nInputPlane) if rank == 1 else self.nInputPlane  # a vector is applied twice

    def updateOutput(self, input: Tensor) -> Tensor:
        scaled, unit = self._inUnits(self._checked(input))
        _, _, divisor = self._deviations(scaled, unit)
        return np.divide(scaled, divisor, out=self._resize("output", input.shape))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self._checkedGradient(self._checked(input), gradOutput)
        scaled, unit = self._inUnits(input)
        deviation, isSmall, divisor = self._deviations(scaled, unit)
        isFlat = isSmall | (deviation == 0)
        gradDivisor = -self._joined(gradOutput * scaled) / (divisor * divisor)
        gradSquares = gradDivisor / (2 * self._coef * np.where(isFlat, 1, deviation))
        gradSquares[isFlat] = 0
        gradInput = np.divide(gradOutput, divisor, out=self._resize("gradInput", input.shape, mustNotOverlap=input))
        gradInput += 2 * scaled * self._spread(gradSquares)
        gradInput /= unit
        return gradInput

    def _inUnits(self, input: Tensor) -> tuple[Tensor, Tensor]:
        """An input whose squares would be too large, in units of a power of two; else in units of 1."""
        kind = np.finfo(self._dtype)
        largest = np.abs(input).max() if input.size else input.sum()
        isLarge = (largest > sqrt(float(kind.max)) / 1e4) & np.isfinite(largest)
        unit = np.where(isLarge, self._dtype.type(2.0 ** (5 * kind.maxexp // 8)), self._dtype.type(1))
        return input / unit, unit

    def _deviations(self, input: Tensor, unit: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The deviations before they are divided by `_coef`, which of them are too small, and what to divide by."""
        deviation = np.sqrt(self._sums(input * input))
        divisor = deviation / self._coef
        isSmall = divisor <= self.threshold / unit
        divisor[isSmall] = (self.threshold if self.thresval is None else self.thresval) / unit
        return deviation, isSmall, divisor
