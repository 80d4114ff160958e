"""Convolution of volumes with filters that have holes."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer


class VolumetricDilatedConvolution(Layer, nn.VolumetricDilatedConvolution):
    """``nn.VolumetricDilatedConvolution`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``VolumetricDilatedConvolution``.
    """
