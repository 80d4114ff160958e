"""Transposed convolution of volumes."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size


class VolumetricFullConvolution(Layer, nn.VolumetricFullConvolution):
    """``nn.VolumetricFullConvolution`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``VolumetricFullConvolution``.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.iSize = no_size(5)
