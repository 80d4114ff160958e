"""Convolution of planes with filters that have holes."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer


class SpatialDilatedConvolution(Layer, nn.SpatialDilatedConvolution):
    """``nn.SpatialDilatedConvolution`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``SpatialDilatedConvolution``.

    Examples
    --------
    >>> layer = cudnn.SpatialDilatedConvolution(3, 2, 3, 3, dilationW=2, dilationH=2)
    >>> layer.forward(np.zeros((1, 3, 7, 7), np.float32)).shape  # a kernel of 3 x 3 covers 5 x 5 cells
    (1, 2, 3, 3)
    """
