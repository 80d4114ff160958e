"""Convolution of volumes with filters that have holes."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer


class VolumetricDilatedConvolution(Layer, nn.VolumetricDilatedConvolution):
    """``nn.VolumetricDilatedConvolution`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``VolumetricDilatedConvolution``.

    Examples
    --------
    >>> layer = cudnn.VolumetricDilatedConvolution(1, 2, 3, 3, 3, dilationT=2, dilationW=2, dilationH=2)
    >>> layer.forward(np.zeros((1, 1, 7, 7, 7), np.float32)).shape  # a kernel of three cells covers five
    (1, 2, 3, 3, 3)
    """
