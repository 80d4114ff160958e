"""Local importance pooling that learns its logits."""

from typing import Self, cast

from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.convolution.SpatialConvolution import SpatialConvolution
from pytorch_legacy.nn.normalization.SpatialInstanceNormalization import SpatialInstanceNormalization
from pytorch_legacy.nn.pooling.SoftGate import SoftGate
from pytorch_legacy.nn.pooling.SpatialLocalImportancePooling import SpatialLocalImportancePooling
from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.table.ConcatTable import ConcatTable


class SpatialSimplifiedLIP(Sequential):
    """Mean of each window of a plane, weighed by logits that a small network computes from all planes.

    .. math:: y_o = \\frac{\\sum_{i \\in R_o} e^{l_i} x_i}{\\sum_{i \\in R_o} e^{l_i}}, \\qquad
              l = 12\\,\\sigma(\\mathrm{norm}(w * x))

    A ready composite::

        input -> Identity -------------------------------------------------------> SpatialLocalImportancePooling
              -> convolution 3 x 3 -> SpatialInstanceNormalization -> SoftGate(12) ->

    The convolution has no bias and starts with weight 0, so that all logits are 6 and the layer begins as average pooling
    without the padding.

    Parameters
    ----------
    nInputPlane : int
        Number of planes.
    kW, kH, dW, dH, padW, padH
        As in SpatialLocalImportancePooling.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes of two cells or more, the kernel does not fit, or a number
        is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nInputPlane x oH x oW``.
    Torch7 has no such layer. Source: Z. Gao, L. Wang, G. Wu, "LIP: Local importance-based pooling", 2019.

    Examples
    --------
    >>> x = np.float32([[[1, 2, 3, 4], [5, 6, 7, 8]]])
    >>> pool = nn.SpatialSimplifiedLIP(1, 2, 2)
    >>> pool.forward(x)  # means, as long as it has learned nothing
    array([[[3.5, 5.5]]], dtype=float32)
    >>> pool.parameters()[0][0][...] = 1  # of the convolution: cells among large ones weigh more
    >>> pool.forward(x).round(3)
    array([[[3.99 , 5.024]]], dtype=float32)
    """

    def __init__(
        self, nInputPlane: int, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0
    ) -> None:
        super().__init__()
        convolution = SpatialConvolution(nInputPlane, nInputPlane, 3, 3, 1, 1, 1, 1).noBias()
        logit = Sequential()
        for module in (convolution, SpatialInstanceNormalization(nInputPlane), SoftGate(12.0)):
            logit.add(module)
        self.add(ConcatTable().add(Identity()).add(logit))
        self.add(SpatialLocalImportancePooling(kW, kH, dW, dH, padW, padH))
        convolution.weight.fill(0)

    def ceil(self) -> Self:
        """Lets the last window reach past the edge, and returns self."""
        self._pooling.ceil()
        return self

    def floor(self) -> Self:
        """Keeps all windows within the padding, and returns self."""
        self._pooling.floor()
        return self

    @property
    def _pooling(self) -> SpatialLocalImportancePooling:
        return cast(SpatialLocalImportancePooling, self.modules[-1])

    def reset(self, stdv: float | None = None) -> Self:
        """Begins anew as average pooling; `stdv` is not used."""
        super().reset(stdv)
        for convolution in self.listModules():
            if isinstance(convolution, SpatialConvolution):
                convolution.weight.fill(0)
        return self
