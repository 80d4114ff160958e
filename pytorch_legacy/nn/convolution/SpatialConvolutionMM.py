"""Convolution of planes, with its weight as a matrix."""

from math import prod

from pytorch_legacy.nn.convolution.SpatialConvolution import SpatialConvolution


class SpatialConvolutionMM(SpatialConvolution):
    """The same convolution as SpatialConvolution; each filter is one row of the weight.

    Attributes
    ----------
    weight, gradWeight : array of nOutputPlane x (nInputPlane * kH * kW)
    bias, gradBias : array of nOutputPlane, or None after ``noBias()``

    Notes
    -----
    Source: Torch7 ``nn.SpatialConvolutionMM``; C: ``THNN/convolution/Convolution.c``.

    Examples
    --------
    >>> layer, x = nn.SpatialConvolutionMM(1, 1, 2, 2), np.arange(9, dtype=np.float32).reshape(1, 3, 3)
    >>> layer.weight[...], layer.bias[...] = [[1, 10, 100, 1000]], 0.5  # a filter is one row
    >>> layer.forward(x)  # 1 * 0 + 10 * 1 + 100 * 3 + 1000 * 4 + 0.5, ...
    array([[[4310.5, 5421.5],
            [7643.5, 8754.5]]], dtype=float32)
    """

    def _weightShape(self) -> tuple[int, ...]:
        return self.nOutputPlane, self.nInputPlane * prod(self._kernel())
