"""Transposed convolution of volumes."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size
from pytorch_legacy.files.form import Form


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
