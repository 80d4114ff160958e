"""Convolution of planes with filters that have holes."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer


class SpatialDilatedConvolution(Layer, nn.SpatialDilatedConvolution):
    """``nn.SpatialDilatedConvolution`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``SpatialDilatedConvolution``.
    """
