"""Convolution of volumes."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size


class VolumetricConvolution(Layer, nn.VolumetricConvolution):
    """``nn.VolumetricConvolution`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``VolumetricConvolution``.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.iSize = no_size(5)
