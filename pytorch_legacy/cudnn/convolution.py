"""Convolutions of cudnn.torch that have no groups."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size
from pytorch_legacy.files.form import Form


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


class VolumetricConvolution(Layer, nn.VolumetricConvolution):
    """``nn.VolumetricConvolution`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``VolumetricConvolution``.

    Examples
    --------
    >>> layer = cudnn.VolumetricConvolution(1, 2, 3, 3, 3)
    >>> layer.forward(np.zeros((1, 1, 5, 6, 7), np.float32)).shape
    (1, 2, 3, 4, 5)
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.iSize = no_size(5)


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


class VolumetricFullConvolution(Layer, nn.VolumetricFullConvolution):
    """``nn.VolumetricFullConvolution`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``VolumetricFullConvolution``.

    Examples
    --------
    >>> layer = cudnn.VolumetricFullConvolution(1, 2, 3, 3, 3)
    >>> layer.forward(np.zeros((1, 1, 5, 6, 7), np.float32)).shape
    (1, 2, 7, 8, 9)
    """

    _file = Form(without=("adjT", "adjW", "adjH"))

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.iSize = no_size(5)
