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
    Source: Torch7 ``nn.SpatialConvolutionMM``; C: ``THNN/convolution/SpatialConvolutionMM.c``.
    """

    def _weightShape(self) -> tuple[int, ...]:
        return self.nOutputPlane, self.nInputPlane * prod(self._kernel())
