"""Convolution of volumes."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size


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
